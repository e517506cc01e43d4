import type { Context } from 'koa';
import type { Language } from '../contract/common';
import { browserLanguage } from './browser-language';
import { setHttpOnlyCookie } from './http-only-cookie';

const COOKIE = 'herald_language';
const YEAR_MS = 365 * 24 * 3_600_000;

/** The parameter of the switch between the languages. */
export const CHOICE = 'language';

/** The language that the reader has just chosen with the switch. */
export function newChoice(ctx: Pick<Context, 'query'>): Language | undefined {
  return languageOf(ctx.query[CHOICE]);
}

/** Remembers the choice for later visits of the front page and the documentation: it outweighs the browser’s languages. */
export function remember(ctx: Context, language: Language, publicUrl: string): void {
  const scope = { sameSite: 'lax', path: '/', maxAge: YEAR_MS } as const;
  setHttpOnlyCookie(ctx, publicUrl, COOKIE, language, scope);
}

/** The language of a page whose address names none. */
export function readerLanguage(ctx: Context): Language {
  return languageOf(ctx.cookies.get(COOKIE)) ?? browserLanguage(ctx);
}

function languageOf(value: unknown): Language | undefined {
  return value === 'en' || value === 'ru' ? value : undefined;
}
