/** What the signature debugger says. */
export interface SignatureWords {
  incomplete: string;
  headers: string;
  body: string;
  secret: string;
  pasteToo: (missing: string[]) => string;
  noHeader: [title: string, text: string];
  malformed: [title: string, text: string];
  partial: [title: string, text: string];
  secretInexact: (header: string, why: string) => [title: string, text: string];
  bodyChanged: (header: string) => string;
  verifyRaw: (why: string) => string;
  timeChanged: (header: string, signed: string, said: string) => [title: string, text: string];
  wrongSecret: (header: string) => [title: string, text: string];
  notJson: string;
  otherRequest: (event: string, named: string | null) => string;
  formatted: string;
  secretOrValue: (header: string) => [title: string, text: string];
  old: (header: string, age: string, minutes: number) => [title: string, text: string];
  future: (header: string, ahead: string) => [title: string, text: string];
  valid: (header: string) => [title: string, text: string];
  aroundSecret: string;
  noPrefix: string;
  aroundBody: string;
  lineEnds: string;
  serialized: string;
  duration: (amount: number, unit: 'day' | 'hour' | 'minute' | 'second') => string;
  unavailable: [title: string, text: string];
}

const english: SignatureWords = {
  incomplete: 'Not complete',
  headers: 'the headers',
  body: 'the body',
  secret: 'the secret',
  pasteToo: (missing) => `Paste ${new Intl.ListFormat('en-GB').format(missing)} as well.`,
  noHeader: [
    'No signature header',
    'The headers contain neither X-Service-Signature nor webhook-signature. Paste all headers of the request; a proxy in front of your receiver may also remove them.',
  ],
  malformed: [
    'X-Service-Signature is malformed',
    'It must have the form t=<seconds>,v1=<hex>. Check that the header was copied whole.',
  ],
  partial: [
    'webhook-signature is incomplete',
    'Standard Webhooks sign the id and the time as well: paste webhook-id, webhook-timestamp and webhook-signature (v1,<base64>).',
  ],
  secretInexact: (header, why) => [
    `${header}: the secret is not copied exactly`,
    `${why} Otherwise the request is genuine.`,
  ],
  bodyChanged: (header) => `${header}: the body was changed`,
  verifyRaw: (why) => `${why} Verify the raw bytes as received, before any parser or framework touches them.`,
  timeChanged: (header, signed, said) => [
    `${header}: the time was changed`,
    `The request was signed at ${signed} (X-Service-Timestamp), but the header says ${said}.`,
  ],
  wrongSecret: (header) => [
    `${header}: wrong secret`,
    'This is not the secret of an endpoint: one begins with whsec_ and has 43 or 44 characters after it. An API key (hk_…) is something else.',
  ],
  notJson:
    'The body is not valid JSON, so it is not what Herald sent: it may be cut off or decoded in the wrong character set.',
  otherRequest: (event, named) =>
    `The headers belong to ${event}, the body to ${named ?? 'another request'}: they come from two different requests.`,
  formatted:
    'Herald sends JSON without spaces between its parts; this body was formatted or serialized again. If it was not, the secret belongs to another endpoint.',
  secretOrValue: (header) => [
    `${header}: wrong secret, or a changed value`,
    'The body has the form in which Herald sends it, so most likely the secret belongs to another endpoint or was rotated more than 24 hours before this attempt. If the secret is right, a value in the body was changed: compare it with the delivery in the dashboard.',
  ],
  old: (header, age, minutes) => [
    `${header} is valid, but old`,
    `Secret and body are right. The request was signed ${age} ago: a receiver with a time tolerance of ${minutes} minutes rejects it now. Each attempt is signed with its own time, so a live one is never that old.`,
  ],
  future: (header, ahead) => [
    `${header} is valid, but from the future`,
    `Secret and body are right. The request was signed ${ahead} ahead of the clock of this device: check the clock of your receiver.`,
  ],
  valid: (header) => [`${header} is valid`, 'Secret, body and time are right.'],
  aroundSecret: 'There is white space or a quotation mark around the secret.',
  noPrefix: 'The secret lacks its prefix whsec_, which is part of it.',
  aroundBody: 'There is white space before or after the body.',
  lineEnds: 'Its line ends were changed from LF to CRLF.',
  serialized: 'It was parsed and serialized again, which changed spaces or escapes.',
  duration: (amount, unit) => `${amount} ${unit}${amount === 1 ? '' : 's'}`,
  unavailable: [
    'Not available here',
    'Browsers compute signatures on https and localhost only. Open the documentation there.',
  ],
};

const units = {
  day: ['день', 'дня', 'дней'],
  hour: ['час', 'часа', 'часов'],
  minute: ['минуту', 'минуты', 'минут'],
  second: ['секунду', 'секунды', 'секунд'],
} as const;

const russian: SignatureWords = {
  incomplete: 'Не хватает данных',
  headers: 'заголовки',
  body: 'тело',
  secret: 'секрет',
  pasteToo: (missing) => `Вставьте ещё ${new Intl.ListFormat('ru').format(missing)}.`,
  noHeader: [
    'Нет заголовка с подписью',
    'Среди заголовков нет ни X-Service-Signature, ни webhook-signature. Вставьте все заголовки запроса; возможно, их убирает прокси перед вашим сервером.',
  ],
  malformed: [
    'X-Service-Signature записан неправильно',
    'Он должен иметь вид t=<секунды>,v1=<hex>. Проверьте, что заголовок скопирован целиком.',
  ],
  partial: [
    'webhook-signature неполный',
    'В Standard Webhooks подписываются ещё id и время: вставьте webhook-id, webhook-timestamp и webhook-signature (v1,<base64>).',
  ],
  secretInexact: (header, why) => [
    `${header}: секрет скопирован неточно`,
    `${why} В остальном запрос подлинный.`,
  ],
  bodyChanged: (header) => `${header}: тело изменено`,
  verifyRaw: (why) => `${why} Проверяйте байты в том виде, в каком они пришли, до парсеров и фреймворков.`,
  timeChanged: (header, signed, said) => [
    `${header}: время изменено`,
    `Запрос подписан временем ${signed} (X-Service-Timestamp), а в заголовке — ${said}.`,
  ],
  wrongSecret: (header) => [
    `${header}: не тот секрет`,
    'Это не секрет эндпоинта: он начинается с whsec_, а дальше идут 43 или 44 символа. Ключ API (hk_…) — это другое.',
  ],
  notJson:
    'Тело — не JSON, значит, Herald отправлял не его: возможно, оно обрезано или прочитано в другой кодировке.',
  otherRequest: (event, named) =>
    `Заголовки относятся к ${event}, а тело — к ${named ?? 'другому запросу'}: они из двух разных запросов.`,
  formatted:
    'Herald отправляет JSON без пробелов между частями; это тело отформатировали или собрали заново. Если нет, секрет — от другого эндпоинта.',
  secretOrValue: (header) => [
    `${header}: не тот секрет или изменённое значение`,
    'Тело выглядит так, как его отправляет Herald, поэтому скорее всего секрет — от другого эндпоинта или его сменили больше чем за 24 часа до этой попытки. Если секрет верный, в теле изменено какое-то значение: сравните его с доставкой в панели.',
  ],
  old: (header, age, minutes) => [
    `${header}: подпись верна, но старая`,
    `Секрет и тело верны. Запрос подписан ${age} назад: получатель с допуском ${minutes} минут его уже отклонит. Каждая попытка подписана своим временем, поэтому настоящий запрос таким старым не бывает.`,
  ],
  future: (header, ahead) => [
    `${header}: подпись верна, но из будущего`,
    `Секрет и тело верны. Время подписи опережает часы этого устройства на ${ahead}: проверьте часы получателя.`,
  ],
  valid: (header) => [`${header}: подпись верна`, 'Секрет, тело и время в порядке.'],
  aroundSecret: 'Вокруг секрета есть пробел или кавычка.',
  noPrefix: 'У секрета не хватает начала whsec_: это его часть.',
  aroundBody: 'Перед телом или после него есть пробелы.',
  lineEnds: 'Концы строк в теле заменены с LF на CRLF.',
  serialized: 'Тело разобрали и собрали заново, и пробелы или экранирование изменились.',
  duration: (amount, unit) => {
    const [one, few, many] = units[unit];
    const form = new Intl.PluralRules('ru').select(amount);
    return `${amount} ${form === 'one' ? one : form === 'few' ? few : many}`;
  },
  unavailable: [
    'Здесь проверить нельзя',
    'Браузеры вычисляют подпись только на https и localhost. Откройте документацию там.',
  ],
};

export const signatureWords = { en: english, ru: russian };
