import type { Context } from 'koa';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import { readBody, readJsonBody } from './json-body';

/** Whether the request is the POST of an HTML form, as a browser sends it without a script. */
export function isHtmlForm(ctx: Pick<Context, 'is'>): boolean {
  return ctx.is('urlencoded') === 'urlencoded';
}

/**
 * Reads a body in JSON or that of an HTML form. A name that occurs several times has a list of values. The number of
 * fields is bounded before they are decoded.
 */
export async function readFormBody(ctx: Context, maxBytes: number): Promise<unknown> {
  if (!isHtmlForm(ctx)) return readJsonBody(ctx, maxBytes);
  const raw = await readBody(ctx, maxBytes);
  return raw === null ? {} : decoded(raw.toString('utf8'));
}

function decoded(text: string): Record<string, string | string[]> {
  let separators = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    separators += 1;
    if (separators >= limits.json.fields) {
      throw new AppError('validation_failed', `body: can have up to ${limits.json.fields} fields`);
    }
  }
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === '__proto__') throw new AppError('validation_failed', 'body: has a name that cannot be used');
    const before = fields.get(name);
    fields.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(fields);
}
