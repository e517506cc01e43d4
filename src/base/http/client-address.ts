import type { Context, Middleware } from 'koa';
import { isIpAddress } from '../contract/ip-address';
import type { OwnRequests } from './own-requests';

/**
 * Sets `ctx.ip` to the client's address. Each trusted proxy appends the address it was called from to X-Forwarded-For, so
 * with `hops` of them the client is that many entries from the right; anything before it is the client's own claim.
 */
export function clientAddress(hops: number, ownRequests?: OwnRequests): Middleware {
  return async (ctx, next) => {
    const ownClient = ownRequests?.clientOf(ctx) ?? null;
    ctx.state['isOwnRequest'] = ownClient !== null;
    ctx.request.ip =
      ownClient ?? forwardedAddress(ctx, hops) ?? normal(ctx.req.socket.remoteAddress || 'unknown');
    await next();
  };
}

/** Null if there is no such entry or it is not an address. */
function forwardedAddress(ctx: Context, hops: number): string | null {
  if (hops === 0) return null;
  const entries = ctx.get('x-forwarded-for').split(',');
  const address = normal(withoutPort(entries[Math.max(0, entries.length - hops)]?.trim() ?? ''));
  return isIpAddress(address) ? address : null;
}

/** Some proxies append the port: `203.0.113.7:5000`, `[2001:db8::1]:5000`. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(entry)?.[1] ?? entry;
}

/** An IPv4 client of a dual-stack socket is the same client. */
function normal(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
