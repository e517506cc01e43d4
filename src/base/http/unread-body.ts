import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { MIB } from '../contract/limits';

/** Whether the connection ends with the response: because the client has asked for it, or the response says so. */
export function endsConnection({ res, response }: Context): boolean {
  return !res.shouldKeepAlive || response.get('Connection') === 'close';
}

/** What is read of a request's body for no other reason than that its sender reads the response only after it. */
const DRAINED = { bytes: 64 * MIB, ms: 10_000 };

/**
 * Reads what is left of the body and forgets it. A connection that ends with the response would be reset while its client
 * still sends, and the client would never read the response. One that is kept alive Node drains by itself.
 */
export async function readToEnd(req: IncomingMessage): Promise<void> {
  if (req.complete || req.destroyed) return;
  await new Promise<void>((resolve) => {
    let left = DRAINED.bytes;
    const count = (bytes: Buffer) => {
      left -= bytes.length;
      if (left < 0) end();
    };
    const timer = setTimeout(end, DRAINED.ms);
    function end(): void {
      clearTimeout(timer);
      req.off('data', count);
      for (const event of ['end', 'error', 'close']) req.off(event, end);
      resolve();
    }
    for (const event of ['end', 'error', 'close']) req.once(event, end);
    req.on('data', count);
    req.resume();
  });
}
