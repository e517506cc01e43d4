import type { Language } from '../../contract/common';
import { KIB, limits, MIB, plans } from '../../contract/limits';

type Line = Record<Language, [name: string, value: string]>;

export interface LimitGroup {
  title: Record<Language, string>;
  lines: Line[];
}

const whole = (amount: number) => amount.toLocaleString('en');
const inRussian = (amount: number) => amount.toLocaleString('ru');

/** What the limits page says, in the order of the page; every number comes from the table that the code uses. */
export const limitGroups: LimitGroup[] = [
  {
    title: { en: 'Requests', ru: 'Запросы' },
    lines: [
      {
        en: [
          'Requests per project',
          `${whole(limits.requestsPerMinute)} per minute, then 429 with Retry-After`,
        ],
        ru: ['Запросы проекта', `${inRussian(limits.requestsPerMinute)} в минуту, затем 429 с Retry-After`],
      },
      {
        en: [
          'Request body',
          `${limits.requestBodyBytes / MIB} MiB; without an API key (Mini App, sign-in, OpenID Connect) ${limits.keylessBodyBytes / KIB} KiB`,
        ],
        ru: [
          'Тело запроса',
          `${limits.requestBodyBytes / MIB} МиБ; без ключа API (мини-приложение, вход в панель, OpenID Connect) — ${limits.keylessBodyBytes / KIB} КиБ`,
        ],
      },
      {
        en: [
          'JSON',
          `nested up to ${limits.json.depth} deep, up to ${whole(limits.json.fields)} fields in an object, up to ${whole(limits.json.values)} values`,
        ],
        ru: [
          'JSON',
          `вложенность до ${limits.json.depth}, до ${inRussian(limits.json.fields)} полей в объекте, до ${inRussian(limits.json.values)} значений`,
        ],
      },
      {
        en: [
          'Requests without an API key',
          `${whole(limits.addressRequestsPerMinute)} per minute per address (for IPv6: per /64 network)`,
        ],
        ru: [
          'Запросы без ключа API',
          `${inRussian(limits.addressRequestsPerMinute)} в минуту с адреса (IPv6 — с сети /64)`,
        ],
      },
      {
        en: [
          'Mini App, POST requests',
          `${limits.miniRequestsPerMinute} per minute per address (for IPv6: per /64 network)`,
        ],
        ru: [
          'Мини-приложение, запросы POST',
          `${limits.miniRequestsPerMinute} в минуту с адреса (IPv6 — с сети /64)`,
        ],
      },
      {
        en: ['URL length', `up to ${whole(limits.urlLength)} characters`],
        ru: ['Длина URL', `до ${inRussian(limits.urlLength)} символов`],
      },
      {
        en: ['Time zone', 'a name of the IANA database, such as Europe/Berlin'],
        ru: ['Часовой пояс', 'имя из базы IANA, например Europe/Moscow'],
      },
      {
        en: ['Items per page', `${limits.pageSize.default}, at most ${limits.pageSize.max}`],
        ru: ['Записей на странице', `${limits.pageSize.default}, не больше ${limits.pageSize.max}`],
      },
      {
        en: [
          'Idempotency-Key',
          `${limits.idempotencyKeyLength.min} to ${limits.idempotencyKeyLength.max} characters, valid for ${limits.idempotencyHours} hours`,
        ],
        ru: [
          'Idempotency-Key',
          `от ${limits.idempotencyKeyLength.min} до ${limits.idempotencyKeyLength.max} символов, действует ${limits.idempotencyHours} часа`,
        ],
      },
    ],
  },
  {
    title: { en: 'Login', ru: 'Вход' },
    lines: [
      {
        en: ['Sessions per project', `${limits.authSessionsPerHour} per hour (sliding window)`],
        ru: ['Сессии проекта', `${limits.authSessionsPerHour} в час (скользящее окно)`],
      },
      {
        en: ['Sessions per client_ip', `${limits.authSessionsPerAddressPerHour} per hour (sliding window)`],
        ru: ['Сессии с одного client_ip', `${limits.authSessionsPerAddressPerHour} в час (скользящее окно)`],
      },
      {
        en: ['Session lifetime', `${limits.authSessionTtlSeconds / 60} minutes`],
        ru: ['Срок сессии', `${limits.authSessionTtlSeconds / 60} минут`],
      },
      {
        en: ['Code lifetime', `${limits.authCodeTtlSeconds} seconds, single use`],
        ru: ['Срок кода', `${limits.authCodeTtlSeconds} секунд, срабатывает один раз`],
      },
      {
        en: ['Length of state', `1 to ${limits.authStateLength} characters`],
        ru: ['Длина state', `от 1 до ${limits.authStateLength} символов`],
      },
      {
        en: [
          'Polls per session',
          `at most one in ${limits.authPollSeconds} s; every ${limits.authPollRecommendedSeconds} to ${limits.authPollRecommendedMaxSeconds} s is recommended`,
        ],
        ru: [
          'Запросы статуса сессии',
          `не чаще одного в ${limits.authPollSeconds} с; лучше раз в ${limits.authPollRecommendedSeconds}–${limits.authPollRecommendedMaxSeconds} с`,
        ],
      },
      {
        en: ['Long poll', `up to ${limits.authPollWaitSeconds} s`],
        ru: ['Ожидание ответа (wait)', `до ${limits.authPollWaitSeconds} с`],
      },
      {
        en: [
          'Wrong codes',
          `${limits.authVerifyFailuresPerMinute} per minute, then 429; a valid code still succeeds`,
        ],
        ru: [
          'Неверные коды',
          `${limits.authVerifyFailuresPerMinute} в минуту, затем 429; верный код по-прежнему проходит`,
        ],
      },
      {
        en: [
          'Logo of the hosted page',
          `PNG, JPEG or WebP, up to ${whole(limits.logoPixels)} × ${whole(limits.logoPixels)} pixels; uploaded up to ${limits.uploadedLogoBytes / KIB} KiB, by its URL up to ${limits.logoBytes / KIB} KiB`,
        ],
        ru: [
          'Логотип страницы входа',
          `PNG, JPEG или WebP, до ${inRussian(limits.logoPixels)} × ${inRussian(limits.logoPixels)} пикселей; файлом до ${limits.uploadedLogoBytes / KIB} КиБ, по URL до ${limits.logoBytes / KIB} КиБ`,
        ],
      },
      {
        en: [
          'Approvals per subscriber',
          `${limits.authRequestsPending} pending, ${limits.authRequestsPerHour} per hour (sliding window)`,
        ],
        ru: [
          'Запросы подтверждения к подписчику',
          `${limits.authRequestsPending} без ответа, ${limits.authRequestsPerHour} в час (скользящее окно)`,
        ],
      },
      {
        en: [
          'Approval lifetime',
          `${limits.authRequestSeconds.default} seconds (${limits.authRequestSeconds.min} to ${limits.authRequestSeconds.max})`,
        ],
        ru: [
          'Срок запроса подтверждения',
          `${limits.authRequestSeconds.default} секунд (от ${limits.authRequestSeconds.min} до ${limits.authRequestSeconds.max})`,
        ],
      },
      {
        en: ['Message of an approval', `up to ${limits.authRequestMessageLength} characters on one line`],
        ru: ['Текст запроса подтверждения', `до ${limits.authRequestMessageLength} символов в одну строку`],
      },
      {
        en: ['Statistics', `the last ${limits.authStatsDays} days`],
        ru: ['Статистика', `за последние ${limits.authStatsDays} дней`],
      },
      {
        en: ['Static link openings', `${limits.authStaticOpeningsPerMinute} per minute per user`],
        ru: [
          'Переходы по постоянной ссылке',
          `${limits.authStaticOpeningsPerMinute} в минуту на пользователя`,
        ],
      },
    ],
  },
  {
    title: { en: 'OpenID Connect', ru: 'OpenID Connect' },
    lines: [
      {
        en: [
          'Clients',
          `${limits.oidcClients} per project, up to ${limits.oidcRedirectUris} redirect URIs each`,
        ],
        ru: [
          'Клиенты',
          `${limits.oidcClients} в проекте, до ${limits.oidcRedirectUris} redirect URI у каждого`,
        ],
      },
      {
        en: [
          'Logins per address',
          `${limits.oidcLoginsPerAddressPerHour} per hour (for IPv6: per /64 network) and project`,
        ],
        ru: [
          'Входы с одного адреса',
          `${limits.oidcLoginsPerAddressPerHour} в час в каждом проекте (IPv6 — с сети /64)`,
        ],
      },
      {
        en: [
          'Open logins',
          `${limits.keylessOpenSessionsPerSite} of each address (for IPv6: /48 network), then refused; ${whole(limits.keylessOpenSessions)} per project, above that the oldest that was not opened expires`,
        ],
        ru: [
          'Незавершённые входы',
          `${limits.keylessOpenSessionsPerSite} с одного адреса (IPv6 — с сети /48), дальше отказ; ${inRussian(limits.keylessOpenSessions)} в проекте, сверх того истекает самый старый из неоткрытых`,
        ],
      },
      {
        en: [
          'Token requests',
          `${whole(limits.oidcClientRequestsPerMinute)} per minute per client, ${limits.oidcGrantRequestsPerMinute} per grant; ${limits.oidcFailuresPerMinute} failed authentications per address`,
        ],
        ru: [
          'Запросы токенов',
          `${inRussian(limits.oidcClientRequestsPerMinute)} в минуту от клиента, ${limits.oidcGrantRequestsPerMinute} на один грант; ${limits.oidcFailuresPerMinute} неудачных аутентификаций с адреса`,
        ],
      },
      {
        en: ['Authorization code', `${limits.oidcCodeSeconds} seconds, single use`],
        ru: ['Код авторизации', `${limits.oidcCodeSeconds} секунд, срабатывает один раз`],
      },
      {
        en: ['Access token', `${limits.oidcAccessTokenHours} hour`],
        ru: ['Access token', `${limits.oidcAccessTokenHours} час`],
      },
      {
        en: ['Refresh token', `${limits.oidcRefreshTokenDays} days, replaced on use`],
        ru: ['Refresh token', `${limits.oidcRefreshTokenDays} дней, при использовании заменяется новым`],
      },
      {
        en: [
          'Device code',
          `${limits.oidcDeviceCodeMinutes} minutes, one poll in ${limits.oidcDevicePollSeconds} s`,
        ],
        ru: [
          'Код устройства',
          `${limits.oidcDeviceCodeMinutes} минут, один запрос в ${limits.oidcDevicePollSeconds} с`,
        ],
      },
      {
        en: [
          'Device codes',
          `${limits.oidcDeviceCodesPerHour} per hour per address; in ${limits.oidcDeviceCodeMinutes} minutes ${limits.oidcDeviceCodesPerSite} per address (for IPv6: /48 network) and ${whole(limits.oidcDeviceCodesPerClient)} per client`,
        ],
        ru: [
          'Коды устройств',
          `${limits.oidcDeviceCodesPerHour} в час с адреса; за ${limits.oidcDeviceCodeMinutes} минут ${limits.oidcDeviceCodesPerSite} с адреса (IPv6 — с сети /48) и ${inRussian(limits.oidcDeviceCodesPerClient)} на клиента`,
        ],
      },
      {
        en: ['Old secret after a rotation', `valid for ${limits.oidcSecretGraceHours} more hours`],
        ru: ['Старый секрет после смены', `действует ещё ${limits.oidcSecretGraceHours} часа`],
      },
      {
        en: ['Secret rotations', `${limits.webhookRotationsPerHour} per hour per client`],
        ru: ['Смена секрета', `${limits.webhookRotationsPerHour} раз в час у клиента`],
      },
    ],
  },
  {
    title: { en: 'Plans', ru: 'Тарифы' },
    lines: [
      ...Object.entries(plans).map(([name, plan]): Line => ({
        en: [`Logins in the ${name} plan`, `${plan.loginsPerMonth} per calendar month (UTC)`],
        ru: [`Входы в тарифе ${name}`, `${plan.loginsPerMonth} за календарный месяц (UTC)`],
      })),
      { en: ['Credits', '1 per successful login'], ru: ['Кредиты', '1 за успешный вход'] },
      {
        en: ['Grace period', `${limits.graceHours} hours, at most one per calendar month`],
        ru: ['Льготный период', `${limits.graceHours} часа, не больше одного за календарный месяц`],
      },
      {
        en: ['Projects and team members', 'free plan: 1 project and 1 member'],
        ru: ['Проекты и участники команды', 'тариф free: 1 проект и 1 участник'],
      },
      { en: ['CSV export', 'from the basic plan'], ru: ['Выгрузка CSV', 'начиная с тарифа basic'] },
    ],
  },
  {
    title: { en: 'Webhooks', ru: 'Вебхуки' },
    lines: [
      {
        en: ['Endpoints', `${limits.webhookEndpoints} per project`],
        ru: ['Эндпоинты', `${limits.webhookEndpoints} в проекте`],
      },
      {
        en: ['Attempt timeout', `${limits.webhookAttemptSeconds} s, including the response body`],
        ru: ['Время на попытку', `${limits.webhookAttemptSeconds} с вместе с телом ответа`],
      },
      {
        en: ['Scheduled attempts', `up to ${limits.webhookRetryHours} hours after the first`],
        ru: ['Повторные попытки', `до ${limits.webhookRetryHours} часов после первой`],
      },
      {
        en: ['Old secret after a rotation', `valid for ${limits.webhookSecretGraceHours} more hours`],
        ru: ['Старый секрет после смены', `действует ещё ${limits.webhookSecretGraceHours} часа`],
      },
      {
        en: ['Secret rotations', `${limits.webhookRotationsPerHour} per hour per endpoint`],
        ru: ['Смена секрета', `${limits.webhookRotationsPerHour} раз в час у эндпоинта`],
      },
      {
        en: [
          'Headers of your own',
          `${limits.webhookHeaders.count} per endpoint, values up to ${limits.webhookHeaders.valueLength} characters`,
        ],
        ru: [
          'Свои заголовки',
          `${limits.webhookHeaders.count} у эндпоинта, значения до ${limits.webhookHeaders.valueLength} символов`,
        ],
      },
      {
        en: [
          'Filter of an endpoint',
          `${limits.endpointFilter.rules} rules; a field has up to ${limits.endpointFilter.depth} names of ${limits.endpointFilter.nameLength} characters, a value up to ${limits.endpointFilter.valueLength} characters`,
        ],
        ru: [
          'Фильтр эндпоинта',
          `${limits.endpointFilter.rules} правил; в поле — до ${limits.endpointFilter.depth} имён по ${limits.endpointFilter.nameLength} символа, в значении — до ${limits.endpointFilter.valueLength} символов`,
        ],
      },
      {
        en: ['Stored part of a response body', `${limits.webhookResponseBytes / KIB} KiB`],
        ru: ['Сохраняемая часть тела ответа', `${limits.webhookResponseBytes / KIB} КиБ`],
      },
      {
        en: ['Concurrent attempts', `up to ${limits.webhookConcurrencyPerEndpoint} per endpoint`],
        ru: ['Одновременные попытки', `до ${limits.webhookConcurrencyPerEndpoint} на эндпоинт`],
      },
      {
        en: ['Failing endpoint', `disabled after ${limits.webhookDisableAfterHours} hours without a success`],
        ru: [
          'Эндпоинт, который не принимает доставки',
          `отключается, если за ${limits.webhookDisableAfterHours} часов не было ни одного успеха`,
        ],
      },
      {
        en: ['Paused deliveries', `cancelled after ${limits.webhookPausedDays} days`],
        ru: ['Приостановленные доставки', `отменяются через ${limits.webhookPausedDays} дней`],
      },
      {
        en: ['Published events', `${limits.publishEvents} per request`],
        ru: ['Публикуемые события', `${limits.publishEvents} в запросе`],
      },
      {
        en: [
          'Published and tracked events',
          `${whole(limits.eventsPerMinute)} per minute per project, then 429 with Retry-After`,
        ],
        ru: [
          'Публикуемые и пользовательские события',
          `${inRussian(limits.eventsPerMinute)} в минуту на проект, затем 429 с Retry-After`,
        ],
      },
      {
        en: [
          'Deliveries waiting for their first attempt',
          `${whole(limits.queuedDeliveries)} per project, without those of disabled endpoints; with more, nothing can be published or tracked`,
        ],
        ru: [
          'Доставки, ждущие первой попытки',
          `${inRussian(limits.queuedDeliveries)} в проекте, не считая отключённых эндпоинтов; сверх того новые события не принимаются`,
        ],
      },
      {
        en: ['Published event_id', `recognised as a duplicate for ${limits.publishedIdDays} days`],
        ru: ['event_id публикуемого события', `повтор узнаётся в течение ${limits.publishedIdDays} дней`],
      },
      {
        en: [
          'Streams of events',
          `${limits.eventStreams} per project at once, resumed up to ${limits.eventStreamMinutes} minutes back`,
        ],
        ru: [
          'Потоки событий',
          `${limits.eventStreams} одновременно на проект; продолжить можно с места до ${limits.eventStreamMinutes} минут назад`,
        ],
      },
      {
        en: [
          'Tracked events',
          `${limits.trackedEvents} per request, for ${whole(limits.trackedPeople)} subscribers together, up to ${limits.properties} properties each`,
        ],
        ru: [
          'События пользователей',
          `${limits.trackedEvents} в запросе, всего на ${inRussian(limits.trackedPeople)} подписчиков, до ${limits.properties} свойств у каждого`,
        ],
      },
      {
        en: [
          'Time of a tracked event',
          `from ${limits.trackedDaysBack} days ago to ${limits.trackedMinutesAhead} minutes ahead`,
        ],
        ru: [
          'Время события пользователя',
          `от ${limits.trackedDaysBack} дней назад до ${limits.trackedMinutesAhead} минут вперёд`,
        ],
      },
      {
        en: ['Tracked event_id', `recognised as a duplicate for ${limits.publishedIdDays} days`],
        ru: ['event_id события пользователя', `повтор узнаётся в течение ${limits.publishedIdDays} дней`],
      },
      {
        en: ['Retry of failed deliveries', `up to ${limits.webhookRecoverDays} days back`],
        ru: ['Повтор неудачных доставок', `не старше ${limits.webhookRecoverDays} дней`],
      },
    ],
  },
  {
    title: { en: 'Messages', ru: 'Сообщения' },
    lines: [
      {
        en: ['Text', `${whole(limits.messageTextLength)} characters`],
        ru: ['Текст', `${inRussian(limits.messageTextLength)} символов`],
      },
      {
        en: [
          'Buttons',
          `${limits.buttonRows} rows of ${limits.buttonsPerRow}, up to ${limits.buttonTextLength} characters of text and ${limits.buttonDataLength} of data each`,
        ],
        ru: [
          'Кнопки',
          `рядов — до ${limits.buttonRows}, в ряду до ${limits.buttonsPerRow} кнопок; у каждой до ${limits.buttonTextLength} символов текста и ${limits.buttonDataLength} символов данных`,
        ],
      },
      {
        en: ['Photo', `${limits.photoBytes / MIB} MB; Telegram shows a photo over 10 MB as a document`],
        ru: ['Фото', `${limits.photoBytes / MIB} МБ; больше 10 МБ Telegram показывает как документ`],
      },
      {
        en: ['Video or document', `${limits.videoOrDocumentBytes / MIB} MB`],
        ru: ['Видео или документ', `${limits.videoOrDocumentBytes / MIB} МБ`],
      },
      {
        en: ['Recipients per broadcast', whole(limits.broadcastRecipients)],
        ru: ['Получатели одной рассылки', inRussian(limits.broadcastRecipients)],
      },
      {
        en: ['Queued and running broadcasts', `${limits.openBroadcasts} per project`],
        ru: ['Рассылки в очереди и в работе', `${limits.openBroadcasts} в проекте`],
      },
      {
        en: [
          'Recipients per external_id',
          `${limits.sendRecipients}; of a scheduled message ${whole(limits.scheduledRecipients)}`,
        ],
        ru: [
          'Получатели с одним external_id',
          `${limits.sendRecipients}; у отложенного сообщения — ${inRussian(limits.scheduledRecipients)}`,
        ],
      },
      {
        en: [
          'Messages per chat',
          `1 per second; a message of /v1/send waits up to ${limits.sendWaitSeconds} s for its turn`,
        ],
        ru: [
          'Сообщения в один чат',
          `1 в секунду; сообщение из /v1/send ждёт своей очереди до ${limits.sendWaitSeconds} с`,
        ],
      },
      {
        en: ['Length of an external_id', `up to ${limits.externalIdLength} characters`],
        ru: ['Длина external_id', `до ${limits.externalIdLength} символов`],
      },
      {
        en: ['Tags per project', `${limits.tagsPerProject}, up to ${limits.tagLength} characters each`],
        ru: ['Теги проекта', `${limits.tagsPerProject}, каждый до ${limits.tagLength} символов`],
      },
      {
        en: ['Subscribers tagged at once', `${whole(limits.taggedSubscribers)} per request`],
        ru: ['Подписчики, которым меняют теги разом', `${inRussian(limits.taggedSubscribers)} в запросе`],
      },
      {
        en: [
          'Properties of a subscriber',
          `${limits.properties}; keys up to ${limits.propertyKeyLength} characters, texts up to ${limits.propertyLength}`,
        ],
        ru: [
          'Свойства подписчика',
          `${limits.properties}; ключи до ${limits.propertyKeyLength} символов, тексты до ${limits.propertyLength}`,
        ],
      },
      {
        en: [
          'Import',
          `${limits.importBytes / MIB} MiB, ${whole(limits.importRows)} rows of up to ${limits.importRowBytes / KIB} KiB and ${whole(limits.importColumns)} columns; the first ${limits.importErrors} failed rows are listed; ${limits.openImports} at a time`,
        ],
        ru: [
          'Импорт',
          `${limits.importBytes / MIB} МиБ, ${inRussian(limits.importRows)} строк до ${limits.importRowBytes / KIB} КиБ, ${inRussian(limits.importColumns)} столбцов; в отчёте — первые ${limits.importErrors} ошибочных строк; одновременно — ${limits.openImports}`,
        ],
      },
      {
        en: ['Permissions per project', String(limits.permissionsPerProject)],
        ru: ['Разрешения проекта', String(limits.permissionsPerProject)],
      },
      {
        en: ['Subscribe links', `${whole(limits.subscribeLinks)} live ones per project`],
        ru: ['Ссылки для подписки', `${inRussian(limits.subscribeLinks)} действующих в проекте`],
      },
      {
        en: ['Signed data of the Mini App', `valid for ${limits.initDataMinutes} minutes`],
        ru: ['Подписанные данные мини-приложения', `действуют ${limits.initDataMinutes} минут`],
      },
    ],
  },
  {
    title: { en: 'Helpdesk', ru: 'Поддержка' },
    lines: [
      {
        en: ['Types of tickets', String(limits.ticketTypes)],
        ru: ['Типы обращений', String(limits.ticketTypes)],
      },
      {
        en: ['Tickets in one bulk change', String(limits.ticketsInBulk)],
        ru: ['Обращения в одном изменении', String(limits.ticketsInBulk)],
      },
      {
        en: ['An attachment', `up to ${limits.ticketAttachmentBytes / MIB} MB`],
        ru: ['Вложение', `до ${limits.ticketAttachmentBytes / MIB} МБ`],
      },
      {
        en: [
          'Messages of a customer that wait for the choice of a ticket',
          String(limits.keptTicketMessages),
        ],
        ru: ['Сообщения клиента, которые ждут выбора обращения', String(limits.keptTicketMessages)],
      },
      {
        en: ['Rating after a close', `for ${limits.csatDays} days`],
        ru: ['Оценка после закрытия', `${limits.csatDays} дней`],
      },
      {
        en: ['Closed tickets are kept', `for ${limits.closedTicketDays} days`],
        ru: ['Закрытые обращения хранятся', `${limits.closedTicketDays} дней`],
      },
    ],
  },
  {
    title: { en: 'Forms', ru: 'Формы' },
    lines: [
      {
        en: ['Forms per project', String(limits.forms)],
        ru: ['Формы проекта', String(limits.forms)],
      },
      {
        en: ['Fields and routes of a form', `${limits.formFields} and ${limits.formRoutes}`],
        ru: ['Поля и маршруты формы', `${limits.formFields} и ${limits.formRoutes}`],
      },
      {
        en: [
          'Submissions',
          `${limits.formSubmissionsPerMinute} per minute and form, ${limits.formSubmissionsPerAddress} of them per address (for IPv6: per /64 network); a body of ${limits.formBodyBytes / MIB} MiB`,
        ],
        ru: [
          'Отправки',
          `${limits.formSubmissionsPerMinute} в минуту на форму, из них ${limits.formSubmissionsPerAddress} с адреса (IPv6 — с сети /64); тело до ${limits.formBodyBytes / MIB} МиБ`,
        ],
      },
      {
        en: ['An answer', `up to ${whole(limits.formAnswerLength)} characters`],
        ru: ['Ответ', `до ${inRussian(limits.formAnswerLength)} символов`],
      },
      {
        en: ['Signed link of a subscriber', `valid for ${limits.formLinkDays} days`],
        ru: ['Подписанная ссылка подписчика', `действует ${limits.formLinkDays} дней`],
      },
      {
        en: ['Draft in the bot, token of a form', `kept for ${limits.formDraftHours} hours`],
        ru: ['Черновик в боте, токен формы', `хранятся ${limits.formDraftHours} часа`],
      },
      {
        en: ['Submissions are kept', `for ${limits.submissionDays} days, spam for ${limits.spamDays}`],
        ru: ['Отправки хранятся', `${limits.submissionDays} дней, спам — ${limits.spamDays}`],
      },
    ],
  },
  {
    title: { en: 'Templates and batches', ru: 'Шаблоны и пакеты' },
    lines: [
      {
        en: ['Templates per project', String(limits.templates)],
        ru: ['Шаблоны проекта', String(limits.templates)],
      },
      {
        en: ['Texts of the bot', `${whole(limits.projectTextLength)} characters each`],
        ru: ['Тексты бота', `${inRussian(limits.projectTextLength)} символов каждый`],
      },
      {
        en: [
          'Scheduled and recurring messages, drip chains',
          `${limits.scheduledEntries} open ones per project together; up to ${limits.scheduledDays} days ahead`,
        ],
        ru: [
          'Отложенные сообщения, регулярные рассылки, цепочки',
          `вместе ${limits.scheduledEntries} незавершённых в проекте; не дальше ${limits.scheduledDays} дней вперёд`,
        ],
      },
      {
        en: [
          'Steps of a drip chain',
          `${limits.dripSteps}; a delay of up to ${whole(limits.dripDelayMinutes)} minutes`,
        ],
        ru: ['Шаги цепочки', `${limits.dripSteps}; пауза до ${inRussian(limits.dripDelayMinutes)} минут`],
      },
      {
        en: [
          'Enrolments of a subscriber in a drip chain',
          `one at a time, ${limits.dripBegunPerDay} in 24 hours`,
        ],
        ru: [
          'Сколько раз подписчик проходит цепочку',
          `одновременно — один, за 24 часа — ${limits.dripBegunPerDay}`,
        ],
      },
      {
        en: ['Late sending of a scheduled message', `up to ${limits.scheduledLateHours} hours`],
        ru: ['Опоздание отложенного сообщения', `до ${limits.scheduledLateHours} часов`],
      },
      {
        en: ['Placeholders in a text', `up to ${limits.templatePlaceholders}`],
        ru: ['Подстановки в тексте', `до ${limits.templatePlaceholders}`],
      },
      {
        en: [
          'Variables',
          `up to ${limits.templateVars}, ${whole(limits.templateValueLength)} characters each`,
        ],
        ru: ['Переменные', `до ${limits.templateVars}, по ${inRussian(limits.templateValueLength)} символов`],
      },
      {
        en: [
          'Messages per batch',
          `${whole(limits.batchMessages)}, to at most ${whole(limits.batchRecipients)} subscribers`,
        ],
        ru: [
          'Сообщения в пакете',
          `${inRussian(limits.batchMessages)}, не больше чем ${inRussian(limits.batchRecipients)} подписчикам`,
        ],
      },
    ],
  },
  {
    title: { en: 'One-time codes', ru: 'Одноразовые коды' },
    lines: [
      {
        en: [
          'Lifetime',
          `${limits.otpTtlMinutes.default} minutes (${limits.otpTtlMinutes.min} to ${limits.otpTtlMinutes.max})`,
        ],
        ru: [
          'Срок',
          `${limits.otpTtlMinutes.default} минут (от ${limits.otpTtlMinutes.min} до ${limits.otpTtlMinutes.max})`,
        ],
      },
      {
        en: [
          'Attempts',
          `${limits.otpAttempts.default} (${limits.otpAttempts.min} to ${limits.otpAttempts.max})`,
        ],
        ru: [
          'Попытки',
          `${limits.otpAttempts.default} (от ${limits.otpAttempts.min} до ${limits.otpAttempts.max})`,
        ],
      },
      {
        en: ['Codes per subscriber', `${limits.otpCodesPerHour} per hour; one active code per purpose`],
        ru: [
          'Коды одному подписчику',
          `${limits.otpCodesPerHour} в час; на каждую цель — один действующий код`,
        ],
      },
    ],
  },
  {
    title: { en: 'Dashboard', ru: 'Панель' },
    lines: [
      {
        en: [
          'Requests per sign-in',
          `${whole(limits.dashboardRequestsPerMinute)} per minute, instead of the project’s`,
        ],
        ru: [
          'Запросы одного входа',
          `${inRussian(limits.dashboardRequestsPerMinute)} в минуту вместо лимита проекта`,
        ],
      },
      {
        en: ['Sign-in lifetime', `${limits.dashboardSessionHours} hours`],
        ru: ['Срок входа', `${limits.dashboardSessionHours} часов`],
      },
      {
        en: ['Sign-ins per API key', `${limits.dashboardSessionsPerKey}; a further one ends the oldest`],
        ru: [
          'Входы с одним ключом API',
          `${limits.dashboardSessionsPerKey}; следующий завершает самый старый`,
        ],
      },
      {
        en: [
          'Wrong keys',
          `${limits.dashboardSignInFailures.max} in ${limits.dashboardSignInFailures.minutes} minutes per IP address`,
        ],
        ru: [
          'Неверные ключи',
          `${limits.dashboardSignInFailures.max} за ${limits.dashboardSignInFailures.minutes} минут с одного IP-адреса`,
        ],
      },
      {
        en: ['Redirect URLs', String(limits.redirectUrls)],
        ru: ['Redirect URL', String(limits.redirectUrls)],
      },
      {
        en: ['Welcome message', `${limits.welcomeLength} characters`],
        ru: ['Приветствие', `${limits.welcomeLength} символов`],
      },
      {
        en: ['API keys', `${limits.apiKeys} active keys`],
        ru: ['Ключи API', `${limits.apiKeys} действующих`],
      },
    ],
  },
];

/** The anchor of a group of limits, the same in each language. */
export function limitAnchor(title: LimitGroup['title']): string {
  return title.en.toLowerCase().replaceAll(' ', '-');
}
