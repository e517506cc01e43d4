import type { Language } from '../contract/common';

/**
 * All texts of the bots, in both languages. They are sent as plain text, so names of projects and people need no
 * escaping and cannot inject markup.
 */
export interface BotTexts {
  yes: string;
  no: string;
  /** Label of the button that opens the callback URL. */
  returnToSite: string;

  loginQuestion(question: LoginQuestion): string;
  confirmed(project: string): string;
  declined(project: string): string;
  /** The session expired before the user answered. */
  expired(project: string): string;
  /** The user opened the link again, which replaced this question. */
  replaced: string;
  /** Notices on a tap. */
  alreadyAnswered: string;
  notYourQuestion: string;
  sessionEnded: string;
  questionReplaced: string;

  linkInUse: string;
  /** One text for an unknown project, an inactive one and one without a callback, so that it does not reveal which. */
  loginNotSetUp: string;
  billingBlocked(project: string): string;
  tooManyOpenings: string;
  unknownLink: string;

  subscribed(project: string): string;
  unsubscribed(projects: string[]): string;
  nothingToUnsubscribe: string;

  oneTimeCode(code: { project: string; code: string; minutes: number }): string;

  help: string;
  notUnderstood: string;
}

/** Unknown details are left out of the question. */
export interface LoginQuestion {
  project: string;
  matchCode?: string | null | undefined;
  device?: string | null | undefined;
  address?: string | null | undefined;
}

const en: BotTexts = {
  yes: 'Yes',
  no: 'No',
  returnToSite: 'Return to the site',

  loginQuestion: (question) =>
    lines(
      `Log in to ${shown(question.project)}?`,
      details(question, { code: 'Code on the screen', device: 'Device', address: 'Address' }),
      question.matchCode && 'Continue only if the site shows the same code.',
      'If it was not you who asked for this, tap No.',
    ),
  confirmed: (project) => `Authorization confirmed: ${shown(project)}.\n\nTo stop its messages, send /stop.`,
  declined: (project) => `Login to ${shown(project)} declined.`,
  expired: (project) =>
    `The time to log in to ${shown(project)} is over. Start again on the site if you still want to.`,
  replaced: 'The link was opened again. Answer the newer question below.',
  alreadyAnswered: 'This question has already been answered.',
  notYourQuestion: 'Only the person who opened the link can answer.',
  sessionEnded: 'The time for this login is over.',
  questionReplaced: 'There is a newer question. Please answer that one.',

  linkInUse: 'This login link is already in use by someone else. Please start again on the site.',
  loginNotSetUp: 'Login is not set up here.',
  billingBlocked: (project) => `${shown(project)} cannot accept logins now. Please try again later.`,
  tooManyOpenings: 'You have opened too many login links. Please wait a minute and try again.',
  unknownLink: 'This link is not valid or no longer works. Please start again on the site.',

  subscribed: (project) => `You are subscribed to messages from ${shown(project)}. To stop them, send /stop.`,
  unsubscribed: (projects) => lines('You will get no more messages from:', list(projects)),
  nothingToUnsubscribe: 'You have no subscriptions here.',

  oneTimeCode: ({ project, code, minutes }) =>
    lines(
      `Your code for ${shown(project)}: ${code}`,
      `It is valid for ${minutes} min. Do not give it to anybody.`,
    ),

  help: lines(
    'This bot confirms logins to sites and brings you their messages.',
    'To log in, open the link or scan the QR code on the site, or send the /start command that the site shows.',
    'To stop all messages, send /stop.',
  ),
  notUnderstood: lines(
    'I do not understand this.',
    'To log in, open the link on the site. To stop all messages, send /stop.',
  ),
};

const ru: BotTexts = {
  yes: 'Да',
  no: 'Нет',
  returnToSite: 'Вернуться на сайт',

  loginQuestion: (question) =>
    lines(
      `Войти в «${shown(question.project)}»?`,
      details(question, { code: 'Код на экране', device: 'Устройство', address: 'Адрес' }),
      question.matchCode && 'Продолжайте, только если на сайте показан тот же код.',
      'Если это запросили не вы, нажмите «Нет».',
    ),
  confirmed: (project) =>
    `Авторизация подтверждена: «${shown(project)}».\n\nЧтобы не получать сообщения, отправьте /stop.`,
  declined: (project) => `Вход в «${shown(project)}» отклонён.`,
  expired: (project) =>
    `Время для входа в «${shown(project)}» истекло. Если вход ещё нужен, начните заново на сайте.`,
  replaced: 'Ссылку открыли ещё раз. Ответьте на новый вопрос ниже.',
  alreadyAnswered: 'На этот вопрос уже ответили.',
  notYourQuestion: 'Ответить может только тот, кто открыл ссылку.',
  sessionEnded: 'Время для этого входа истекло.',
  questionReplaced: 'Есть более новый вопрос. Ответьте, пожалуйста, на него.',

  linkInUse: 'Эту ссылку для входа уже использует другой человек. Начните, пожалуйста, заново на сайте.',
  loginNotSetUp: 'Вход здесь не настроен.',
  billingBlocked: (project) =>
    `«${shown(project)}» сейчас не может принимать входы. Попробуйте, пожалуйста, позже.`,
  tooManyOpenings: 'Вы открыли слишком много ссылок для входа. Подождите минуту и попробуйте ещё раз.',
  unknownLink: 'Ссылка неверна или больше не действует. Начните, пожалуйста, заново на сайте.',

  subscribed: (project) =>
    `Вы подписаны на сообщения от «${shown(project)}». Чтобы отписаться, отправьте /stop.`,
  unsubscribed: (projects) => lines('Вы больше не будете получать сообщения от:', list(projects)),
  nothingToUnsubscribe: 'У вас здесь нет подписок.',

  oneTimeCode: ({ project, code, minutes }) =>
    lines(
      `Ваш код для «${shown(project)}»: ${code}`,
      `Он действует ${minutes} мин. Никому его не сообщайте.`,
    ),

  help: lines(
    'Этот бот подтверждает вход на сайты и приносит их сообщения.',
    'Чтобы войти, откройте ссылку или отсканируйте QR-код на сайте либо отправьте команду /start, которую показывает сайт.',
    'Чтобы отписаться от всех сообщений, отправьте /stop.',
  ),
  notUnderstood: lines(
    'Я этого не понимаю.',
    'Чтобы войти, откройте ссылку на сайте. Чтобы отписаться от всех сообщений, отправьте /stop.',
  ),
};

export const botTexts: Record<Language, BotTexts> = { en, ru };

const SHOWN_LENGTH = 200;

/**
 * Reduces an untrusted value to one line: a line break or a change of writing direction could forge other lines of the
 * question.
 */
function shown(value: string): string {
  const line = value
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length > SHOWN_LENGTH ? `${characters.slice(0, SHOWN_LENGTH).join('')}…` : line;
}

function details(
  { matchCode, device, address }: LoginQuestion,
  labels: { code: string; device: string; address: string },
): string | null {
  const known = [
    [labels.code, matchCode],
    [labels.device, device],
    [labels.address, address],
  ].flatMap(([label, value]) => (value ? [`${label}: ${shown(value)}`] : []));
  return known.length > 0 ? known.join('\n') : null;
}

const LISTED = 20;

function list(projects: string[]): string {
  const names = projects.slice(0, LISTED).map((project) => `• ${shown(project)}`);
  return [...names, ...(projects.length > LISTED ? ['…'] : [])].join('\n');
}

/** Joins paragraphs and skips empty ones. */
function lines(...paragraphs: (string | null | undefined | false)[]): string {
  return paragraphs.filter(Boolean).join('\n\n');
}
