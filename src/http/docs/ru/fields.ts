/** Descriptions of fields, by the English text of the contract. All of those in events are here. */
export const russianFields: Readonly<Record<string, string>> = {
  'The user; the same in every event of the project.': 'Пользователь; одинаков во всех событиях проекта.',
  'The messenger.': 'Мессенджер.',
  'Your own id of the user, if you gave one.': 'Ваш id пользователя, если вы его задали.',
  'As in the messenger.': 'Как в мессенджере.',
  'In the messenger, without @.': 'Имя в мессенджере, без @.',
  'The language in which the bot talks to the user.': 'Язык, на котором бот говорит с пользователем.',
  'What the user agreed to receive.': 'На что пользователь согласился.',
  'Labels that your project gave.': 'Теги, которые дал ваш проект.',
  'Whether messages can be sent: false after /stop or a block.':
    'Можно ли отправлять сообщения: false после /stop или блокировки.',
  'Whether the user has blocked the bot.': 'Заблокировал ли пользователь бота.',
  'When the user first subscribed.': 'Когда пользователь подписался впервые.',
  'After the change.': 'После изменения.',
  'Before the change.': 'До изменения.',
  'The message, as in the response of /v1/send.': 'Сообщение, как в ответе /v1/send.',
  'Why the message was not delivered.': 'Почему сообщение не доставлено.',
  'Whether sending again later can succeed.': 'Есть ли смысл отправить позже ещё раз.',
  'Whether to stop sending to this user.': 'Пора ли перестать писать этому пользователю.',
  'The text of the messenger, or of Herald if it did not call the messenger.':
    'Текст ошибки от мессенджера или от Herald, если до мессенджера дело не дошло.',
  'The broadcast.': 'Рассылка.',
  'Inactive or unsubscribed, or not reached before a cancellation.':
    'Неактивные, отписанные и те, до кого не дошла очередь из-за отмены.',
  'All recipients.': 'Все получатели.',
  'As in the response of /v1/send/batch.': 'Как в ответе /v1/send/batch.',
  'Unsubscribed, without the permission, or not reached before a cancellation.':
    'Отписанные, без разрешения и те, до кого не дошла очередь из-за отмены.',
  'All results.': 'Все результаты.',
  'As given when the code was sent.': 'Как указано при отправке кода.',
  'Before the code is void.': 'Сколько осталось, прежде чем код станет недействительным.',
  'As given when the session was created.': 'Как указано при создании сессии.',
  'When the user tapped Yes.': 'Когда пользователь нажал «Да».',
  'The message with the button.': 'Сообщение с этой кнопкой.',
  'The data of the button.': 'Данные кнопки.',
  'As in the response of /v1/scheduled.': 'Как в ответе /v1/scheduled.',
  'The message; null for an audience, and where no message was created.':
    'Сообщение; null для аудитории и если сообщение не создавалось.',
  'The broadcast of an audience; null for a subscriber.':
    'Рассылка по аудитории; null для одного подписчика.',
  'Why: as in /v1/send, or `billing_blocked`, `subscriber_not_found`, `too_late`, `empty_audience`, `too_many_jobs`.':
    'Причина: как в /v1/send или `billing_blocked`, `subscriber_not_found`, `too_late`, `empty_audience`, `too_many_jobs`.',
  'As in the response of /v1/drip-chains.': 'Как в ответе /v1/drip-chains.',
  'The name of the chain.': 'Название цепочки.',
  'The version of the chain that the enrolment goes by.': 'Версия цепочки, по которой идёт подписчик.',
  'The place of the step in the chain, from 1.': 'Номер шага в цепочке, считая с 1.',
  'The message.': 'Сообщение.',
  'Why they left: `exit_rule` or `unsubscribed`; else null.':
    'Почему вышел: `exit_rule` или `unsubscribed`; иначе null.',
  'Messages that were sent.': 'Сколько сообщений отправлено.',
  'As in the response of /v1/recurring.': 'Как в ответе /v1/recurring.',
  'The time of the run by its cron expression, or of the request.':
    'Время запуска по выражению cron или время запроса.',
  'The project’s own id of the event, or the one that Herald chose.':
    'id события, заданный проектом или назначенный Herald.',
  'As given by the project; default: received_at.': 'Как указал проект; по умолчанию received_at.',
  'As in the response of POST /v1/auth/requests.': 'Как в ответе POST /v1/auth/requests.',
  'What the subscriber was asked.': 'О чём спросили подписчика.',
  'As YYYY-MM, in UTC.': 'В виде YYYY-MM, по UTC.',
  'Logins of this month that the plan has paid for.': 'Сколько входов этого месяца покрыл тариф.',
  'Logins that the plan includes in a month.': 'Сколько входов в месяц входит в тариф.',
  'Purchased credits that are left.': 'Сколько осталось купленных кредитов.',
};
