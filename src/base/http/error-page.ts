import type { Context } from 'koa';
import { type AppError, type ErrorCode } from '../contract/errors';
import type { Language } from '../contract/common';
import { browserLanguage } from './browser-language';
import { html, pageHead } from './html';

interface Words {
  title: string;
  text: string;
}

const words: Record<
  Language,
  { codes: Partial<Record<ErrorCode, Words>>; other: Words; unavailable: Words }
> = {
  en: {
    codes: {
      not_found: { title: 'Page not found', text: 'The address may be mistyped, or the page has moved.' },
    },
    unavailable: { title: 'Temporarily unavailable', text: 'Try again in a moment.' },
    other: { title: 'This did not work', text: 'Go back and try again.' },
  },
  ru: {
    codes: {
      not_found: {
        title: 'Страница не найдена',
        text: 'Возможно, в адресе опечатка или страница переехала.',
      },
    },
    unavailable: { title: 'Временно недоступно', text: 'Попробуйте ещё раз чуть позже.' },
    other: { title: 'Не получилось', text: 'Вернитесь назад и попробуйте ещё раз.' },
  },
};

const links: Record<Language, { docs: string; dashboard: string; request: string }> = {
  en: { docs: 'Documentation', dashboard: 'Dashboard', request: 'Request' },
  ru: { docs: 'Документация', dashboard: 'Панель', request: 'Запрос' },
};

/** Browsers ask for HTML by name; programs that take anything, and all callers of the API, get the envelope. */
export function wantsPage(ctx: Context): boolean {
  return !/^\/v1(\/|$)/.test(ctx.path) && ctx.accepts('json', 'html') === 'html';
}

/** An error for a person in a browser. The text of the error itself is for developers, so it is not shown. */
export function errorPage(ctx: Context, error: AppError): string {
  const language = browserLanguage(ctx);
  const { codes, other, unavailable } = words[language];
  const { title, text } = codes[error.code] ?? (error.status >= 500 ? unavailable : other);
  const { docs, dashboard, request } = links[language];
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        ${pageHead({ title: `${title} · Herald`, style: '/docs/docs.css', noindex: true })}
      </head>
      <body class="error">
        <main>
          <p class="status">${error.status}</p>
          <h1>${title}</h1>
          <p>${text}</p>
          <p class="links"><a href="/docs">${docs}</a> <a href="/dashboard">${dashboard}</a></p>
          ${
            error.status >= 500 &&
            html`<p class="facts">${request} <code>${String(ctx.state['requestId'] ?? '')}</code></p>`
          }
        </main>
      </body>
    </html>`.text;
}
