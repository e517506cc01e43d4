import type { Context } from 'koa';

/** The origins of Herald's own pages: the address that this request was sent to, and the public one. */
export function ownOrigins(ctx: Pick<Context, 'protocol' | 'host'>, publicUrl: string): string[] {
  return [`${ctx.protocol}://${ctx.host}`.toLowerCase(), new URL(publicUrl).origin];
}
