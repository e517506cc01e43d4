import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';

const HEADER = 'x-herald-own-request';

/** Requests of this process to its own API, which state the address of the client that they are made for. */
export interface OwnRequests {
  headersFor(clientAddress: string): Record<string, string>;
  /** Null for every other request. */
  clientOf(ctx: Context): string | null;
}

/** Whether `clientAddress` has recognised it. */
export function isOwnRequest(ctx: Context): boolean {
  return ctx.state['isOwnRequest'] === true;
}

export function createOwnRequests(): OwnRequests {
  // Only this process knows it, so that no client can state another address.
  const token = randomBytes(32).toString('hex');
  return {
    headersFor: (clientAddress) => ({ [HEADER]: `${token} ${clientAddress}` }),
    clientOf(ctx) {
      const header = ctx.get(HEADER);
      const given = Buffer.from(header.slice(0, token.length));
      if (given.length !== token.length || !timingSafeEqual(given, Buffer.from(token))) return null;
      return header.slice(token.length + 1);
    },
  };
}
