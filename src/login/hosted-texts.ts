import type { Channel, Language } from '../contract/common';
import { html, type Html } from '../http/html';

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
  lead: 'Confirm the login in a messenger. No password needed.',
  matchLabel: 'Login code',
  matchHint: 'The bot shows the same code. Confirm only if the codes match.',
  open: (channel) => `Open ${channel}`,
  openApp: 'Open in the app',
  scan: 'or scan with your phone',
  qrAlt: (channel) => `QR code to log in with ${channel}`,
  showQr: 'Show QR code',
  fallback: (bot) => `Bot didn’t respond? Send ${bot} this message:`,
  copy: 'Copy',
  copied: 'Copied',
  waiting: 'Waiting for your answer in the messenger',
  timeLeft: 'Time left',
  noChannels: 'No messenger is available right now. Reload this page in a minute.',
  confirmedTitle: 'You are logged in',
  confirmedOnward: 'Taking you back to the site…',
  confirmedReturn: 'You can close this page and return to the site.',
  goOn: 'Continue to the site',
  declinedTitle: 'Login declined',
  declinedText: 'You answered No in the messenger. If that was a mistake, start again on the site.',
  billingTitle: 'Login is temporarily unavailable',
  billingText: 'This site can’t accept logins right now. Try again later.',
  expiredTitle: 'This login has expired',
  expiredText: 'It was not confirmed in time, or its code has expired. Start again on the site.',
  elsewhereTitle: 'This page is open in another browser',
  elsewhereText:
    'For your security, a login works only in the browser that opened it first. Continue there, or start again on the site in this browser.',
  unknownTitle: 'Login not found',
  unknownText: 'The link is wrong, or the login ended long ago. Start again on the site.',
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
  openApp: 'Открыть в приложении',
  scan: 'или отсканируйте телефоном',
  qrAlt: (channel) => `QR-код для входа через ${channel}`,
  showQr: 'Показать QR-код',
  fallback: (bot) => `Бот не отвечает? Отправьте ${bot} это сообщение:`,
  copy: 'Скопировать',
  copied: 'Скопировано',
  waiting: 'Ждём вашего ответа в мессенджере',
  timeLeft: 'Осталось',
  noChannels: 'Мессенджеры сейчас недоступны. Обновите страницу через минуту.',
  confirmedTitle: 'Вы вошли',
  confirmedOnward: 'Возвращаемся на сайт…',
  confirmedReturn: 'Можно закрыть эту страницу и вернуться на сайт.',
  goOn: 'Вернуться на сайт',
  declinedTitle: 'Вход отклонён',
  declinedText: 'Вы нажали «Нет» в мессенджере. Если это вышло случайно, начните заново на сайте.',
  billingTitle: 'Вход временно недоступен',
  billingText: 'Сейчас войти на этот сайт нельзя. Попробуйте позже.',
  expiredTitle: 'Время на вход истекло',
  expiredText: 'Вход не подтвердили вовремя, или код уже не действует. Начните заново на сайте.',
  elsewhereTitle: 'Страница открыта в другом браузере',
  elsewhereText:
    'В целях безопасности войти можно только в том браузере, где эту страницу открыли впервые. Продолжите там или начните заново на сайте в этом браузере.',
  unknownTitle: 'Вход не найден',
  unknownText: 'Ссылка неверна, или вход давно завершён. Начните заново на сайте.',
  offline: 'Связь прервалась. Пробуем ещё раз…',
  language: 'Язык',
};

export const loginTexts: Record<Language, LoginTexts> = { en, ru };

/** Display names of the channels. */
export const channelNames: Record<Channel, string> = { telegram: 'Telegram', max: 'MAX' };
