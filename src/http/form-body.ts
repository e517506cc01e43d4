import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { limits } from '../contract/limits';

/** The fields of an HTML form. */
export async function readFormBody(ctx: Context): Promise<URLSearchParams> {
  return new URLSearchParams(await getRawBody(ctx.req, { limit: limits.requestBodyBytes, encoding: 'utf8' }));
}
