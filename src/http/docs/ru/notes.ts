/** What the reference says about an operation below its summary, by the English text of the route. */
export const russianNotes: Readonly<Record<string, string>> = {
  // Login
  '`configured` is false until the project has a callback URL; until then the bot replies that login is not set up.':
    '`configured` — false, пока у проекта нет callback URL; до тех пор бот отвечает, что вход не настроен.',
  'Show the user one of the links, the hosted page or the QR code, then poll the status.':
    'Покажите пользователю одну из ссылок, страницу входа Herald или QR-код, а затем запрашивайте статус.',
  'With `wait` the response is held until the user answers, for at most that many seconds.':
    'С `wait` ответ приходит, когда пользователь ответит, но не позже чем через столько секунд.',
  'A pending session becomes `expired`, and the bot’s message says so.':
    'Ожидающая сессия становится `expired`, и сообщение бота говорит об этом.',
  'Returns the user. A code works once, within 300 seconds, and only for its own project.':
    'Возвращает пользователя. Код срабатывает один раз, в течение 300 секунд и только для своего проекта.',
  'Sessions created through the API, logins by the static link and by OpenID Connect, and approvals, newest first, without codes.':
    'Сессии, созданные через API, входы по постоянной ссылке и через OpenID Connect и подтверждения; сначала новые, без кодов.',
  'An entry of the list of logins, without its code.': 'Запись из списка входов, без кода.',
  'Logins of every flow, without approvals. A step counts on the day (UTC) on which it happens. A confirmed login whose code is not redeemed stays confirmed.':
    'Входы всех видов, кроме подтверждений. Шаг считается в тот день (UTC), когда он произошёл. Подтверждённый вход, код которого не обменяли, остаётся подтверждённым.',

  // Deliveries
  'The list with its filters as CSV (RFC 4180), newest first; the header row names the fields, lists are joined by `|`. A cell that a spreadsheet would take for a formula has an apostrophe before it. One export at a time; not in the free plan.':
    'Список с теми же фильтрами в CSV (RFC 4180), сначала новые; в первой строке — названия полей, массивы соединены знаком `|`. Перед ячейкой, которую таблица приняла бы за формулу, стоит апостроф. Одновременно — одна выгрузка; на бесплатном тарифе недоступно.',
  'With `event`, a page of a long log can have fewer entries than requested, or none: continue while `next_cursor` is not null.':
    'С `event` на странице длинного журнала может быть меньше записей, чем запрошено, или ни одной: продолжайте, пока `next_cursor` не null.',
  'Deliveries of deleted endpoints are included. With `event`, a page of a long log can have fewer entries than requested, or none: continue while `next_cursor` is not null.':
    'Включая доставки удалённых эндпоинтов. С `event` на странице длинного журнала может быть меньше записей, чем запрошено, или ни одной: продолжайте, пока `next_cursor` не null.',
  'As retrying each of them; those that cannot be retried are listed with the reason.':
    'Как если повторить каждую по отдельности; те, что повторить нельзя, перечислены с причиной.',
  'Makes an attempt now. A pending delivery then continues its schedule; an ended one is sent again with the same delivery id.':
    'Делает попытку сейчас. Ожидающая доставка затем продолжает своё расписание; законченная отправляется снова с тем же id доставки.',

  // Approvals
  'The bot sends your message with the match code and the buttons Yes and No. With an external_id all its active subscribers are asked, and the first answer counts. An approval costs one credit, as a login does.':
    'Бот отправляет ваше сообщение с кодом для сверки и кнопками «Да» и «Нет». С external_id вопрос получают все его активные подписчики, и засчитывается первый ответ. Подтверждение стоит один кредит, как вход.',
  'With `wait` the response is held until the subscriber answers, for at most that many seconds.':
    'С `wait` ответ приходит, когда подписчик ответит, но не позже чем через столько секунд.',
  'A pending request becomes `expired`, and the bot’s message says so.':
    'Ожидающий запрос становится `expired`, и сообщение бота говорит об этом.',

  // Hosted login page
  'Only the browser that opened the page first receives the code.':
    'Код получает только тот браузер, который открыл страницу первым.',

  // OpenID Connect
  'A project can have up to 10. The secret is returned only once.':
    'В проекте может быть до 10 клиентов. Секрет возвращается только один раз.',
  'Fields that are absent stay as they are. Logins that have begun keep their redirect URI.':
    'Поля, которых нет в запросе, не меняются. Начатые входы сохраняют свой redirect URI.',
  'Its logins and tokens stop working immediately.': 'Его входы и токены сразу перестают работать.',
  'The secret is returned only once. The old one is valid for 24 more hours. A public client has none (409).':
    'Секрет возвращается только один раз. Прежний действует ещё 24 часа. У публичного клиента секрета нет (409).',

  // Subscribers
  'As updating each of them: an added tag can start drip chains. Ids that match no subscriber are listed; the others are changed together. A project can have up to 20 different tags; with more, none is changed.':
    'Как если изменить каждого по отдельности: добавленный тег может начать цепочку. Id, для которых нет подписчика, перечислены в ответе; остальные меняются вместе. В проекте может быть до 20 разных тегов; если получится больше, не изменится ни один подписчик.',
  'Each given field (external_id, tags, permissions, timezone) replaces the old value; null removes the external_id and the timezone. Properties are merged: null removes one. A project can have up to 20 different tags and 20 different permissions.':
    'Каждое указанное поле (external_id, tags, permissions, timezone) заменяет прежнее значение; null убирает external_id и timezone. Свойства объединяются: null удаляет свойство. В проекте может быть до 20 разных тегов и 20 разных разрешений.',
  'A JSON object with the subscriber and a list for each kind of record: logins, messages, broadcasts, one-time codes, button clicks, events. For requests of people about their data. The rows show what is stored; only the names of the lists are stable.':
    'Объект JSON с подписчиком и списком для каждого вида записей: входы, сообщения, рассылки, одноразовые коды, нажатия кнопок, события. Для запросов людей об их данных. Строки показывают то, что хранится: неизменны только названия списков.',
  'Also removes everything held about them: messages, one-time codes, names and addresses in logins, events with their deliveries. Open deliveries, including `subscription.deleted`, are still made, and removed when they have ended. They can subscribe again as a new subscriber.':
    'Удаляет и всё, что о нём хранится: сообщения, одноразовые коды, имена и адреса во входах, события с их доставками. Незаконченные доставки, в том числе `subscription.deleted`, ещё выполняются и удаляются после окончания. Человек может подписаться снова — как новый подписчик.',
  'Changes subscribers, never creates any: only a person’s own act does. Rows are applied one after another; those that fail are listed and do not stop the others.':
    'Меняет подписчиков, но никогда не создаёт: подписаться может только сам человек. Строки применяются одна за другой; строки с ошибками перечислены в отчёте и не мешают остальным.',
  'Rows that have been applied stay applied; the others are not.':
    'Уже применённые строки остаются, остальные применены не будут.',

  // Subscribe links
  'Opening a link subscribes the user to the project.': 'Кто откроет ссылку, подпишется на проект.',
  'Opening it subscribes the user and gives them its tags, permissions and external_id. A link with an external_id works once.':
    'Кто её откроет, подпишется и получит её теги, разрешения и external_id. Ссылка с external_id срабатывает один раз.',
  'Its addresses are null for a caller without the scope `manage`.':
    'Без права `manage` вместо адресов приходит null.',
  'The link stops working. Its subscribers stay.': 'Ссылка перестаёт работать. Её подписчики остаются.',

  // Tags and permissions
  'A tag also comes into being when a subscriber or a link gets it.':
    'Тег появляется и сам, когда его получает подписчик или ссылка.',
  'A new name replaces the old one on all its subscribers, a thousand at a time if there are more. No event is emitted.':
    'Новое название заменяет прежнее у всех подписчиков; если их больше тысячи — по тысяче за раз. Событий об этом нет.',
  'Also removes it from all subscribers, a thousand at a time if there are more. No event is emitted.':
    'Убирает и у всех подписчиков; если их больше тысячи — по тысяче за раз. Событий об этом нет.',
  'Permissions with a title are offered in the Mini App.':
    'Разрешения с заголовком предлагаются в мини-приложении.',

  // Mini App
  '`start` is the start parameter of the Mini App: `proj_…` or `l_…`.':
    '`start` — стартовый параметр мини-приложения: `proj_…` или `l_…`.',
  'The bot sends its usual confirmation; if the messenger refuses it, nothing is stored. Chosen permissions are added, never removed.':
    'Бот отправляет обычное подтверждение; если мессенджер его не принял, ничего не сохраняется. Выбранные разрешения добавляются, но никогда не убираются.',

  // Messages
  'To one subscriber by subscriber_id, or to every subscriber with an external_id. A message that the messenger rejects is a result, not an error: see `details`. A message waits for its turn for up to 10 seconds (a chat gets one message per second); then it is `failed` with the reason `rate_limited`. With an Idempotency-Key, repeated requests return the first response for 24 hours.':
    'Одному подписчику по subscriber_id или всем подписчикам с одним external_id. Сообщение, которое отклонил мессенджер, — это результат, а не ошибка: см. `details`. Сообщение ждёт своей очереди до 10 секунд (в один чат — одно сообщение в секунду), потом оно `failed` с причиной `rate_limited`. С Idempotency-Key повторные запросы в течение 24 часов возвращают первый ответ.',
  'Single messages, one-time codes and messages of batches, broadcasts and chains, newest first: of the project, or those that match the filters.':
    'Отдельные сообщения, одноразовые коды и сообщения пакетов, рассылок и цепочек, сначала новые: все в проекте или подходящие под фильтры.',
  'Single messages and one-time codes of the last hours, and all messages of the broadcasts created in them.':
    'Отдельные сообщения и одноразовые коды за последние часы и все сообщения рассылок, созданных за это время.',
  'The message as it was sent, its status and the reason of a failure.':
    'Сообщение, как оно отправлено, его статус и причина, если не доставлено.',

  // Templates
  'A text in one or two languages with placeholders: `{{name}}`, or `{{name|fallback}}` for when the value is empty. Messages name it by its key. A project can have up to 100.':
    'Текст на одном или двух языках с подстановками: `{{name}}` или `{{name|fallback}}` на случай, если значение пустое. В сообщениях шаблон указывают по ключу. В проекте может быть до 100 шаблонов.',
  'Renders a saved template, or one that is not saved yet, as its recipient would see it. Nothing is sent or stored.':
    'Показывает шаблон, сохранённый или ещё нет, таким, каким его увидит получатель. Ничего не отправляется и не сохраняется.',
  'Replaces everything but the key and raises `version`. Messages, batches and broadcasts that were accepted before keep the version that they were accepted with.':
    'Заменяет всё, кроме ключа, и увеличивает `version`. Сообщения, пакеты и рассылки, принятые раньше, сохраняют ту версию, с которой были приняты.',
  'Refused while an open scheduled or recurring message or a drip chain uses it.':
    'Нельзя, пока шаблон нужен незавершённому отложенному сообщению, регулярной рассылке или цепочке.',

  // Batches
  'Up to 1000 different messages in one request, which counts once towards the rate limit. A malformed message refuses the whole batch; a recipient who does not exist is a result. `batch.completed` is emitted at the end.':
    'До 1000 разных сообщений в одном запросе, который для лимита считается одним. Из-за неправильно составленного сообщения отклоняется весь пакет; получатель, которого нет, — это результат. В конце приходит `batch.completed`.',
  'One for each message and subscriber, in the order of the request.':
    'По одному на каждое сообщение и подписчика, в порядке запроса.',
  'What became of its messages, taps on their buttons and unsubscribes.':
    'Что стало с сообщениями, нажатия их кнопок и отписки.',
  'Messages that were not sent yet are skipped.': 'Сообщения, которые ещё не отправлены, пропускаются.',

  // Broadcasts
  'Sends a message to the subscribers who match the filters now, at most 100,000 active ones. Inactive subscribers, and those who unsubscribe before their turn, are skipped. `dry_run` only counts.':
    'Отправляет сообщение подписчикам, которые сейчас подходят под фильтры, — не больше чем 100 000 активных. Неактивные и те, кто отпишется раньше своей очереди, пропускаются. `dry_run` только считает.',
  'One for each recipient, newest first; `queued` ones come last. Subscribers who were inactive when the broadcast was created are `skipped`, `unsubscribed`.':
    'По одному на каждого получателя, сначала новые; `queued` — в конце. Подписчики, которые были неактивны при создании рассылки, — `skipped`, `unsubscribed`.',
  'What became of its messages, taps on its buttons and unsubscribes. Subscribers who were inactive when it was created count as skipped, `unsubscribed`.':
    'Что стало с сообщениями, нажатия кнопок и отписки. Подписчики, которые были неактивны при создании, считаются пропущенными, `unsubscribed`.',
  'Starts a new broadcast of the same content to the recipients that failed and are still subscribers. Only for one that has ended, and once; those who fail again are retried with the new one. A failure with the reason `unknown` may have arrived.':
    'Начинает новую рассылку с тем же содержанием для получателей, которым не удалось доставить и которые ещё подписаны. Только для законченной рассылки и один раз; кому не удалось снова, тем повторяют уже новую. Сообщение с причиной `unknown` могло и дойти.',
  'Stops sending. The status is `cancelling` while messages in flight finish, then `cancelled`. Subscribers not reached count as skipped.':
    'Останавливает отправку. Пока уходят уже начатые сообщения, статус — `cancelling`, потом `cancelled`. Подписчики, до которых не дошла очередь, считаются пропущенными.',

  // Scheduled messages
  'Sends a message to a subscriber, or a broadcast to an audience, at a time. The audience and the template are those of that time. After an outage it is sent up to 24 hours late. Open scheduled and recurring messages and drip chains are limited together.':
    'Отправляет в заданное время сообщение подписчику или рассылку по аудитории. Аудитория и шаблон — какими они будут в это время. После сбоя отправляется с опозданием не больше 24 часов. У незавершённых отложенных сообщений, регулярных рассылок и цепочек общий лимит.',
  'Everything but the kind of recipient, while its status is `scheduled`.':
    'Всё, кроме вида получателя, пока статус — `scheduled`.',
  '200 means that nothing was sent and nothing will be. Once it is being sent, 409; cancel the broadcast of an audience by its `job_id`.':
    '200 значит, что ничего не отправлено и не будет. Если отправка началась — 409; рассылку по аудитории отмените по её `job_id`.',

  // Recurring messages
  'A broadcast that repeats by a cron expression of five fields, in a time zone. The audience is computed for each run, with the current version of the template. A run is skipped while the previous one is still sending, or when it is over an hour late.':
    'Рассылка, которая повторяется по выражению cron из пяти полей в заданном часовом поясе. Аудитория собирается при каждом запуске, шаблон берётся в текущей версии. Запуск пропускается, если прошлый ещё отправляется или если он опоздал больше чем на час.',
  'No further run starts. A broadcast that is under way goes on; cancel it by its `job_id`.':
    'Новых запусков не будет. Рассылка, которая уже идёт, продолжается; отмените её по её `job_id`.',
  'Also while it is paused. See its runs for the result.': 'Можно и на паузе. Результат — в списке запусков.',
  'Leaves out the next occurrence, or the named one.': 'Пропускает ближайший запуск или указанный.',

  // Drip chains
  'Steps for one subscriber over time: messages, waits, conditions. A trigger enrols subscribers into an active chain. Chains count towards the limit of open scheduled and recurring messages.':
    'Шаги для одного подписчика, растянутые во времени: сообщения, паузы, условия. Триггер добавляет подписчиков в активную цепочку. Цепочки входят в общий лимит с отложенными сообщениями и регулярными рассылками.',
  'Chains can be long: a page with more than 1 MiB of steps ends early, with a `next_cursor`.':
    'Цепочки бывают длинными: страница, на которой больше 1 МиБ шагов, заканчивается раньше — с `next_cursor`.',
  'Changing trigger, steps or exit_on raises the version. Active enrolments keep the version that they began with, unless `migrate` is true.':
    'Изменение trigger, steps или exit_on увеличивает версию. Активные участники идут по той версии, с которой начали, если не указать `migrate`: true.',
  'Its active enrolments are cancelled.': 'Участие всех, кто ещё в цепочке, отменяется.',
  'Enrols the subscriber, or each subscriber with the external_id, who can enter the chain; if none can, 409.':
    'Добавляет подписчика или всех подписчиков с этим external_id, кто может войти в цепочку; если не может никто — 409.',
  'The subscriber gets nothing more of the chain. No `drip.completed` follows.':
    'Подписчик больше ничего не получит из цепочки. События `drip.completed` не будет.',
  'Active enrolments, and those that ended within the retention period. Without `version`: all versions, with the steps of the newest.':
    'Активные участники и те, кто закончил в пределах срока хранения. Без `version`: все версии, с шагами последней.',

  // Forms
  'Answers come from your site (`submit_url`), from a page of Herald (`hosted_url`) or from the bot. Routes say what follows from a submission; `form.submitted` is sent in any case.':
    'Ответы приходят с вашего сайта (`submit_url`), со страницы Herald (`hosted_url`) или из бота. Маршруты говорят, что делать с отправкой; `form.submitted` приходит в любом случае.',
  'What is not given gets its default. The secret of the captcha stays if it is not given and the host of `verify_url` is the same.':
    'Что не указано, получает значение по умолчанию. Секрет капчи остаётся, если его не указать и хост в `verify_url` тот же.',
  'Its submissions are deleted with it.': 'Её отправки удаляются вместе с ней.',
  'Signed, for 7 days: what is submitted through it are the answers of this subscriber.':
    'Подписана и действует 7 дней: всё, что по ней отправят, — ответы этого подписчика.',
  'Out of it, its event is sent and its routes run, unless they have before.':
    'Когда отправку возвращают из спама, приходит её событие и срабатывают её маршруты, если этого ещё не было.',
  'Routes that have not run do not run.': 'Маршруты, которые ещё не сработали, не сработают.',
  'For a site that builds the form itself. With `min_seconds` the token is needed in the submission.':
    'Для сайта, который строит форму сам. С `min_seconds` при отправке нужен токен.',
  'From a site of the form’s `allowed_origins`, in JSON or as a plain HTML form, which is sent on to `redirect_url` or to a page that says thanks (303). 30 per minute and form, 5 per address. A submission that looks like spam gets the same response and is kept in the spam folder.':
    'С сайта из `allowed_origins` формы, в JSON или обычной формой HTML — тогда браузер переходит на `redirect_url` или на страницу с благодарностью (303). 30 в минуту на форму, 5 с одного адреса. Отправка, похожая на спам, получает такой же ответ и попадает в спам.',

  // Tracked events
  'What your users did, up to 100 events in one commit, for at most 1,000 subscribers together. Each one is sent to webhooks as event.tracked, once for each subscriber that it names. A subscriber who is not known is a result and does not refuse the others.':
    'Что сделали ваши пользователи: до 100 событий одной транзакцией, вместе не больше чем для 1 000 подписчиков. Каждое уходит на вебхуки как event.tracked, по разу на каждого названного подписчика. Неизвестный подписчик — это результат, он не мешает остальным.',
  'One entry for each subscriber of an event, in the order in which they were received, newest first.':
    'По записи на каждого подписчика события, в порядке получения, сначала новые.',

  // Helpdesk
  'Due times are those of the settings when a ticket is created. While the helpdesk is enabled, `ticket.*` cannot be published.':
    'Сроки обращения — по настройкам на момент его создания. Пока поддержка включена, публиковать `ticket.*` нельзя.',
  'They open the bot, which subscribes the customer and asks what it is about.':
    'Они открывают бота, который подписывает клиента и спрашивает, о чём обращение.',
  'A button of the bot. It sets the priority and the assignee of its tickets. At most 9.':
    'Кнопка бота. Задаёт приоритет и ответственного для своих обращений. Не больше 9.',
  'Its tickets stay, without a type.': 'Его обращения остаются, без типа.',
  'What a customer has written elsewhere: of a subscriber, or of a customer without one, who is not reached through the bot.':
    'Что клиент написал в другом месте: подписчик или клиент без подписки, которому через бота не ответить.',
  'Assigning a new ticket takes it up (`in_progress`). A type sets priority and assignee, unless they are given.':
    'Новое обращение, которому назначили ответственного, считается взятым в работу (`in_progress`). Тип задаёт приоритет и ответственного, если они не указаны.',
  'Messages of both sides, internal notes and changes, newest first.':
    'Сообщения обеих сторон, внутренние заметки и изменения, сначала новые.',
  'A public message is sent to the customer, also after /stop, with the project and the ticket’s number above it, and sets `waiting`. What the messenger refuses is in `delivery`. Canned replies are templates of purpose `reply`. A message waits for its turn for up to 10 seconds.':
    'Сообщение, видимое клиенту, отправляется ему и после /stop, с названием проекта и номером обращения сверху, и ставит `waiting`. Если мессенджер его не принял, причина — в `delivery`. Готовые ответы — это шаблоны с назначением `reply`. Сообщение ждёт своей очереди до 10 секунд.',
  'The members of the team, by name: those whom tickets can be assigned to.':
    'Участники команды, по имени: те, кого можно назначить ответственными.',
  'Streamed from the messenger, which keeps the file; up to 20 MB. Always to be saved, never shown in the browser.':
    'Передаётся прямо из мессенджера, где файл и хранится; до 20 МБ. Всегда для сохранения, никогда для показа в браузере.',

  // One-time codes
  'A new code replaces the active code with the same purpose. A subscriber can receive up to 3 codes per hour. If the messenger is unavailable, the code does not count and the request can be retried.':
    'Новый код заменяет действующий код с той же целью. Подписчик может получить до 3 кодов в час. Если мессенджер недоступен, код не считается и запрос можно повторить.',
  'A wrong code returns `invalid_code` and uses an attempt. Without an active code, or with no attempts left, it returns `not_found`.':
    'На неверный код ответ — `invalid_code`, и попытка израсходована. Если действующего кода нет или попытки закончились, ответ — `not_found`.',

  // Webhooks
  'Every event of the project as it happens, as server-sent events; `data` is JSON with `event_id`, `event`, `test`, `created_at` and `body`, the text that endpoints get. `Last-Event-ID` resumes within 60 minutes; where that is not possible, the stream begins with an event of the type `gap`. It is no endpoint and changes no deliveries. At most 20 streams of events and 20 of changes at once.':
    'Все события проекта, как только они происходят, в виде server-sent events; `data` — это JSON с `event_id`, `event`, `test`, `created_at` и `body` — текстом, который получают эндпоинты. `Last-Event-ID` продолжает поток в пределах 60 минут; если это невозможно, поток начинается с события типа `gap`. Это не эндпоинт, на доставки он не влияет. Одновременно — не больше 20 потоков событий и 20 потоков изменений.',
  'A project can have up to 5. The secret is returned only once.':
    'В проекте может быть до 5 эндпоинтов. Секрет возвращается только один раз.',
  'Tells which of the last 20 events of the project an endpoint with this filter would get. Nothing is stored.':
    'Показывает, какие из последних 20 событий проекта получил бы эндпоинт с таким фильтром. Ничего не сохраняется.',
  'Every field is optional. While an endpoint is disabled, its deliveries are paused; enabling it resumes them. A URL with another origin removes the stored `headers`, unless new ones are given with it.':
    'Все поля необязательны. Пока эндпоинт отключён, его доставки на паузе; после включения они продолжаются. URL с другим origin удаляет сохранённые `headers`, если вместе с ним не указаны новые.',
  'Pending deliveries are cancelled.': 'Ожидающие доставки отменяются.',
  'The old secret also signs for 24 hours.': 'Прежний секрет подписывает ещё 24 часа, вместе с новым.',
  'Sends the example of the event to every endpoint that subscribes to it, marked as a test; event streams receive it too.':
    'Отправляет пример события с пометкой «тест» каждому эндпоинту, который на него подписан; приходит он и в потоки событий.',
  'Sends the example of the event through the normal path, whatever events the endpoint subscribes to.':
    'Отправляет пример события обычным путём, на какие бы события ни был подписан эндпоинт.',
  'For parts of the platform that are not in Herald, such as a helpdesk: up to 100 events in one commit, delivered like all others. Needs a key with the scope `publish`, which only `herald key create <slug> --scopes publish` gives. Only ticket.* and form.submitted can be published. One invalid entry refuses the whole request.':
    'Для тех частей платформы, которых нет в Herald, например внешней поддержки: до 100 событий одной транзакцией, доставляются как все остальные. Нужен ключ с правом `publish`, которое даёт только `herald key create <slug> --scopes publish`. Публиковать можно только ticket.* и form.submitted. Из-за одной неверной записи отклоняется весь запрос.',
  'Every event that a webhook endpoint can subscribe to, with the JSON Schema of the whole body and an example.':
    'Все события, на которые может подписаться эндпоинт, с JSON Schema всего тела и примером.',

  // Project
  'Every field is optional. The operator sets the plan and the limits.':
    'Все поля необязательны. Тариф и лимиты задаёт оператор.',
  'The body is a PNG, JPEG or WebP image of up to 512 KiB and 2000 × 2000 pixels. It replaces a logo that was set by its URL; `brand.logo_url: null` in `PATCH /v1/project` removes it.':
    'Тело — картинка PNG, JPEG или WebP до 512 КиБ и до 2000 × 2000 пикселей. Она заменяет логотип, заданный по URL; удалить логотип можно через `brand.logo_url: null` в `PATCH /v1/project`.',
  'Plain texts with the placeholders of templates, such as `{{first_name|friend}}` and `{{project}}`. A given text replaces both of its languages; null, or a language without a text, restores the bot’s own. The bot adds how to stop its messages. Questions, codes and buttons stay as they are.':
    'Простые тексты с подстановками, как в шаблонах, например `{{first_name|friend}}` и `{{project}}`. Указанный текст заменяет оба своих языка; null или язык без текста возвращает собственный текст бота. Бот добавляет, как отказаться от сообщений. Вопросы, коды и кнопки не меняются.',

  // API keys
  'The key is returned only once. It never gets a scope that the caller lacks; only the operator grants `publish`. A project can have up to 50 active keys.':
    'Ключ возвращается только один раз. В нём не бывает прав, которых нет у вызывающего; `publish` даёт только оператор. В проекте может быть до 50 действующих ключей.',
  'The key stops working within a second. A key cannot revoke itself.':
    'Ключ перестаёт работать в течение секунды. Отозвать сам себя ключ не может.',

  // Channels
  'Each messenger with the bot that the project’s links lead to: its own, or the shared one.':
    'Каждый мессенджер с ботом, на которого ведут ссылки проекта: собственным или общим.',
  'Links, logins and messages use this bot from now on. It takes effect within seconds and replaces the bot that was connected before. Subscribers who came through the shared bot are still reached through it until they open the new one.':
    'С этого момента ссылки, входы и сообщения идут через этого бота. Это начинает действовать за несколько секунд и заменяет бота, подключённого раньше. Подписчикам, которые пришли через общего бота, сообщения приходят от него, пока они не откроют нового.',
  'The project uses the shared bot again. Subscribers whom only the removed bot could reach get no messages until they open the shared bot.':
    'Проект снова пользуется общим ботом. Подписчики, которым мог написать только отключённый бот, не получают сообщений, пока не откроют общего.',

  // Team
  'Takes effect within a second. Only an owner makes and changes owners, and the last owner stays. No role can be given or taken by a caller who lacks one of its scopes.':
    'Действует в течение секунды. Назначать и менять владельцев может только владелец, и последний владелец остаётся. Нельзя ни дать, ни отнять роль с правом, которого нет у вызывающего.',
  'Takes effect within a second. Only an owner removes owners, and the last one stays. A caller removes only members of whose role it has all scopes.':
    'Действует в течение секунды. Удалять владельцев может только владелец, и последний остаётся. Удалить участника может только тот, у кого есть все права его роли.',
  'Only a caller who could make the invitation withdraws it.':
    'Отозвать приглашение может только тот, кто может такое создать.',
  'The links of a role that the caller cannot give are null.':
    'Если роль приглашения вызывающий дать не может, вместо ссылок приходит null.',
  'Send the person one of the links. It works once, for 7 days: the bot asks whether they want to join. A role can only be given by a caller who has all of its scopes, the role of an owner only by an owner; the invitation is valid as long as the caller could make it.':
    'Отправьте человеку одну из ссылок. Она срабатывает один раз, в течение 7 дней: бот спросит, хочет ли он вступить в команду. Роль может дать только тот, у кого есть все её права, роль владельца — только владелец; приглашение действует, пока его автор может такое создать.',
  'Who changed what, newest first, for 365 days. Messages, codes, events and logins have logs of their own.':
    'Кто что изменил, сначала новые, за 365 дней. У сообщений, кодов, событий и входов свои журналы.',

  // Dashboard
  'Takes an API key and sets a cookie for 12 hours. For the dashboard’s own pages only.':
    'Принимает ключ API и ставит cookie на 12 часов. Только для страниц самой панели.',
  'Also for an account that is in no team.': 'И для учётной записи, которая не состоит ни в одной команде.',
  'For a member of any role, about the current project.': 'Для участника с любой ролью, по текущему проекту.',
  'The sign-ins of the account, also of one that is in no team, or of the API key.':
    'Входы учётной записи, даже если она не состоит ни в одной команде, или входы с ключом API.',
  'For an account, where the operator allows it (`HERALD_OPEN_SIGNUP`). It becomes the owner.':
    'Для учётной записи, если это разрешил оператор (`HERALD_OPEN_SIGNUP`). Она становится владельцем.',
  'Sets a cookie: only this browser is signed in. At most 10 an hour for each address.':
    'Ставит cookie: войдёт только этот браузер. Не больше 10 в час с одного адреса.',
  'For the browser that began it. `confirmed` sets the cookie of the session. With `wait` the response is held until the user answers.':
    'Для браузера, который начал вход. `confirmed` ставит cookie сессии. С `wait` ответ приходит, когда пользователь ответит.',
  'Names and icons, for the dashboard’s own pages.': 'Названия и иконки, для страниц самой панели.',

  // Health
  'Returns 503 with the names of the unavailable dependencies. `degraded`: a dependency is unavailable that the process can do without.':
    'Возвращает 503 с названиями недоступных зависимостей. `degraded`: недоступна зависимость, без которой процесс может обойтись.',
};
