import type { Context } from 'koa';
import type { Language } from '../contract/common';

/** The first of the browser's languages that Herald speaks. */
export function browserLanguage(ctx: Pick<Context, 'acceptsLanguages'>): Language {
  return ctx.acceptsLanguages('en', 'ru') === 'ru' ? 'ru' : 'en';
}
