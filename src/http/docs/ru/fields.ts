/** Descriptions of fields and parameters, by the English text of the contract: first those of events, then by resource. */
export const russianFields: Readonly<Record<string, string>> = {
  // Events
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

  // Login
  'Opens the bot; null if the channel is not offered.': 'Открывает бота; null, если канал не подключён.',
  'Whether the project has a callback URL.': 'Задан ли у проекта callback URL.',
  'Makes retries of this request safe for 24 hours.':
    'Позволяет безопасно повторять запрос в течение 24 часов.',
  'Your own value. It is returned with the code and in `auth.completed`.':
    'Ваше значение. Вернётся вместе с кодом и в `auth.completed`.',
  'Where the user returns to. It must exactly match the callback URL or a redirect URL of the project.':
    'Куда вернётся пользователь. Должен точно совпадать с callback URL или одним из redirect URL проекта.',
  'IP address of the user’s browser. The bot shows it; sessions are also limited per address.':
    'IP-адрес браузера пользователя. Бот его показывает; число сессий с одного адреса тоже ограничено.',
  'The user’s device. The bot shows it.': 'Устройство пользователя. Бот его показывает.',
  'PKCE challenge: S256 of a verifier that only your backend knows. The code then works only with it.':
    'PKCE challenge: S256 от verifier, который знает только ваш сервер. Без этого verifier код не сработает.',
  'The hosted login page. It works in the browser that opens it first.':
    'Страница входа Herald. Работает только в том браузере, который открыл её первым.',
  'QR code of the link; needs no API key. Takes `?channel=` and `?format=`.':
    'QR-код ссылки; ключ API не нужен. Принимает `?channel=` и `?format=`.',
  'Show it to the user: the bot shows the same code to compare.':
    'Покажите его пользователю: бот покажет такой же код для сверки.',
  'Seconds until the session expires or, once confirmed, until the code expires.':
    'Сколько секунд осталось до конца сессии, а после подтверждения — до конца срока кода.',
  'Recommended seconds between two polls.': 'Сколько секунд лучше выждать между двумя запросами статуса.',
  'Seconds to hold a long poll.': 'Сколько секунд держать запрос в ожидании ответа.',
  'Where to send the user, with code and state; null without a callback URL.':
    'Куда отправить пользователя, с code и state; null, если callback URL не задан.',
  'Only logins of this subscriber.': 'Только входы этого подписчика.',
  '`static` is a login by the static link, `oidc` one by OpenID Connect, `push` an approval.':
    '`static` — вход по постоянной ссылке, `oidc` — через OpenID Connect, `push` — подтверждение.',
  'The OpenID Connect client of a login by `oidc`, as it is now.':
    'Клиент OpenID Connect при входе через `oidc`, с его нынешними данными.',
  'Of an approval; null for other flows.': 'Только у подтверждений; у остальных входов null.',
  'What the subscriber was asked in an approval.': 'О чём спросили подписчика, если это подтверждение.',
  '`unredeemed`: the user tapped Yes, and the code was not redeemed in time. An approval is `consumed` at once.':
    '`unredeemed`: пользователь нажал «Да», но код вовремя не обменяли. Подтверждение сразу становится `consumed`.',
  'Why the login was declined.': 'Почему вход отклонён.',
  'Whether the user tapped Yes.': 'Нажал ли пользователь «Да».',
  'Null until a user opens the link.': 'Null, пока никто не открыл ссылку.',
  'Of the subscriber, as it is now.': 'Как сейчас у подписчика.',
  'When the session expires without an answer.': 'Когда сессия закончится, если ответа не будет.',
  'Days (UTC) back from today, which is included.': 'За сколько дней (по UTC), включая сегодняшний.',
  'Each step on the day on which it happened, the oldest day first.':
    'Каждый шаг — в тот день, когда он произошёл; сначала старые дни.',
  'The bot has asked the user.': 'Бот задал вопрос пользователю.',
  'Ended without an answer.': 'Закончились без ответа.',
  'Of all these days together. A login belongs to a messenger from its opening on.':
    'За все эти дни вместе. Вход относится к мессенджеру с того момента, как его открыли.',
  'From the creation to Yes; above a minute in tens of seconds. Null without a confirmed login.':
    'От создания до «Да»; если дольше минуты — с точностью до десяти секунд. Null, если подтверждённых входов нет.',

  // Approvals
  'A UUID, or `sub_` + base62.': 'UUID или `sub_` + base62.',
  'Instead of subscriber_id: all its active subscribers are asked, and the first answer counts.':
    'Вместо subscriber_id: вопрос получат все активные подписчики с этим id, засчитывается первый ответ.',
  'What the subscriber is asked: 1 to 200 characters on one line.':
    'О чём спросить подписчика: от 1 до 200 символов в одну строку.',
  '`login` gives a one-time code, as a session does; `approval` only the answer.':
    '`login` даёт одноразовый код, как сессия; `approval` — только ответ.',
  'Seconds to wait for the answer.': 'Сколько секунд ждать ответа.',
  'IP address of the user’s browser. The bot shows it.':
    'IP-адрес браузера пользователя. Бот его показывает.',
  'Seconds until the request expires.': 'Через сколько секунд истечёт запрос.',
  'Who answered or, before that, who was asked; null if several were asked.':
    'Кто ответил, а до ответа — кого спросили; null, если спросили нескольких.',
  'Seconds until the request or, once approved, its code expires.':
    'Через сколько секунд истечёт запрос, а после подтверждения — его код.',
  'For the purpose `login`, until it is redeemed.': 'Только при `login`, пока код не обменяли.',
  'With the code.': 'Вместе с кодом.',
  'Only if the subscriber tapped Yes and the project had no credits.':
    'Только если подписчик нажал «Да», а у проекта не было кредитов.',

  // OpenID Connect
  'For people: the dashboard and the log of logins show it.':
    'Для людей: показывается в панели и в журнале входов.',
  'Where the browser may return to, compared character by character. `https`; a public client, and any in development, may use `http` on loopback.':
    'Куда может вернуться браузер; сравнивается посимвольно. `https`; публичному клиенту, а при разработке любому, можно `http` на loopback.',
  'Where the browser may return to after a logout.': 'Куда может вернуться браузер после выхода.',
  '`confidential` has a secret; `public` (an app or a page without a backend) must use PKCE.':
    'У `confidential` есть секрет; `public` (приложение или страница без сервера) обязан использовать PKCE.',
  'The signature of ID tokens.': 'Подпись ID-токенов.',
  'Whether the client may use the device flow (RFC 8628).':
    'Можно ли клиенту входить по коду на устройстве (device flow, RFC 8628).',
  'Paste it where a platform asks for the issuer.': 'Вставьте там, где платформа просит issuer.',
  'Paste it where a platform asks for the well-known or discovery URL.':
    'Вставьте там, где платформа просит well-known URL или discovery URL.',
  'Shown only here; null for a public client.': 'Показывается только здесь; у публичного клиента null.',
  'Shown only here. The one before is valid for 24 hours.':
    'Показывается только здесь. Прежний действует ещё 24 часа.',

  // Subscribers
  'Your own id of the user: 1 to 128 printable characters.':
    'Ваш id пользователя: от 1 до 128 печатных символов.',
  'Only subscribers whose name, username or external_id begins with this text, in any case, or who have this tag.':
    'Только подписчики, у которых с этого текста начинается имя, username или external_id (регистр не важен) или есть такой тег.',
  'Only these subscribers: up to 100 ids, separated by commas.':
    'Только эти подписчики: до 100 id через запятую.',
  'Time zone of the user; null: that of the project.': 'Часовой пояс пользователя; null — как у проекта.',
  'Facts about the user that your project keeps.': 'Сведения о пользователе, которые хранит ваш проект.',
  'Ids of subscribers; one that is given twice counts once.':
    'Id подписчиков; указанный дважды считается один раз.',
  'Subscribers who now have the added tags and none of the removed.':
    'Подписчики, у которых теперь есть добавленные теги и нет убранных.',
  'A subscriber_id: a UUID, or `sub_` + base62.': 'subscriber_id: UUID или `sub_` + base62.',
  'Given keys are set, keys with null are removed, others do not change.':
    'Указанные ключи задаются, ключи с null удаляются, остальные не меняются.',
  'Checks every row and changes nothing.': 'Проверить все строки и ничего не менять.',
  'Without the header and empty lines.': 'Без заголовка и пустых строк.',
  'Rows that were applied; in a dry run, that would be.':
    'Сколько строк применено; при проверке — сколько было бы применено.',
  'The first 100 failed rows.': 'Первые 100 строк с ошибками.',
  'The row in the file: the header is row 1.': 'Номер строки в файле: заголовок — строка 1.',

  // Subscribe links
  'Opens the Mini App; null if there is none.': 'Открывает мини-приложение; null, если его нет.',
  'The subscriber gets it. Such a link works once.':
    'Его получит подписчик. Такая ссылка срабатывает один раз.',
  'In the future. Without it the link does not expire.':
    'Время в будущем. Если не указать, ссылка бессрочная.',
  'How often the link has subscribed a user or given them something new.':
    'Сколько раз ссылка подписала пользователя или дала ему что-то новое.',

  // Tags and permissions
  'How many subscribers have it.': 'У скольких подписчиков он есть.',
  'What the Mini App shows. A permission without a title is not offered there.':
    'Что показывает мини-приложение. Разрешение без заголовка там не предлагается.',
  'Granted to every new subscriber.': 'Даётся каждому новому подписчику.',

  // Mini App
  'As the messenger passes it to the Mini App.':
    'В том виде, в каком их передаёт мини-приложению мессенджер.',
  'What the user agrees to. Default: the default permissions of the project.':
    'На что пользователь согласен. По умолчанию — разрешения проекта по умолчанию.',

  // Messages
  'Only these channels. Default: all.': 'Только эти каналы. По умолчанию все.',
  'Up to 4000 characters, counted as the messengers do: in UTF-16 code units, of which most emoji have two or more.':
    'До 4000 символов; считаются как в мессенджерах, в единицах UTF-16: большинство эмодзи — это два символа и больше.',
  'Default: plain.': 'По умолчанию plain.',
  'Rows of buttons; each button has either `url` or `data`.':
    'Ряды кнопок; у каждой кнопки либо `url`, либо `data`.',
  'Returned in `button.clicked`.': 'Вернётся в `button.clicked`.',
  'A photo of up to 20 MB, or a video or document of up to 50 MB. Telegram shows a photo over 10 MB as a document.':
    'Фото до 20 МБ, видео или документ до 50 МБ. Фото больше 10 МБ Telegram показывает как документ.',
  'Whether `text` and the texts and URLs of the buttons have placeholders, as in a template. Default: false. Not with `template`.':
    'Есть ли подстановки, как в шаблоне, в `text` и в текстах и URL кнопок. По умолчанию false. Нельзя вместе с `template`.',
  'The key of a template, instead of `text`.': 'Ключ шаблона, вместо `text`.',
  'Values for the placeholders of the template. They win over the built-in names.':
    'Значения для подстановок шаблона. Они важнее встроенных имён.',
  'Send only to subscribers with this permission.': 'Отправить только подписчикам с этим разрешением.',
  'Unsubscribed, or without the permission: nothing was sent.':
    'Подписчик отписан или не дал разрешения: ничего не отправлено.',
  'Identifies the message in `delivery.success` and `button.clicked`; null if it was skipped.':
    'По нему сообщение узнают в `delivery.success` и `button.clicked`; null, если оно пропущено.',
  'Null if the subscriber was removed.': 'Null, если подписчика удалили.',
  'Where it comes from.': 'Откуда оно.',
  'The batch, broadcast, scheduled or recurring message, chain, ticket or form that it comes from; null for a single message or code.':
    'Пакет, рассылка, отложенное сообщение, регулярная рассылка, цепочка, обращение или форма, откуда оно; null у отдельного сообщения или кода.',
  'Why it was not sent; `cancelled` if its broadcast was cancelled before, `too_late` if its time had passed long before.':
    'Почему не отправлено; `cancelled` — рассылку отменили раньше, `too_late` — его время давно прошло.',
  'Null for a one-time code.': 'У одноразового кода null.',
  'Taps on its buttons, oldest first, at most 20.': 'Нажатия его кнопок, сначала старые, не больше 20.',
  'As it was sent. Null for a one-time code.': 'Как было отправлено. У одноразового кода null.',

  // Templates
  '`reply`: a canned reply of the helpdesk, which also knows `ticket.number` and `agent`.':
    '`reply`: готовый ответ поддержки; в нём доступны и `ticket.number` и `agent`.',
  'The variant for recipients whose language has none. Default: `en`, else `ru`.':
    'Вариант для получателей, на чьём языке текста нет. По умолчанию `en`, иначе `ru`.',
  'Every name that the placeholders use, built-in names included.':
    'Все имена из подстановок, включая встроенные.',
  'A template that is not saved, as in PUT.': 'Несохранённый шаблон, как в PUT.',
  'The content of a message.': 'Содержание сообщения.',
  'Whose name, language and other values are used.': 'Чьи имя, язык и другие значения подставить.',
  'Default: the language of the subscriber, else default_lang.':
    'По умолчанию язык подписчика, иначе default_lang.',
  'Names that a message with these `vars` would be refused for.':
    'Имена, из-за которых сообщение с такими `vars` не будет принято.',

  // Batches
  'Each is a body of /v1/send.': 'Каждое — как тело запроса /v1/send.',
  'Your own name for the message.': 'Ваше имя для сообщения.',
  'Results: an external_id counts once for each of its subscribers.':
    'Результаты: external_id считается по разу на каждого своего подписчика.',
  'The place of the message in the request, from 0.': 'Номер сообщения в запросе, считая с 0.',
  'Null if there is no such subscriber.': 'Null, если такого подписчика нет.',
  'Why messages failed or were skipped, the most frequent first.':
    'Почему сообщения не доставлены или пропущены; сначала самые частые причины.',
  'Taps on buttons with `data`, by the text of the button; the messengers do not report taps on links. At most 100, the most tapped.':
    'Нажатия кнопок с `data`, по тексту кнопки; о переходах по ссылкам мессенджеры не сообщают. Не больше 100 кнопок, сначала самые популярные.',
  'As given, before placeholders are filled in.': 'Как указано, до подстановки значений.',
  'Recipients whose subscription ended within 72 hours of their message.':
    'Получатели, чья подписка закончилась в течение 72 часов после сообщения.',

  // Broadcasts
  'Only subscribers with all of these tags.': 'Только подписчики, у которых есть все эти теги.',
  'Only subscribers with at least one of these tags.':
    'Только подписчики, у которых есть хотя бы один из этих тегов.',
  'Excludes subscribers with any of these tags.': 'Кроме подписчиков с любым из этих тегов.',
  'Only subscribers with this permission.': 'Только подписчики с этим разрешением.',
  'Limits the sending rate below the rate of the bot.':
    'Ограничивает скорость отправки, если она нужна ниже, чем у бота.',
  'Count the audience without sending.': 'Посчитать аудиторию и ничего не отправлять.',
  'Null for a dry run.': 'Null, если аудиторию только посчитали.',
  'Inactive or unsubscribed, or not reached before the broadcast was cancelled.':
    'Неактивные, отписанные и те, до кого не дошла очередь до отмены рассылки.',
  'Messages sent again because a worker died during the first call.':
    'Сообщения, отправленные ещё раз, потому что во время первого вызова воркер упал.',
  'Null for a template.': 'У шаблона null.',
  'Whether the text was given with placeholders.': 'Задан ли текст с подстановками.',
  'The key of the template, if the message was given as one.':
    'Ключ шаблона, если сообщение задано шаблоном.',
  'Which subscribers it is for.': 'Для каких подписчиков.',

  // Scheduled messages
  'Only these channels. Default: all. Not with audience.':
    'Только эти каналы. По умолчанию все. Нельзя вместе с audience.',
  'Send only to subscribers with this permission. Not with audience.':
    'Отправить только подписчикам с этим разрешением. Нельзя вместе с audience.',
  'A moment if it has an offset; without one, a local time of `timezone`. At most a year ahead.':
    'Со смещением — точный момент; без него — местное время в `timezone`. Не дальше года вперёд.',
  'Of a time without an offset: an IANA name, or `recipient` for each one’s own. Default: the project’s.':
    'Часовой пояс для времени без смещения: имя IANA или `recipient` — у каждого получателя свой. По умолчанию — как у проекта.',
  'A moment in UTC, or the local time as given.': 'Момент по UTC или местное время, как указано.',
  'Null if scheduled_at is a moment.': 'Null, если scheduled_at — точный момент.',
  'Why it failed or was skipped.': 'Почему не удалось отправить или пропущено.',
  'When it is sent next; null once it has ended or has become a broadcast, unless recipients wait for their own time.':
    'Когда будет следующая отправка; null, если всё закончено или превратилось в рассылку, кроме случая, когда получатели ждут своего времени.',
  'The broadcast of an audience.': 'Рассылка по аудитории.',

  // Recurring messages
  'Five fields: minute, hour, day of month, month, day of week; `* , - /`, `MON`…, `JAN`…. Not both day fields.':
    'Пять полей: минута, час, день месяца, месяц, день недели; `* , - /`, `MON`…, `JAN`…. Оба поля дней сразу указать нельзя.',
  'Default: the project’s.': 'По умолчанию — как у проекта.',
  'No run before this time.': 'До этого времени запусков нет.',
  'No run after this time.': 'После этого времени запусков нет.',
  'Ends after this many broadcasts.': 'Закончить после стольких рассылок.',
  'Null while it is paused, and once it has ended.': 'Null на паузе и после окончания.',
  'Broadcasts that were started.': 'Сколько рассылок начато.',
  'The occurrence to leave out. Default: the next one.': 'Какой запуск пропустить. По умолчанию ближайший.',
  'Skipped: `overlap`, `missed`, `by_request`, `billing_blocked`, `empty_audience` or `too_many_jobs`.':
    'Почему пропущен: `overlap`, `missed`, `by_request`, `billing_blocked`, `empty_audience` или `too_many_jobs`.',

  // Drip chains
  'What enrols a subscriber. Manual enrolment works for every chain.':
    'Что добавляет подписчика в цепочку. Вручную можно добавить в любую.',
  'Rules on the properties of the event.': 'Правила для свойств события.',
  'Default: `all`.': 'По умолчанию `all`.',
  'With a property: how it compares with `value`. A value of another type compares false, and so does an absent property, `ne` included. `gt` and `lt` compare numbers, or texts; `contains`: part of a text.':
    'Для свойства: как сравнить с `value`. Значение другого типа и свойство, которого нет, правилу не подходят, в том числе при `ne`. `gt` и `lt` сравнивают числа или тексты; `contains`: часть текста.',
  'With a property. For `exists`: true (default), or false for a property that is absent.':
    'Для свойства. При `exists`: true (по умолчанию) или false, если свойства быть не должно.',
  '1 is Monday. Default: every day.': '1 — понедельник. По умолчанию каждый день.',
  'Whose clock: that of the recipient, or that of the project.': 'По чьим часам: получателя или проекта.',
  'With a tag or a permission: false for one that is absent.':
    'Для тега или разрешения: false, если его быть не должно.',
  'The name of a tracked event.': 'Название события пользователя.',
  'With an event: it occurred in the last minutes. Without: it was received since the enrolment.':
    'Для события: оно было в последние минуты. Если не указать: получено с начала участия.',
  'With an event: false for one that has not happened.': 'Для события: false, если его быть не должно.',
  'Where it goes on if the rules do not hold: a later step, or `end`.':
    'Куда перейти, если правила не выполнены: к одному из следующих шагов или в конец — `end`.',
  '`once`: a subscriber enters the chain once. `again`: again after the end.':
    '`once`: подписчик проходит цепочку один раз. `again`: после окончания может пройти снова.',
  'Only an active chain takes subscribers and runs steps; due steps wait until it is active again.':
    'Только активная цепочка принимает подписчиков и выполняет шаги; шаги, время которых пришло, ждут, пока она снова не станет активной.',
  'Raised by a change of trigger, steps or exit_on.': 'Растёт при изменении trigger, steps или exit_on.',
  'Moves the active enrolments of earlier versions to the newest one, where their current step still exists.':
    'Переводит активных участников прежних версий на новую, если их текущий шаг в ней есть.',
  'Shown in templates as `event.<property>`.': 'Доступны в шаблонах как `event.<property>`.',
  'Why it was exited: `exit_rule` or `unsubscribed`.': 'Почему вышел: `exit_rule` или `unsubscribed`.',
  'The current step, or the last one.': 'Текущий шаг или последний.',
  'When the next step is due; null once it has ended.': 'Когда следующий шаг; null после окончания.',
  'Only this version. Default: all versions, with the steps of the newest.':
    'Только эта версия. По умолчанию все версии, с шагами последней.',
  'Enrolments in which the step has begun.': 'Сколько участников начали этот шаг.',
  'Not sent: the user has unsubscribed or has not granted the permission.':
    'Не отправлено: пользователь отписался или не дал разрешения.',

  // Forms
  'Shown above the form. Default: the name.': 'Показывается над формой. По умолчанию название формы.',
  'One of the two labels is required.': 'Нужна хотя бы одна из двух подписей.',
  'Default: false. A required checkbox must be ticked.':
    'По умолчанию false. Обязательный флажок должен быть отмечен.',
  'The least length of a text, value of a number, or count of a multiselect.':
    'Наименьшая длина текста, значение числа или количество вариантов в multiselect.',
  'The greatest length, value or count.': 'Наибольшая длина, значение или количество.',
  'Required for select and multiselect, and only there.':
    'Обязательны для select и multiselect; у других полей их быть не может.',
  'Rules on the answers; without them the route always runs.':
    'Правила для ответов; без них маршрут срабатывает всегда.',
  'The key of a field of the form.': 'Ключ поля формы.',
  'A value of another type compares false, and so does a field without an answer, `ne` included. `gt` and `lt` compare numbers, or texts; `contains`: part of a text, or one of the chosen options.':
    'Значение другого типа и поле без ответа правилу не подходят, в том числе при `ne`. `gt` и `lt` сравнивают числа или тексты; `contains`: часть текста или один из выбранных вариантов.',
  'For `exists`: true (default), or false for a field without an answer.':
    'При `exists`: true (по умолчанию) или false, если ответа быть не должно.',
  'The sites that may post to `submit_url`: `https://host[:port]`, `https://*.host` for its subdomains, `*` for any. An empty list: none.':
    'Сайты, с которых можно отправлять на `submit_url`: `https://host[:port]`, `https://*.host` — поддомены, `*` — любые. Пустой список — ни с каких.',
  'A submission within this time after its token was issued is spam. 0: no token is needed.':
    'Отправка раньше чем через столько секунд после выдачи токена — спам. 0 — токен не нужен.',
  'Where answers are verified: any service with a siteverify API.':
    'Где проверяются ответы: любая служба с API siteverify.',
  'Never shown. A PUT without it keeps the stored one.':
    'Никогда не показывается. PUT без него оставляет сохранённый.',
  'Where a browser goes after a submission.': 'Куда попадает браузер после отправки.',
  'The `action` of an HTML form.': 'Значение `action` для формы HTML.',
  'The page with the form.': 'Страница с формой.',
  'The page with the form; answers are those of the subscriber.':
    'Страница с формой; ответы засчитываются этому подписчику.',
  'Submissions outside the spam folder, counted up to 1000.':
    'Сколько отправок, кроме спама; считаются до 1000.',
  'Submissions in the spam folder, counted up to 1000.': 'Сколько отправок в спаме; считаются до 1000.',
  'The newest submission that is not spam.': 'Самая новая отправка, кроме спама.',
  'By the keys of the fields.': 'По ключам полей.',
  'The routes that have run.': 'Маршруты, которые сработали.',
  'The place of the route in the form, from 0.': 'Номер маршрута в форме, считая с 0.',
  '`new` on a submission in the spam folder runs its routes and sends its event, once.':
    '`new` для отправки из спама выполняет её маршруты и отправляет её событие, один раз.',
  'Pass it as `_token`.': 'Передайте его как `_token`.',
  'Must be empty: a field that people do not see.': 'Должно быть пустым: этого поля люди не видят.',
  'Of `GET /f/{form_id}`; for forms with `min_seconds`.': 'Из `GET /f/{form_id}`; для форм с `min_seconds`.',
  'The response of the captcha.': 'Ответ капчи.',
  'The service gets `secret`, `response` (the `_captcha` of the submission) and `remoteip`.':
    'Служба получает `secret`, `response` (это `_captcha` из отправки) и `remoteip`.',
  'Read before each step: a subscriber for whom they hold leaves the chain.':
    'Проверяются перед каждым шагом: если правила выполнены, подписчик выходит из цепочки.',
  'An event that does not match makes no delivery to this endpoint. Test events ignore it.':
    'Событие, которое не подходит, этому эндпоинту не доставляется. Тестовых событий фильтр не касается.',
  'The same id within 24 hours gets the same response and has no further effect.':
    'Тот же id в течение 24 часов получает тот же ответ и больше ничего не делает.',

  // Tracked events
  'What happened, such as `purchase`.': 'Что произошло, например `purchase`.',
  'Means each subscriber with it.': 'Относится к каждому подписчику с этим id.',
  'From 30 days ago to 5 minutes ahead. Default: now.':
    'От 30 дней назад до 5 минут вперёд. По умолчанию — сейчас.',
  'Your own id. The same id within 30 days is a duplicate and has no effect.':
    'Ваш id. Тот же id в течение 30 дней — повтор и ничего не делает.',
  'In the order of the request.': 'В порядке запроса.',
  'The given id, or the one that Herald chose.': 'Указанный id или назначенный Herald.',
  'Only events that occurred at this time or later.':
    'Только события, которые произошли в это время или позже.',
  'Events are listed by this time, newest first.': 'По этому времени события и идут в списке, сначала новые.',

  // Helpdesk
  'Whether customers can write, and tickets can be created.':
    'Могут ли клиенты писать и можно ли создавать обращения.',
  'Time for the first reply; null: no limit.': 'Сколько времени на первый ответ; null — без ограничения.',
  'Time until a ticket should be closed; null: no limit.':
    'За какое время обращение нужно закрыть; null — без ограничения.',
  'Whether the bot asks for a rating when a ticket with a reply is closed.':
    'Просит ли бот оценку, когда закрывают обращение, на которое ответили.',
  'How long after its close a message of the customer reopens a ticket; null: never.':
    'Сколько времени после закрытия сообщение клиента открывает обращение снова; null — никогда.',
  'After how long a ticket that waits for the customer is closed; null: never.':
    'Через сколько времени закрывается обращение, которое ждёт клиента; null — никогда.',
  'On the button of the bot, in English.': 'На кнопке бота, по-английски.',
  'On the button of the bot, in Russian.': 'На кнопке бота, по-русски.',
  'Of tickets of this type.': 'У обращений этого типа.',
  'Who gets tickets of this type; null: nobody.': 'Кому достаются обращения этого типа; null — никому.',
  'Of its newest active subscriber.': 'Обращение самого нового активного подписчика с этим id.',
  'A customer without a subscriber.': 'Клиент, который не подписчик.',
  'Sets priority and assignee, unless they are given.':
    'Задаёт приоритет и ответственного, если они не указаны.',
  'Default: that of the type, else normal.': 'По умолчанию — как у типа, иначе normal.',
  'Default: that of the type.': 'По умолчанию — как у типа.',
  'Counted from 1 in the project.': 'Номер в проекте, считая с 1.',
  'The beginning of the newest public message.': 'Начало последнего сообщения, видимого клиенту.',
  'A member of the team.': 'Участник команды.',
  'The oldest message of the customer without a public answer since.':
    'Самое раннее сообщение клиента, на которое ещё не ответили.',
  'Whether one of the due times has passed unmet.': 'Просрочен ли хотя бы один из сроков.',
  'A member, or `none`.': 'Участник или `none`.',
  'Beginnings of words of the subject, the first message or the customer; or a number, such as #42.':
    'Начала слов из темы, первого сообщения или имени клиента; или номер, например #42.',
  '`true`: all but closed ones; `false`: closed ones.': '`true`: все, кроме закрытых; `false`: закрытые.',
  'Newest first by creation, or by the last message or change.':
    'Сначала новые: по времени создания или последнего сообщения либо изменения.',
  '`publisher`: the project can publish it (`POST /v1/publish`). `ticket.*` is `herald` while the project’s own helpdesk is enabled.':
    '`publisher`: проект может публиковать его сам (`POST /v1/publish`). Пока в проекте включена поддержка Herald, у `ticket.*` здесь `herald`.',
  'Whether it is the member who asks.': 'Сам ли это участник, который спрашивает.',
  'Open ones that nobody has.': 'Открытые без ответственного.',
  'Open ones of the member who asks; 0 for an API key.': 'Открытые у того, кто спрашивает; для ключа API 0.',
  'Only messages created at this time or later.': 'Только сообщения, созданные в это время или позже.',
  'A note that the customer does not see.': 'Заметка, которую клиент не видит.',
  'Of `system`: what was changed. An assignee is the id of a member.':
    'У `system`: что изменилось. Ответственный — это id участника.',
  'Of a reply: whether the messenger has taken it.': 'У ответа: принял ли его мессенджер.',
  '`customer`: what a customer without a subscriber has written.':
    '`customer`: что написал клиент, который не подписчик.',
  'Default: a public reply sets `waiting`.': 'По умолчанию ответ клиенту ставит `waiting`.',

  // One-time codes
  'Codes with different purposes are independent.': 'Коды с разными целями не зависят друг от друга.',

  // Webhooks
  'Names of events, separated by commas. Default: all.': 'Названия событий через запятую. По умолчанию все.',
  '`deliveries` or `logins` or `tickets`, or both separated by a comma. Instead of events, the stream sends a message of that type with the data `{}` when the list may have changed: once at the start, then at most once a second.':
    '`deliveries`, `logins` или `tickets`, можно несколько через запятую. Вместо событий поток присылает сообщение этого типа с данными `{}`, когда список мог измениться: один раз в начале, потом не чаще раза в секунду.',
  'The last `id` that was received; resumes after it.':
    'Последний полученный `id`; поток продолжится после него.',
  'An https URL without a username, password or fragment, not in a private network.':
    'URL с https, без имени пользователя, пароля и фрагмента, не в частной сети.',
  'Event names. An empty list subscribes to all events, including future ones.':
    'Названия событий. Пустой список — все события, включая будущие.',
  'A path inside `data`, for example `subscriber.tags`.': 'Путь внутри `data`, например `subscriber.tags`.',
  'JSON Schema of the whole body. Later versions may add fields; `POST /v1/publish` refuses unknown ones.':
    'JSON Schema всего тела. В следующих версиях могут появиться новые поля; `POST /v1/publish` неизвестные поля не принимает.',
  'A value of another type compares false, and so does a field that is absent or null, `ne` included. `gt` and `lt` compare numbers, or texts; `contains`: part of a text, or an element of a list; `exists`: it is there and not null.':
    'Значение другого типа, null и поле, которого нет, правилу не подходят, в том числе при `ne`. `gt` и `lt` сравнивают числа или тексты; `contains`: часть текста или элемент массива; `exists`: поле есть и не null.',
  'For `exists`: true (default), or false for a field that is absent or null.':
    'При `exists`: true (по умолчанию) или false, если поля нет или оно null.',
  'Default: the retry policy of the project.': 'По умолчанию — как у проекта.',
  '`workflow`: a workflow makes every attempt. `express`: the first attempt is made without a workflow. `auto`: the workflow lane while the service keeps up, otherwise the express lane. Null: the system default.':
    '`workflow`: все попытки делает workflow. `express`: первая попытка делается без workflow. `auto`: с workflow, пока сервис успевает, иначе как при express. Null — системное значение по умолчанию.',
  'Headers of your own on every attempt, for example `Authorization`. Values are stored encrypted and shown as `***`. A change replaces all of them; `***` keeps a stored value.':
    'Ваши заголовки для каждой попытки, например `Authorization`. Значения хранятся зашифрованными и показываются как `***`. При изменении заменяются все; `***` оставляет сохранённое значение.',
  'Why Herald disabled the endpoint, or null. `gone`: it returned 410. `failing`: every attempt failed for 120 hours.':
    'Почему Herald отключил эндпоинт, или null. `gone`: он вернул 410. `failing`: все попытки за 120 часов не удались.',
  '`gone`: it returned 410. `failing`: every attempt failed for 120 hours.':
    '`gone`: он вернул 410. `failing`: все попытки за 120 часов не удались.',
  'Headers of your own; every value is shown as `***`.':
    'Ваши заголовки; все значения показываются как `***`.',
  '`failing`: no success since `failing_since`, which a change of the URL or of `status` ends. Otherwise `healthy` with a success in the last 24 hours, `idle` without one.':
    '`failing`: с `failing_since` не было ни одного успеха; изменение URL или `status` это сбрасывает. Иначе `healthy`, если за последние 24 часа был успех, и `idle`, если не было.',
  'Share of the attempts of the last 24 hours that succeeded; null without an attempt.':
    'Доля удачных попыток за последние 24 часа; null, если попыток не было.',
  'When the last attempt ended, successful or not; null before the first.':
    'Когда закончилась последняя попытка, удачная или нет; до первой null.',
  'Secrets that sign now, newest first. A replaced one has an `expires_at`.':
    'Действующие секреты подписи, сначала новые. У заменённого есть `expires_at`.',
  'Signs the deliveries. Returned only once: null in a repeated response.':
    'Секрет для подписи доставок. Возвращается один раз: в повторном ответе null.',
  'How many hours, up to the present one.': 'За сколько часов, включая текущий.',
  'How long the next delivery has waited for Herald, not for its receiver. If it stays above a few seconds, deliveries wait for Temporal, which serves logins first: an endpoint with the `delivery_lane` `auto` does not wait for it.':
    'Сколько следующая доставка ждёт Herald, а не получателя. Если это дольше нескольких секунд, доставки ждут Temporal, который сначала обслуживает входы; эндпоинт, у которого `delivery_lane` — `auto`, его не ждёт.',
  'One for each hour (UTC), oldest first. Attempts are counted in the hour in which they began.':
    'По одному на каждый час (UTC), сначала старые. Попытка относится к часу, в котором началась.',
  'The beginning of the hour.': 'Начало часа.',
  'Estimated from a histogram; null without an attempt.':
    'Оценка по гистограмме; null, если попыток не было.',
  'Null removes it.': 'Null удаляет его.',
  'How many endpoints the event is sent to.': 'Скольким эндпоинтам отправлено событие.',
  'As the schema of the event says; sent as given.': 'По схеме события; отправляются без изменений.',
  'The publisher’s own id. The same id within 30 days is a duplicate and has no effect.':
    'Id, который назначает отправитель. Тот же id в течение 30 дней — повтор и ничего не делает.',

  // Deliveries
  'Only deliveries created at or after this time.': 'Только доставки, созданные в это время или позже.',
  'Also the X-Service-Delivery-Id of every attempt.': 'Он же X-Service-Delivery-Id каждой попытки.',
  'The URL of the endpoint as it is now, or as it was when it was deleted.':
    'URL эндпоинта: текущий, а если эндпоинт удалён — последний.',
  'A test event: its attempts carry `X-Service-Test: true`.':
    'Тестовое событие: в его попытках есть `X-Service-Test: true`.',
  'How it began; null until then.': 'Как она началась; до начала null.',
  'Its workflow in Temporal; null for one that needed none.':
    'Её workflow в Temporal; null, если он не понадобился.',
  'Null while an attempt is in flight and after the delivery has ended.':
    'Null во время попытки и после окончания доставки.',
  'Why it ended: `delivered`, `refused_by_receiver` (a 4xx that is not retried), `schedule_used_up`, `cancelled` (by request), `endpoint_removed`, `parked_too_long` (the endpoint was disabled for 14 days). Null while it is open.':
    'Чем закончилась: `delivered`, `refused_by_receiver` (статус 4xx, который не повторяют), `schedule_used_up`, `cancelled` (по запросу), `endpoint_removed`, `parked_too_long` (эндпоинт был отключён 14 дней). Null, пока не закончилась.',
  'A delivery id, an event id, or text in a body of the last 7 days. Case is ignored. Text that begins inside a word is found only if no event has it at the beginning of one. It is searched in the newest 20,000 events, and so is text that is very frequent.':
    'Id доставки, id события или текст из тела за последние 7 дней. Регистр не важен. Текст из середины слова находится, только если ни в одном событии с него не начинается слово. Ищется он в 20 000 самых новых событий; так же и текст, который встречается очень часто.',
  'Ids of deliveries; one that is given twice is retried once.':
    'Id доставок; указанная дважды повторяется один раз.',
  '`conflict`: the endpoint is disabled or deleted.': '`conflict`: эндпоинт отключён или удалён.',
  'The exact text that every attempt sends and signs.':
    'Точный текст, который отправляет и подписывает каждая попытка.',
  'Null while the attempt is in flight.': 'Null, пока попытка идёт.',
  'HTTP status of the response; null without a complete response.':
    'HTTP-статус ответа; null, если ответ не пришёл целиком.',
  'Kind of failure: dns, refused, timeout, tls…': 'Вид ошибки: dns, refused, timeout, tls…',
  "As sent; values of the endpoint's own headers are shown as `***`. Null while the attempt is in flight, when its process died, and when nothing was sent (no address, no connection, TLS failed).":
    'Как отправлены; значения собственных заголовков эндпоинта показаны как `***`. Null, пока попытка идёт, если её процесс упал и если ничего не отправлено (нет адреса, нет соединения, ошибка TLS).',
  'The first 16 KiB.': 'Первые 16 КиБ.',
  'At most 14 days back.': 'Не раньше чем 14 дней назад.',

  // Project
  'Where users return to after a login.': 'Куда пользователи возвращаются после входа.',
  'Other URLs that a session can use as its redirect_uri.':
    'Другие URL, которые можно указать в redirect_uri сессии.',
  'Default retry policy of new endpoints.': 'Повторы для новых эндпоинтов по умолчанию.',
  'Welcome message in English: the bot adds it after a login or a new subscription.':
    'Приветствие по-английски: бот добавляет его после входа или новой подписки.',
  'Welcome message in Russian.': 'Приветствие по-русски.',
  'Time zone of local times, such as Europe/Berlin.':
    'Часовой пояс для местного времени, например Europe/Berlin.',
  'How the hosted login page looks.': 'Как выглядит страница входа Herald.',
  'Where the logo was fetched from; null if it was uploaded. Herald serves its own copy.':
    'Откуда взят логотип; null, если его загрузили. Herald отдаёт свою копию.',
  'For the dashboard: path of that copy on this server; a new logo has a new path.':
    'Для панели: путь к этой копии на сервере; у нового логотипа новый путь.',
  'Colour of the buttons on the hosted login page: #rrggbb.':
    'Цвет кнопок на странице входа Herald: #rrggbb.',
  'Privacy policy, linked on the hosted login page.':
    'Политика конфиденциальности; ссылка на неё есть на странице входа Herald.',
  'Absent fields do not change; null clears a field.':
    'Поля, которых нет в запросе, не меняются; null очищает поле.',
  'A PNG, JPEG or WebP image of up to 100 KiB. It is fetched once, now; send the URL again to fetch it again.':
    'Картинка PNG, JPEG или WebP до 100 КиБ. Скачивается один раз, сразу; чтобы скачать снова, отправьте URL ещё раз.',
  'The calendar month in UTC: YYYY-MM.': 'Календарный месяц по UTC: YYYY-MM.',
  'Successful logins in this month.': 'Успешные входы за этот месяц.',
  'Logins included in the plan per month.': 'Сколько входов в месяц входит в тариф.',
  'Logins left in purchased credit packs.': 'Сколько входов осталось в купленных пакетах кредитов.',
  'End of this month’s grace period; null if it has not started.':
    'Конец льготного периода этого месяца; null, если он не начинался.',
  'Whether paid operations are rejected.': 'Отклоняются ли платные операции.',
  'Logins that the plan has paid for, in each of the last 12 months with any, newest first.':
    'Входы, которые покрыл тариф, за каждый из последних 12 месяцев, где они были; сначала новые.',
  'Successful logins per day in the last 30 days (UTC), oldest first.':
    'Успешные входы по дням за последние 30 дней (UTC), сначала старые.',
  'To a new subscriber.': 'Новому подписчику.',
  'When your own bot is opened without a link.': 'Когда вашего собственного бота открывают без ссылки.',
  'What the bot’s question becomes after Yes.': 'Во что превращается вопрос бота после «Да».',

  // API keys
  'The first characters of the key.': 'Первые символы ключа.',
  'Whether this request uses the key.': 'С этим ли ключом сделан запрос.',
  'What the key may do.': 'Что можно делать с ключом.',
  'Accurate to the minute.': 'С точностью до минуты.',
  'What the key may do, never more than the caller may. Default: all that the caller may, but `publish`.':
    'Что можно делать с ключом; не больше, чем может вызывающий. По умолчанию всё, что может вызывающий, кроме `publish`.',
  'The key itself. Returned only once: null in a repeated response.':
    'Сам ключ. Возвращается один раз: в повторном ответе null.',

  // Channels
  'The bot that the project’s links lead to; null if the channel is off.':
    'Бот, на которого ведут ссылки проекта; null, если канал выключен.',
  'Whether the bot is the project’s own.': 'Собственный ли это бот проекта.',
  '`away`: the messenger does not respond, or refuses the bot’s token (revoked, or the bot is banned); `error` has its words. `off`: the channel has no bot.':
    '`away`: мессенджер не отвечает или не принимает токен бота (токен отозван или бот заблокирован); слова мессенджера — в `error`. `off`: у канала нет бота.',
  'What the messenger said, for an own bot that is not connected.':
    'Что сказал мессенджер, если собственный бот не подключён.',
  'The token that the messenger gave the bot. It is stored encrypted and never returned.':
    'Токен, который мессенджер выдал боту. Хранится зашифрованным и никогда не возвращается.',

  // Team
  'The messenger that the member signs in with.': 'Мессенджер, через который входит участник.',
  'What the bot tells the member. Failing endpoints and credits: all but `none`.':
    'О чём бот пишет участнику. О сбоях эндпоинтов и о кредитах — всегда, кроме `none`.',
  'A note: who it is for.': 'Заметка: для кого приглашение.',
  'The id of a member or key, or a type of actor.': 'Id участника или ключа либо тип автора изменения.',
  '`cli` is the operator’s command line, `system` is Herald itself.':
    '`cli` — командная строка оператора, `system` — сам Herald.',
  'The member or the API key.': 'Участник или ключ API.',
  'For example `webhook.updated`.': 'Например, `webhook.updated`.',
  'What was changed: its id, the name of a tag or permission, the key of a template, or the messenger of a bot.':
    'Что изменили: id, название тега или разрешения, ключ шаблона или мессенджер бота.',
  'Its name at that time; of an endpoint, its host.': 'Название на тот момент; у эндпоинта — его хост.',
  'Settings of the project and of endpoints before and after. Never secrets or texts.':
    'Настройки проекта и эндпоинтов до и после. Секретов и текстов здесь не бывает.',

  // Dashboard
  'The current project; null if the account is in no team.':
    'Текущий проект; null, если учётная запись не состоит ни в одной команде.',
  'The API key of the sign-in; null if an account has signed in.':
    'Ключ API, с которым вошли; null, если вошли через учётную запись.',
  'Null if the sign-in was by API key.': 'Null, если вошли с ключом API.',
  'The role in the current project; null if the sign-in was by API key.':
    'Роль в текущем проекте; null, если вошли с ключом API.',
  'What the bot tells this member about the current project; null if the sign-in was by API key.':
    'О чём бот пишет этому участнику по текущему проекту; null, если вошли с ключом API.',
  'What the caller may do in the current project.': 'Что можно вызывающему в текущем проекте.',
  'The projects of the account, by name.': 'Проекты учётной записи, по названию.',
  'Whether an account can create a project.': 'Может ли учётная запись создать проект.',
  'URL of the namespace in the Temporal UI, or null.': 'URL пространства имён в Temporal UI или null.',
  'Whether this request uses the session.': 'С этим ли входом сделан запрос.',
  'The bot shows the same code.': 'Бот показывает такой же код.',
  'Seconds until the login expires.': 'Через сколько секунд истечёт вход.',
  'Its name.': 'Название.',
  'SVG.': 'SVG.',
  'Where a bot’s token comes from.': 'Где взять токен бота.',
};
