import type { Language } from '../../base/contract/common';
import { html, type Html } from '../../base/http/html';

/** The copy of the hosted login page. */
export interface LoginTexts {
  title(project: string): string;
  heading(project: Html): Html;
  lead: string;
  matchLabel: string;
  matchHint: string;
  open(channel: string): string;
  openApp: string;
  scan: string;
  qrAlt(channel: string): string;
  help: string;
  sendCommand(bot: string): string;
  copy: string;
  copied: string;
  waiting: string;
  /** Said before the user answers. */
  consent(project: Html): Html;
  timeLeft: string;
  noChannels: string;
  confirmedTitle: string;
  confirmedOnward: string;
  confirmedReturn: string;
  confirmedDevice: string;
  /** Against links to another person's device. */
  deviceHint(code: Html): Html;
  goOn: string;
  /** Returns to the site without a code. */
  back: string;
  privacy: string;
  declinedTitle: string;
  declinedText: string;
  billingTitle: string;
  billingText: string;
  expiredTitle: string;
  expiredText: string;
  elsewhereTitle: string;
  elsewhereText: (project: string) => string;
  unknownTitle: string;
  unknownText: string;
  offline: string;
  language: string;
}

const en: LoginTexts = {
  title: (project) => `Log in to ${project}`,
  heading: (project) => html`Log in to ${project}`,
  lead: 'Confirm the login in a messenger. No password needed.',
  matchLabel: 'Login code',
  matchHint: 'The bot shows the same code. Confirm only if the codes match.',
  open: (channel) => `Open ${channel}`,
  openApp: 'Link doesn’t open? Try the app:',
  scan: 'Or scan with your phone',
  qrAlt: (channel) => `QR code to log in with ${channel}`,
  help: 'Bot didn’t respond?',
  sendCommand: (bot) => `Send ${bot} this message:`,
  copy: 'Copy',
  copied: 'Copied',
  waiting: 'Waiting for your answer in the messenger',
  consent: (project) =>
    html`Tapping Yes also subscribes you to messages from ${project}. To stop them, send /stop to the bot.`,
  timeLeft: 'Time left',
  noChannels: 'No messenger is available right now. Reload this page in a minute.',
  confirmedTitle: 'You are logged in',
  confirmedOnward: 'Taking you back to the site…',
  confirmedReturn: 'You can close this page and return to the site.',
  confirmedDevice: 'Close this page and return to your device. It logs in within a few seconds.',
  deviceHint: (code) =>
    html`You are logging in on another device. Go on only if it is yours and shows the code ${code}.`,
  goOn: 'Continue to the site',
  back: 'Back to the site',
  privacy: 'Privacy policy',
  declinedTitle: 'Login declined',
  declinedText: 'You answered No in the messenger. If that was a mistake, start again on the site.',
  billingTitle: 'Login is temporarily unavailable',
  billingText: 'This site can’t accept logins right now. Try again later.',
  expiredTitle: 'This login has expired',
  expiredText: 'It was not confirmed in time, or its code has expired. Start again on the site.',
  elsewhereTitle: 'This page is open in another browser',
  elsewhereText: (project) =>
    `For your security, a login works only in the browser that opened it first. Continue there, or log in to ${project} again in this browser.`,
  unknownTitle: 'Login not found',
  unknownText:
    'The link is incomplete, or this login ended some time ago. Go back to the site where you started and log in again.',
  offline: 'Connection lost. Trying again…',
  language: 'Language',
};

const ru: LoginTexts = {
  title: (project) => `Вход в «${project}»`,
  heading: (project) => html`Вход в «${project}»`,
  lead: 'Подтвердите вход в мессенджере. Пароль не нужен.',
  matchLabel: 'Код для входа',
  matchHint: 'Бот покажет такой же код. Подтверждайте вход, только если коды совпадают.',
  open: (channel) => `Открыть ${channel}`,
  openApp: 'Ссылка не открывается? Попробуйте приложение:',
  scan: 'Или отсканируйте телефоном',
  qrAlt: (channel) => `QR-код для входа через ${channel}`,
  help: 'Бот не отвечает?',
  sendCommand: (bot) => `Отправьте ${bot} это сообщение:`,
  copy: 'Скопировать',
  copied: 'Скопировано',
  waiting: 'Ждём вашего ответа в мессенджере',
  consent: (project) =>
    html`Нажав «Да», вы подпишетесь на сообщения от «${project}». Чтобы отписаться, отправьте боту /stop.`,
  timeLeft: 'Осталось',
  noChannels: 'Мессенджеры сейчас недоступны. Обновите страницу через минуту.',
  confirmedTitle: 'Вы вошли',
  confirmedOnward: 'Возвращаемся на сайт…',
  confirmedReturn: 'Можно закрыть эту страницу и вернуться на сайт.',
  confirmedDevice: 'Закройте эту страницу и вернитесь к устройству: вход завершится через несколько секунд.',
  deviceHint: (code) =>
    html`Вы входите на другом устройстве. Продолжайте, только если оно ваше и на нём показан код ${code}.`,
  goOn: 'Вернуться на сайт',
  back: 'Вернуться на сайт',
  privacy: 'Политика конфиденциальности',
  declinedTitle: 'Вход отклонён',
  declinedText: 'Вы нажали «Нет» в мессенджере. Если это вышло случайно, начните заново на сайте.',
  billingTitle: 'Вход временно недоступен',
  billingText: 'Сейчас войти на этот сайт нельзя. Попробуйте позже.',
  expiredTitle: 'Время на вход истекло',
  expiredText: 'Вход не подтвердили вовремя, или код уже не действует. Начните заново на сайте.',
  elsewhereTitle: 'Страница открыта в другом браузере',
  elsewhereText: (project) =>
    `В целях безопасности войти можно только в том браузере, где эту страницу открыли впервые. Продолжите там или войдите в ${project} заново в этом браузере.`,
  unknownTitle: 'Вход не найден',
  unknownText:
    'Ссылка неполная, или этот вход давно завершён. Вернитесь на сайт, с которого начали, и войдите заново.',
  offline: 'Связь прервалась. Пробуем ещё раз…',
  language: 'Язык',
};

export const loginTexts: Record<Language, LoginTexts> = { en, ru };
