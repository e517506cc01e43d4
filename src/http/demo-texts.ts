import type { Language } from '../contract/common';
import { html, type Html } from './html';

export interface DemoTexts {
  site: string;
  dashboard: string;
  docs: string;
  otherLanguage: string;
  back: string;
  logIn: string;
  tryTitle: string;
  lead: Html;
  staticTitle: string;
  staticText: string;
  sessionTitle: string;
  sessionText: Html;
  qrTitle: string;
  qrText: string;
  showQr: string;
  embedLine: (link: string) => Html;
  paymentLine: string;
  paymentOffer: string;
  pay: string;
  payment: string;
  paymentMessage: string;
  confirmTitle: string;
  confirmText: string;
  loginFirst: string;
  loginFirstText: string;
  scanPage: string;
  scanTitle: string;
  qrAlt: (messenger: string) => string;
  matchCode: string;
  waiting: string;
  noPhone: (link: string) => Html;
  notLoggedIn: string;
  refused: string;
  unavailable: string;
  callback: string;
  withoutCode: string;
  loggedIn: string;
  codeText: (seconds: number) => string;
  noState: string;
  stateText: string;
  stateMatches: string;
  stateDiffers: string;
  exchange: string;
  orCall: string;
  user: string;
  hello: (name: unknown) => Html;
  userText: Html;
  again: string;
  embedTitle: string;
  embedText: string;
  embedGuide: string;
  failed: string;
  noProject: string;
  unexpected: string;
}

const en: DemoTexts = {
  site: 'Demo project',
  dashboard: 'Dashboard',
  docs: 'Docs',
  otherLanguage: 'Русский',
  back: 'Back to the demo',
  logIn: 'Log in',
  tryTitle: 'Try a login',
  lead: html`This page stands in for a project’s site. The bots run in the simulator, so nothing leaves this
    machine: the links open a simulated phone, where you answer <strong>Yes</strong> or <strong>No</strong>.`,
  staticTitle: '1. Static link',
  staticText: 'One permanent link. After Yes, the bot shows a button that returns here with the code.',
  sessionTitle: '2. Session with the hosted page',
  sessionText: html`The site creates a session with its own <code>state</code> and redirects you to Herald’s
    login page.`,
  qrTitle: '3. QR code and polling',
  qrText: 'The site shows the QR code itself and polls until you answer on the phone.',
  showQr: 'Show QR code',
  embedLine: (link) =>
    html`There is also an <a href="${link}">embeddable button</a>, which opens the login in a small window.`,
  paymentLine: 'After a login the demo also shows how a site asks you to confirm a payment in the messenger.',
  paymentOffer: 'The site knows you now. Before something important it can ask you in the messenger again:',
  pay: 'Pay 50 €',
  payment: 'Payment',
  paymentMessage: 'Approve the payment of 50 €?',
  confirmTitle: 'Confirm in your messenger',
  confirmText: 'The bot has sent you this question:',
  loginFirst: 'Log in first',
  loginFirstText: 'Only a logged-in user can pay.',
  scanPage: 'QR login',
  scanTitle: 'Scan to log in',
  qrAlt: (messenger) => `QR code to log in with ${messenger}`,
  matchCode: 'Login code',
  waiting: 'Waiting for your answer…',
  noPhone: (link) =>
    html`No phone at hand? <a href="${link}" target="_blank" rel="noopener">Open the login page</a> in another
      tab.`,
  notLoggedIn: 'Not logged in',
  refused: 'The login was declined or has expired. The site received error=access_denied and no code.',
  unavailable: 'Login is not available right now. The site received an error and no code.',
  callback: 'Demo callback',
  withoutCode: 'This page was opened without a code. Users return here with one after they confirm a login.',
  loggedIn: 'Logged in',
  codeText: (seconds) =>
    `The demo project received this one-time code. It works once and expires after ${seconds} seconds.`,
  noState: 'A static link has no state.',
  stateText: 'The project’s own state came with it:',
  stateMatches: 'The state matches this browser.',
  stateDiffers: 'The state does not match this browser. A real site must stop here.',
  exchange: 'Exchange the code for the user',
  orCall: 'Or call the API as the project’s backend does:',
  user: 'The user',
  hello: (name) => html`Hello, <bdi>${name}</bdi>`,
  userText: html`This is the response of <code>POST /v1/auth/verify</code>. The code cannot be used again.`,
  again: 'Log in again',
  embedTitle: 'Embeddable button',
  embedText: 'One script tag adds the button below to a page:',
  embedGuide: 'How to use it on your site',
  failed: 'Something went wrong',
  noProject: 'There is no demo project. Run npm start to create one.',
  unexpected: 'Herald returned an unexpected response.',
};

const ru: DemoTexts = {
  site: 'Демо-проект',
  dashboard: 'Панель',
  docs: 'Документация',
  otherLanguage: 'English',
  back: 'Назад к демо',
  logIn: 'Войти',
  tryTitle: 'Попробуйте войти',
  lead: html`Представьте, что это сайт вашего проекта. Боты работают в симуляторе, поэтому в интернет ничего
    не уходит: ссылки открывают телефон-симулятор, на котором вы отвечаете <strong>Да</strong> или
    <strong>Нет</strong>.`,
  staticTitle: '1. Постоянная ссылка',
  staticText: 'Одна ссылка навсегда. После «Да» бот показывает кнопку, которая вернёт вас сюда с кодом.',
  sessionTitle: '2. Сессия и страница входа',
  sessionText: html`Сайт создаёт сессию со своим <code>state</code> и отправляет вас на страницу входа Herald.`,
  qrTitle: '3. QR-код и опрос',
  qrText: 'Сайт сам показывает QR-код и ждёт, пока вы ответите на телефоне.',
  showQr: 'Показать QR-код',
  embedLine: (link) =>
    html`Есть и <a href="${link}">готовая кнопка</a>: она открывает вход в небольшом окне.`,
  paymentLine: 'После входа демо покажет и то, как сайт просит подтвердить платёж в мессенджере.',
  paymentOffer: 'Сайт вас узнал. Перед важной операцией он может спросить вас в мессенджере ещё раз:',
  pay: 'Заплатить 50 €',
  payment: 'Платёж',
  paymentMessage: 'Подтвердить платёж на 50 €?',
  confirmTitle: 'Подтвердите в мессенджере',
  confirmText: 'Бот задал вам вопрос:',
  loginFirst: 'Сначала войдите',
  loginFirstText: 'Платить может только тот, кто вошёл.',
  scanPage: 'Вход по QR-коду',
  scanTitle: 'Отсканируйте, чтобы войти',
  qrAlt: (messenger) => `QR-код для входа через ${messenger}`,
  matchCode: 'Код для входа',
  waiting: 'Ждём ваш ответ…',
  noPhone: (link) =>
    html`Нет телефона под рукой?
      <a href="${link}" target="_blank" rel="noopener">Откройте страницу входа</a> в другой вкладке.`,
  notLoggedIn: 'Вход не выполнен',
  refused: 'Вход отклонён или время вышло. Сайт получил error=access_denied и не получил кода.',
  unavailable: 'Вход временно недоступен. Сайт получил ошибку и не получил кода.',
  callback: 'Возврат на демо-сайт',
  withoutCode: 'Страница открыта без кода. С кодом сюда возвращаются после подтверждённого входа.',
  loggedIn: 'Вы вошли',
  codeText: (seconds) =>
    `Демо-проект получил одноразовый код. Он сработает один раз и действует ${seconds} секунд.`,
  noState: 'У постоянной ссылки нет state.',
  stateText: 'Вместе с ним пришёл state проекта:',
  stateMatches: 'Значение state совпало: вход начат в этом браузере.',
  stateDiffers:
    'Значение state не совпало: вход начат не в этом браузере. Настоящий сайт должен его прервать.',
  exchange: 'Обменять код на пользователя',
  orCall: 'Или вызовите API, как это делает сервер проекта:',
  user: 'Пользователь',
  hello: (name) => html`Здравствуйте, <bdi>${name}</bdi>`,
  userText: html`Это ответ <code>POST /v1/auth/verify</code>. Второй раз код не сработает.`,
  again: 'Войти ещё раз',
  embedTitle: 'Готовая кнопка',
  embedText: 'Один тег script добавляет на страницу такую кнопку:',
  embedGuide: 'Как поставить её на свой сайт',
  failed: 'Не получилось',
  noProject: 'Демо-проекта нет. Его создаёт npm start.',
  unexpected: 'Неожиданный ответ Herald.',
};

export const demoTexts: Record<Language, DemoTexts> = { en, ru };
