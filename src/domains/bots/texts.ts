import type { EndpointDisabledReason, Language } from '../../base/contract/common';
import { readUserAgent } from '../../base/contract/device';
import { limits } from '../../base/contract/limits';
import type { Role } from '../../base/contract/scopes';
import { russianForm } from '../../base/lib/russian-form';

/**
 * The copy of the bots in both languages, as plain text: names of projects and people need no escaping and cannot become
 * markup. A code has a line of its own, which with-code.ts makes stand out.
 */
export interface BotTexts {
  yes: string;
  no: string;
  /** Label of the button that opens the callback URL. */
  returnToSite: string;

  loginQuestion(question: LoginQuestion): string;
  confirmed(project: string, options?: { subscribes: boolean }): string;
  /** Below a text in the project's own words. */
  howToStop: string;
  declined(project: string): string;
  /** The session expired before the user answered. */
  expired(project: string): string;
  /** The link was opened again: a newer question replaces this one. */
  replaced: string;
  /** Notices shown after a tap. */
  alreadyAnswered: string;
  notYourQuestion: string;
  sessionEnded: string;
  questionReplaced: string;

  linkInUse: string;
  /** The same for an unknown project, an inactive one and one without a callback URL, so that nothing is disclosed. */
  loginNotSetUp: string;
  billingBlocked(project: string): string;
  tooManyOpenings: string;
  unknownLink: string;

  /** An approval: the bot asks by itself, and shows the outcome in every chat that was asked. */
  approvalQuestion(question: ApprovalQuestion): string;
  requestApproved(asked: Asked): string;
  requestApprovedElsewhere(asked: Asked): string;
  requestDeclined(asked: Asked): string;
  requestDeclinedElsewhere(asked: Asked): string;
  requestExpired(asked: Asked): string;
  requestBlocked(asked: Asked): string;
  /** A notice shown after a tap. */
  requestEnded: string;

  subscribed(project: string): string;
  unsubscribed(projects: string[]): string;
  nothingToUnsubscribe: string;
  /** Asked above a button for each project and `all`. */
  whichToUnsubscribe: string;
  all: string;

  joinQuestion(project: string, role: Role): string;
  joined(project: string, role: Role): string;
  joinDeclined(project: string): string;
  /** The plan allows no further member. */
  teamFull(project: string): string;
  invitationUsed: string;
  invitationNotValid: string;
  /** Label of the button that opens the dashboard. */
  openDashboard: string;

  endpointFailing(project: string, url: string): string;
  endpointDisabled(project: string, url: string, reason: EndpointDisabledReason): string;
  endpointRecovered(project: string, url: string): string;
  creditsLow(project: string): string;
  creditsExhausted(project: string): string;

  oneTimeCode(code: { project: string; code: string; minutes: number }): string;

  /** A request to support, which the API calls a ticket. */
  supportNotSetUp: string;
  /** Above a button for each type of request, if the project has types. */
  ticketQuestion: string;
  ticketMessageWanted(ticket: { type: string }): string;
  ticketAccepted(ticket: { number: number }): string;
  ticketOpen(ticket: { number: number }): string;
  /** Above a button for each request. */
  whichTicket: string;
  /** The same, once enough messages wait for the choice. */
  tooManyKept: string;
  ticketChosen(ticket: { number: number }): string;
  /** Above a line for each open request. */
  yourTickets: string;
  ticketCancelled: string;
  /** A message that waited for the choice of a request is dropped. */
  messageCancelled: string;
  nothingToCancel: string;
  noTickets: string;
  /** A sticker, a contact or a place, for example. */
  cannotPassOn: string;
  /** Before the new text of a message that the customer has changed. */
  edited: string;
  ticketClosed(ticket: { number: number }): string;
  ticketRated(ticket: { number: number; score: number }): string;
  /** Notices shown after a tap. */
  alreadyRated: string;
  ratingOver: string;

  /** To the members of a team. */
  ticketCreatedNotice(ticket: TicketNotice): string;
  ticketRepliedNotice(ticket: TicketNotice): string;
  ticketUnansweredNotice(ticket: TicketNotice): string;
  /** Instead of several messages about answers of one form. */
  answersNotice(answers: { project: string; form: string; count: number }): string;

  /** A form: above its first question. */
  formBegin(form: string): string;
  formSkip: string;
  formDone: string;
  /** Below a question with several answers, and below one for a date. */
  formSeveral: string;
  formDate: string;
  /** An answer that was tapped, or that the question was skipped. */
  formAnswered(answer: string): string;
  formSkipped: string;
  formAccepted(project: string): string;
  formCancelled: string;
  formBlocked(project: string): string;
  formNotOpen: string;

  help: string;
  notUnderstood: string;
  /** A message was changed that is in no request. */
  editNotRead: string;
}

interface TicketNotice {
  project: string;
  number: number;
  /** Its subject or text; empty if there is neither. */
  about: string;
}

/** A line is left out where its value is unknown. `device` is a User-Agent or a name that the project gave. */
interface LoginQuestion {
  project: string;
  matchCode?: string | null | undefined;
  device?: string | null | undefined;
  address?: string | null | undefined;
  /** False for the dashboard's own login, which subscribes to nothing. Default: true. */
  subscribes?: boolean;
}

/** What a project asked a subscriber. The message is empty if it was erased. */
interface Asked {
  project: string;
  message: string;
}

type ApprovalQuestion = LoginQuestion & Asked;

const en: BotTexts = {
  yes: 'Yes',
  no: 'No',
  returnToSite: 'Return to the site',

  loginQuestion: (question) =>
    lines(
      `Log in to ${shown(question.project)}?`,
      question.matchCode && `Code on the screen:\n${shown(question.matchCode)}`,
      origin(question, { device: 'Device', address: 'IP address', on: 'on' }),
      `${question.matchCode ? 'Confirm only if the codes match. ' : ''}If you didn’t request this login, tap No.`,
      question.subscribes !== false &&
        `Tapping Yes also subscribes you to messages from ${shown(question.project)}. To stop them, send /stop.`,
    ),
  confirmed: (project, { subscribes } = { subscribes: true }) =>
    lines(`Confirmed. You’re logged in to ${shown(project)}.`, subscribes && en.howToStop),
  howToStop: 'To stop its messages, send /stop.',
  declined: (project) => `Login to ${shown(project)} declined.`,
  expired: (project) => `The login to ${shown(project)} has expired. To log in, start again on the site.`,
  replaced: 'You opened the link again. Answer the newer question below.',
  alreadyAnswered: 'This question has already been answered.',
  notYourQuestion: 'Only the person who opened the link can answer.',
  sessionEnded: 'This login has expired.',
  questionReplaced: 'There is a newer question. Please answer that one.',

  linkInUse: 'This login link is already in use by someone else. Please start again on the site.',
  loginNotSetUp: 'Login is not set up here.',
  billingBlocked: (project) => `${shown(project)} can’t accept logins right now. Please try again later.`,
  tooManyOpenings: 'You have opened too many login links. Please wait a minute and try again.',
  unknownLink: 'This link is not valid or has expired. Please start again on the site.',

  approvalQuestion: (question) =>
    lines(
      askedLine(question),
      question.matchCode && `Code on the screen:\n${shown(question.matchCode)}`,
      origin(question, { device: 'Device', address: 'IP address', on: 'on' }),
      'Confirm only if the codes match. If you didn’t request this, tap No.',
    ),
  requestApproved: (asked) => lines(askedLine(asked), 'You confirmed this.'),
  requestApprovedElsewhere: (asked) => lines(askedLine(asked), 'Confirmed in another chat.'),
  requestDeclined: (asked) => lines(askedLine(asked), 'You declined this.'),
  requestDeclinedElsewhere: (asked) => lines(askedLine(asked), 'Declined in another chat.'),
  requestExpired: (asked) => lines(askedLine(asked), 'This request has expired.'),
  requestBlocked: (asked) =>
    lines(askedLine(asked), 'Confirmations are not available right now. Please try again later.'),
  requestEnded: 'This request has expired.',

  subscribed: (project) => `You are subscribed to messages from ${shown(project)}. To stop them, send /stop.`,
  unsubscribed: (projects) => lines('You will no longer receive messages from:', list(projects)),
  nothingToUnsubscribe: 'You have no active subscriptions.',
  whichToUnsubscribe: 'Whose messages do you want to stop?',
  all: 'All',

  joinQuestion: (project, role) => `Join the team of ${shown(project)} as ${role}?`,
  joined: (project, role) => `You are in the team of ${shown(project)} as ${role}.`,
  joinDeclined: (project) => `You have not joined the team of ${shown(project)}.`,
  teamFull: (project) => `The plan of ${shown(project)} does not include another member.`,
  invitationUsed: 'This invitation has already been used. Ask for a new one.',
  invitationNotValid: 'This invitation is not valid or has expired. Ask for a new one.',
  openDashboard: 'Open the dashboard',

  endpointFailing: (project, url) =>
    `${shown(project)}: the webhook endpoint ${shown(url)} is failing. Herald keeps retrying.`,
  endpointDisabled: (project, url, reason) =>
    `${shown(project)}: the webhook endpoint ${shown(url)} was disabled, because ${
      reason === 'gone'
        ? 'it returned 410 Gone'
        : `every attempt failed for ${limits.webhookDisableAfterHours} hours`
    }. Its deliveries are paused.`,
  endpointRecovered: (project, url) => `${shown(project)}: the webhook endpoint ${shown(url)} works again.`,
  creditsLow: (project) => `${shown(project)}: most logins of this month are used.`,
  creditsExhausted: (project) => `${shown(project)}: no logins are left this month.`,

  oneTimeCode: ({ project, code, minutes }) =>
    lines(
      code,
      `Your code for ${shown(project)}. It is valid for ${minutes} min. Don’t share it with anyone.`,
    ),

  supportNotSetUp: 'Support is not set up here.',
  ticketQuestion: 'What is it about?',
  ticketMessageWanted: ({ type }) => `${shown(type)}. Write your message; you can add photos and files.`,
  ticketAccepted: ({ number }) => `Request #${number} is accepted.`,
  ticketOpen: ({ number }) => `Your request #${number} is open. What you write here is added to it.`,
  whichTicket: 'Which request is this about?',
  tooManyKept: 'Please choose a request first. This message was not passed on.',
  ticketChosen: ({ number }) => `Your messages go to request #${number}.`,
  yourTickets: 'Your open requests:',
  ticketCancelled: 'Cancelled. No request was created.',
  messageCancelled: 'Cancelled. Your message was not passed on.',
  nothingToCancel: 'There is nothing to cancel.',
  noTickets: 'You have no open requests.',
  cannotPassOn:
    'I can pass on text, photos, videos, files and voice messages, but not this. Please write a text.',
  edited: 'Edited:',
  ticketClosed: ({ number }) => `Request #${number} is closed. How did we do?`,
  ticketRated: ({ number, score }) => `Request #${number} is closed. Your rating: ${score} of 5. Thank you!`,
  alreadyRated: 'You have already rated this request.',
  ratingOver: 'This request can no longer be rated.',

  ticketCreatedNotice: (ticket) => noticeOf(ticket, 'new request', (project) => project),
  ticketRepliedNotice: (ticket) => noticeOf(ticket, 'the customer wrote in request', (project) => project),
  ticketUnansweredNotice: (ticket) =>
    noticeOf(ticket, 'no answer for 24 hours to request', (project) => project),
  answersNotice: ({ project, form, count }) =>
    `${shown(project)}: ${count} new ${count === 1 ? 'answer' : 'answers'} to “${shown(form)}”`,

  formBegin: (form) => `${shown(form)}\n\nAnswer the questions one by one. To leave, send /cancel.`,
  formSkip: 'Skip',
  formDone: 'Done',
  formSeveral: 'Tap all that apply, then Done.',
  formDate: 'For example: 2026-01-31',
  formAnswered: (answer) => `Your answer: ${shown(answer)}`,
  formSkipped: 'Skipped.',
  formAccepted: (project) => `Thank you. ${shown(project)} has received your answers.`,
  formCancelled: 'Cancelled. Your answers were not sent.',
  formBlocked: (project) => `${shown(project)} can’t accept answers right now. Please try again later.`,
  formNotOpen: 'This form is closed.',

  help: lines(
    'This bot confirms logins to sites and delivers their messages.',
    'To log in, open the link or scan the QR code on the site, or send the /start command that the site shows.',
    'To stop messages, send /stop.',
  ),
  notUnderstood: lines(
    'Sorry, I don’t understand that.',
    'To log in, open the link on the site. To stop messages, send /stop.',
  ),
  editNotRead:
    'I only read new messages. Please send the correction as a new message; to change an answer in a form, send /cancel and open its link again.',
};

/** Completes «как …». */
const roleNames: Record<Role, string> = {
  owner: 'владелец',
  admin: 'администратор',
  support: 'сотрудник поддержки',
  viewer: 'наблюдатель',
};

const ru: BotTexts = {
  yes: 'Да',
  no: 'Нет',
  returnToSite: 'Вернуться на сайт',

  loginQuestion: (question) =>
    lines(
      `Войти в «${shown(question.project)}»?`,
      question.matchCode && `Код на экране:\n${shown(question.matchCode)}`,
      origin(question, { device: 'Устройство', address: 'IP-адрес', on: 'на' }),
      `${question.matchCode ? 'Подтверждайте, только если коды совпадают. ' : ''}Если входите не вы, нажмите «Нет».`,
      question.subscribes !== false &&
        `Нажав «Да», вы подпишетесь на сообщения от «${shown(question.project)}». Отписаться: /stop.`,
    ),
  confirmed: (project, { subscribes } = { subscribes: true }) =>
    lines(`Подтверждено. Вы вошли в «${shown(project)}».`, subscribes && ru.howToStop),
  howToStop: 'Чтобы отписаться от сообщений, отправьте /stop.',
  declined: (project) => `Вход в «${shown(project)}» отклонён.`,
  expired: (project) => `Время на вход в «${shown(project)}» истекло. Чтобы войти, начните заново на сайте.`,
  replaced: 'Вы открыли ссылку ещё раз. Ответьте на новый вопрос ниже.',
  alreadyAnswered: 'На этот вопрос уже ответили.',
  notYourQuestion: 'Ответить может только тот, кто открыл ссылку.',
  sessionEnded: 'Время на вход истекло.',
  questionReplaced: 'Ниже есть новый вопрос. Ответьте, пожалуйста, на него.',

  linkInUse: 'По этой ссылке уже входит кто-то другой. Начните, пожалуйста, заново на сайте.',
  loginNotSetUp: 'Вход здесь не настроен.',
  billingBlocked: (project) =>
    `Вход в «${shown(project)}» временно недоступен. Попробуйте, пожалуйста, позже.`,
  tooManyOpenings: 'Вы открыли слишком много ссылок для входа. Подождите минуту и попробуйте ещё раз.',
  unknownLink: 'Ссылка неверна или уже не действует. Начните, пожалуйста, заново на сайте.',

  approvalQuestion: (question) =>
    lines(
      askedLine(question),
      question.matchCode && `Код на экране:\n${shown(question.matchCode)}`,
      origin(question, { device: 'Устройство', address: 'IP-адрес', on: 'на' }),
      'Подтверждайте, только если коды совпадают. Если запрос не от вас, нажмите «Нет».',
    ),
  requestApproved: (asked) => lines(askedLine(asked), 'Вы подтвердили запрос.'),
  requestApprovedElsewhere: (asked) => lines(askedLine(asked), 'Запрос подтверждён в другом чате.'),
  requestDeclined: (asked) => lines(askedLine(asked), 'Вы отклонили запрос.'),
  requestDeclinedElsewhere: (asked) => lines(askedLine(asked), 'Запрос отклонён в другом чате.'),
  requestExpired: (asked) => lines(askedLine(asked), 'Время на ответ истекло.'),
  requestBlocked: (asked) =>
    lines(askedLine(asked), 'Подтверждение временно недоступно. Попробуйте, пожалуйста, позже.'),
  requestEnded: 'Время на ответ истекло.',

  subscribed: (project) =>
    `Вы подписаны на сообщения от «${shown(project)}». Чтобы отписаться, отправьте /stop.`,
  unsubscribed: (projects) => lines('Вы больше не будете получать сообщения от:', list(projects)),
  nothingToUnsubscribe: 'У вас нет активных подписок.',
  whichToUnsubscribe: 'От чьих сообщений отписаться?',
  all: 'Все',

  joinQuestion: (project, role) => `Войти в команду «${shown(project)}» как ${roleNames[role]}?`,
  joined: (project, role) => `Вы в команде «${shown(project)}» как ${roleNames[role]}.`,
  joinDeclined: (project) => `Вы не вошли в команду «${shown(project)}».`,
  teamFull: (project) => `Тариф проекта «${shown(project)}» не позволяет добавить ещё участника.`,
  invitationUsed: 'Это приглашение уже использовано. Попросите новое.',
  invitationNotValid: 'Приглашение неверно или уже не действует. Попросите новое.',
  openDashboard: 'Открыть панель',

  endpointFailing: (project, url) =>
    `«${shown(project)}»: вебхуки на ${shown(url)} не доходят. Herald продолжает попытки.`,
  endpointDisabled: (project, url, reason) =>
    `«${shown(project)}»: вебхуки на ${shown(url)} отключены: ${
      reason === 'gone'
        ? 'сервер вернул 410 Gone'
        : `все попытки за ${limits.webhookDisableAfterHours} ч не удались`
    }. Доставка приостановлена.`,
  endpointRecovered: (project, url) => `«${shown(project)}»: вебхуки на ${shown(url)} снова доходят.`,
  creditsLow: (project) => `«${shown(project)}»: входы этого месяца почти израсходованы.`,
  creditsExhausted: (project) => `«${shown(project)}»: входы этого месяца закончились.`,

  oneTimeCode: ({ project, code, minutes }) =>
    lines(code, `Это ваш код для «${shown(project)}». Он действует ${minutes} мин. Никому его не сообщайте.`),

  supportNotSetUp: 'Поддержка здесь не настроена.',
  ticketQuestion: 'О чём ваш вопрос?',
  ticketMessageWanted: ({ type }) =>
    `${shown(type)}. Напишите сообщение; можно приложить фотографии и файлы.`,
  ticketAccepted: ({ number }) => `Обращение #${number} принято.`,
  ticketOpen: ({ number }) => `Ваше обращение #${number} открыто. Всё, что вы напишете, попадёт в него.`,
  whichTicket: 'К какому обращению это относится?',
  tooManyKept: 'Сначала выберите, пожалуйста, обращение. Это сообщение не передано.',
  ticketChosen: ({ number }) => `Ваши сообщения попадут в обращение #${number}.`,
  yourTickets: 'Ваши открытые обращения:',
  ticketCancelled: 'Отменено. Обращение не создано.',
  messageCancelled: 'Отменено. Сообщение не передано.',
  nothingToCancel: 'Отменять нечего.',
  noTickets: 'У вас нет открытых обращений.',
  cannotPassOn:
    'Я передаю текст, фотографии, видео, файлы и голосовые сообщения, а это передать не могу. Напишите, пожалуйста, текстом.',
  edited: 'Исправлено:',
  ticketClosed: ({ number }) => `Обращение #${number} закрыто. Оцените ответ.`,
  ticketRated: ({ number, score }) => `Обращение #${number} закрыто. Ваша оценка: ${score} из 5. Спасибо!`,
  alreadyRated: 'Вы уже оценили это обращение.',
  ratingOver: 'Оценить это обращение уже нельзя.',

  ticketCreatedNotice: (ticket) => noticeOf(ticket, 'новое обращение', quoted),
  ticketRepliedNotice: (ticket) => noticeOf(ticket, 'клиент написал в обращении', quoted),
  ticketUnansweredNotice: (ticket) => noticeOf(ticket, 'уже 24 часа нет ответа на обращение', quoted),
  answersNotice: ({ project, form, count }) =>
    `${quoted(shown(project))}: ${count} ${russianForm(count, newAnswers)} в форме ${quoted(shown(form))}`,

  formBegin: (form) => `${shown(form)}\n\nОтвечайте на вопросы по одному. Чтобы выйти, отправьте /cancel.`,
  formSkip: 'Пропустить',
  formDone: 'Готово',
  formSeveral: 'Отметьте всё, что подходит, и нажмите «Готово».',
  formDate: 'Например: 2026-01-31',
  formAnswered: (answer) => `Ваш ответ: ${shown(answer)}`,
  formSkipped: 'Пропущено.',
  formAccepted: (project) => `Спасибо! Ваши ответы отправлены в «${shown(project)}».`,
  formCancelled: 'Отменено. Ответы не отправлены.',
  formBlocked: (project) => `Сейчас «${shown(project)}» не принимает ответы. Попробуйте позже.`,
  formNotOpen: 'Эта форма закрыта.',

  help: lines(
    'Этот бот подтверждает вход на сайты и присылает сообщения от них.',
    'Чтобы войти, откройте ссылку или отсканируйте QR-код на сайте либо отправьте команду /start, которую показывает сайт.',
    'Чтобы отписаться от сообщений, отправьте /stop.',
  ),
  notUnderstood: lines(
    'Извините, я вас не понял.',
    'Чтобы войти, откройте ссылку на сайте. Чтобы отписаться от сообщений, отправьте /stop.',
  ),
  editNotRead:
    'Я читаю только новые сообщения. Пришлите, пожалуйста, исправление новым сообщением, а чтобы изменить ответ в форме, отправьте /cancel и откройте ссылку на неё ещё раз.',
};

export const botTexts: Record<Language, BotTexts> = { en, ru };

const SHOWN_LENGTH = 200;
/** Fits on one or two lines of a phone. */
const DEVICE_LENGTH = 60;

/**
 * An untrusted value on one line: a line break or a change of writing direction in it could forge other lines of the
 * question.
 */
function shown(value: string, length = SHOWN_LENGTH): string {
  const line = value
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : line;
}

/** The message as given: its validation has refused what could forge another line. */
function askedLine({ project, message }: Asked): string {
  return message === '' ? shown(project) : `${shown(project)}: ${message}`;
}

/** Where the login comes from: `Device: Chrome on Linux · 203.0.113.7`. */
function origin(
  { device, address }: LoginQuestion,
  words: { device: string; address: string; on: string },
): string | null {
  if (!device) return address ? `${words.address}: ${shown(address)}` : null;
  const name = `${words.device}: ${deviceName(device, words.on)}`;
  return address ? `${name} · ${shown(address)}` : name;
}

function deviceName(text: string, on: string): string {
  const device = readUserAgent(text);
  // The browser chooses the text: without the separator it cannot pretend to be an address.
  if (!device) return shown(text.replaceAll('·', ' '), DEVICE_LENGTH);
  return [device.browser, device.system].filter((part) => part !== null).join(` ${on} `);
}

const newAnswers = { one: 'новый ответ', few: 'новых ответа', many: 'новых ответов' };

const NOTICE_LENGTH = 300;
const quoted = (name: string) => `«${name}»`;

/** `Acme: new request #42`, and what it is about. */
function noticeOf(
  { project, number, about }: TicketNotice,
  what: string,
  named: (project: string) => string,
): string {
  return lines(`${named(shown(project))}: ${what} #${number}`, shown(about, NOTICE_LENGTH));
}

const LISTED = 20;

function list(projects: string[]): string {
  const names = projects.slice(0, LISTED).map((project) => `• ${shown(project)}`);
  return [...names, ...(projects.length > LISTED ? ['…'] : [])].join('\n');
}

/** Joins paragraphs, leaving out missing ones. */
function lines(...paragraphs: (string | null | undefined | false)[]): string {
  return paragraphs.filter(Boolean).join('\n\n');
}
