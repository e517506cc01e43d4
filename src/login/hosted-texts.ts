import type { Channel, Language } from '../contract/common';
import { html, type Html } from '../http/html';

/** What the hosted login page says. */
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
  showQr: string;
  fallback(bot: string): string;
  copy: string;
  copied: string;
  waiting: string;
  timeLeft: string;
  noChannels: string;
  confirmedTitle: string;
  confirmedOnward: string;
  confirmedReturn: string;
  goOn: string;
  declinedTitle: string;
  declinedText: string;
  billingTitle: string;
  billingText: string;
  expiredTitle: string;
  expiredText: string;
  elsewhereTitle: string;
  elsewhereText: string;
  unknownTitle: string;
  unknownText: string;
  offline: string;
  language: string;
}

const en: LoginTexts = {
  title: (project) => `Log in to ${project}`,
  heading: (project) => html`Log in to ${project}`,
  lead: 'Confirm the login in a messenger. No password is needed.',
  matchLabel: 'Code of this login',
  matchHint: 'The bot shows the same code. Confirm only if the two are equal.',
  open: (channel) => `Open ${channel}`,
  openApp: 'Open the installed app',
  scan: 'or scan with your phone',
  qrAlt: (channel) => `QR code that opens the login in ${channel}`,
  showQr: 'Show the QR code',
  fallback: (bot) => `If the bot asks nothing, send ${bot} this message:`,
  copy: 'Copy',
  copied: 'Copied',
  waiting: 'Waiting for your answer in the messenger',
  timeLeft: 'Time left',
  noChannels: 'No messenger can be reached at the moment. Please reload this page in a minute.',
  confirmedTitle: 'You are logged in',
  confirmedOnward: 'Taking you back to the site …',
  confirmedReturn: 'You can close this page and return to the site.',
  goOn: 'Continue to the site',
  declinedTitle: 'Login declined',
  declinedText: 'You answered No in the messenger. If that was a mistake, start again on the site.',
  billingTitle: 'Logins are not possible now',
  billingText: 'This site cannot accept logins at the moment. Please try again later.',
  expiredTitle: 'The time is over',
  expiredText: 'This login was not confirmed in time or its code has run out. Start again on the site.',
  elsewhereTitle: 'This page is open elsewhere',
  elsewhereText:
    'For your safety a login works only in the browser that opened it first. Go on there, or start again on the site in this browser.',
  unknownTitle: 'There is no such login',
  unknownText: 'The address is wrong, or the login ended long ago. Start again on the site.',
  offline: 'The connection was lost. Trying again …',
  language: 'Language',
};

const ru: LoginTexts = {
  title: (project) => `Вход в «${project}»`,
  heading: (project) => html`Вход в «${project}»`,
  lead: 'Подтвердите вход в мессенджере. Пароль не нужен.',
  matchLabel: 'Код этого входа',
  matchHint: 'Бот покажет такой же код. Подтверждайте, только если они совпадают.',
  open: (channel) => `Открыть ${channel}`,
  openApp: 'Открыть установленное приложение',
  scan: 'или отсканируйте телефоном',
  qrAlt: (channel) => `QR-код, который открывает вход в ${channel}`,
  showQr: 'Показать QR-код',
  fallback: (bot) => `Если бот ничего не спросил, отправьте ${bot} это сообщение:`,
  copy: 'Скопировать',
  copied: 'Скопировано',
  waiting: 'Ждём вашего ответа в мессенджере',
  timeLeft: 'Осталось',
  noChannels: 'Сейчас ни один мессенджер не отвечает. Обновите страницу через минуту.',
  confirmedTitle: 'Вы вошли',
  confirmedOnward: 'Возвращаем вас на сайт …',
  confirmedReturn: 'Можно закрыть эту страницу и вернуться на сайт.',
  goOn: 'Перейти на сайт',
  declinedTitle: 'Вход отклонён',
  declinedText: 'Вы ответили «Нет» в мессенджере. Если это ошибка, начните заново на сайте.',
  billingTitle: 'Сейчас войти нельзя',
  billingText: 'Сайт сейчас не может принимать входы. Попробуйте, пожалуйста, позже.',
  expiredTitle: 'Время истекло',
  expiredText: 'Вход не подтвердили вовремя, или его код уже не действует. Начните заново на сайте.',
  elsewhereTitle: 'Эта страница открыта в другом месте',
  elsewhereText:
    'Для вашей безопасности войти можно только в том браузере, где страницу открыли первой. Продолжите там или начните заново на сайте в этом браузере.',
  unknownTitle: 'Такого входа нет',
  unknownText: 'Адрес неверен, или вход давно завершён. Начните заново на сайте.',
  offline: 'Связь прервалась. Пробуем ещё раз …',
  language: 'Язык',
};

export const loginTexts: Record<Language, LoginTexts> = { en, ru };

/** As people call them. */
export const channelNames: Record<Channel, string> = { telegram: 'Telegram', max: 'MAX' };
