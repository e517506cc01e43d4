import type { Context, Middleware } from 'koa';
import type { Language } from '../base/contract/common';
import { limits } from '../base/contract/limits';
import { Html, html, pageHead } from '../base/http/html';
import { CHOICE, newChoice, readerLanguage, remember } from '../base/http/reader-language';

interface FrontPageOptions {
  publicUrl: () => string;
  /** Whether a visitor can create a project. */
  openSignup: boolean;
  hasSession: (ctx: Context) => boolean;
  messengers: readonly { label: Record<Language, string>; icon: string }[];
}

/** `/`: what Herald is, and the one next step: the dashboard of a signed-in visitor, a project of one's own, or the sign-in. */
export function frontPage(options: FrontPageOptions): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = '/';
    const chosen = newChoice(ctx);
    if (chosen) {
      remember(ctx, chosen, options.publicUrl());
      return ctx.redirect('/');
    }
    ctx.vary('Accept-Language');
    ctx.vary('Cookie');
    ctx.type = 'html';
    ctx.body = page(options, readerLanguage(ctx), options.hasSession(ctx));
  };
}

interface Words {
  title: string;
  lead: (messengers: string) => string;
  docs: string;
  otherLanguage: string;
  open: string;
  create: string;
  signIn: string;
  createHint: string;
  question: string;
  code: string;
  yes: string;
  no: string;
  example: string;
  parts: [title: string, text: string][];
  and: string;
  quickStart: string;
  reference: string;
  events: string;
}

const words: Record<Language, Words> = {
  en: {
    title: 'Log users in with a messenger, and keep in touch',
    lead: (messengers) =>
      `Your users confirm a login with one tap in ${messengers}: no passwords, no SMS. Herald then sends the events of your project to your server and your messages to its subscribers.`,
    docs: 'Documentation',
    otherLanguage: 'Русский',
    open: 'Open the dashboard',
    create: 'Create a project',
    signIn: 'Sign in',
    createHint: 'Sign in with your messenger: it takes a minute.',
    question: 'Log in to Tea shop?',
    code: 'Code on the screen: K7QX',
    yes: 'Yes',
    no: 'No',
    example: 'What your users see: the bot’s question with the buttons Yes and No',
    parts: [
      [
        'Login',
        'By link, QR code, button or OpenID Connect. Your backend gets a one-time code and the user.',
      ],
      [
        'Webhooks',
        `Signed events, retried for ${limits.webhookRetryHours} hours. Every attempt is logged, and any delivery can be sent again.`,
      ],
      ['Messages', 'Single messages, broadcasts, schedules and chains, with templates in two languages.'],
      [
        'Support and forms',
        'Customers write to the bot, and your team answers from one inbox. Forms work on your site and in the bot.',
      ],
    ],
    and: ' or ',
    quickStart: 'Quick start',
    reference: 'API reference',
    events: 'Events',
  },
  ru: {
    title: 'Вход через мессенджер и сообщения тем, кто вошёл',
    lead: (messengers) =>
      `Пользователь подтверждает вход одним нажатием в ${messengers}: без паролей и SMS. Дальше Herald присылает события проекта на ваш сервер и доставляет ваши сообщения подписчикам.`,
    docs: 'Документация',
    otherLanguage: 'English',
    open: 'Открыть панель',
    create: 'Создать проект',
    signIn: 'Войти',
    createHint: 'Войдите через мессенджер — это займёт минуту.',
    question: 'Войти в «Чайную лавку»?',
    code: 'Код на экране: K7QX',
    yes: 'Да',
    no: 'Нет',
    example: 'Что видят пользователи: вопрос бота с кнопками «Да» и «Нет»',
    parts: [
      [
        'Вход',
        'По ссылке, QR-коду, кнопке или OpenID Connect. Ваш сервер получает одноразовый код и данные пользователя.',
      ],
      [
        'Вебхуки',
        `События с цифровой подписью, повторы в течение ${limits.webhookRetryHours} часов. Каждая попытка видна в журнале, любую доставку можно повторить.`,
      ],
      ['Сообщения', 'Отдельные сообщения, рассылки, расписания и цепочки — с шаблонами на двух языках.'],
      [
        'Поддержка и формы',
        'Клиенты пишут боту, команда отвечает в панели. Формы работают и на сайте, и в боте.',
      ],
    ],
    and: ' или ',
    quickStart: 'Быстрый старт',
    reference: 'Справочник API',
    events: 'События',
  },
};

/** It works without a script. */
function page(options: FrontPageOptions, language: Language, isSignedIn: boolean): string {
  const t = words[language];
  const other = language === 'en' ? 'ru' : 'en';
  const docs = language === 'ru' ? '/docs/ru' : '/docs';
  const names = options.messengers.map(({ label }) => label[language]).join(t.and);
  const isNew = options.openSignup && !isSignedIn;
  const action = isSignedIn ? t.open : isNew ? t.create : t.signIn;
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        ${pageHead({ title: 'Herald', style: '/assets/front.css' })}
        <meta name="description" content="${t.title}" />
      </head>
      <body>
        <header>
          <span class="brand"><img src="/assets/icon.svg" alt="" width="28" height="28" /> Herald</span>
          <nav aria-label="Herald">
            <a href="${docs}">${t.docs}</a>
            <a href="/?${CHOICE}=${other}" hreflang="${other}" lang="${other}">${t.otherLanguage}</a>
          </nav>
        </header>
        <main>
          <div class="pitch">
            <h1>${t.title}</h1>
            <p class="lead">${t.lead(names)}</p>
            <p class="start">
              <a class="btn primary" href="/dashboard${isNew ? '?new' : ''}">${action}</a>
              ${isNew && html`<span class="hint">${t.createHint}</span>`}
            </p>
          </div>
          <div class="chat" role="img" aria-label="${t.example}">
            <div class="bubble">
              <strong>${t.question}</strong>
              <span>${t.code}</span>
            </div>
            <div class="answers"><span>${t.yes}</span><span>${t.no}</span></div>
            <div class="apps">
              ${options.messengers.map(({ icon, label }) => html`<span>${new Html(icon)} ${label[language]}</span>`)}
            </div>
          </div>
          <ul class="parts">
            ${t.parts.map(
              ([title, text]) =>
                html`<li>
                  <h2>${title}</h2>
                  <p>${text}</p>
                </li>`,
            )}
          </ul>
        </main>
        <footer>
          <a href="${docs}">${t.quickStart}</a> <a href="${docs}/reference">${t.reference}</a>
          <a href="${docs}/events">${t.events}</a> <a href="/openapi.json">OpenAPI</a>
        </footer>
      </body>
    </html>`.text;
}
