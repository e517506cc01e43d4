import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../lib/log';

/** A message whose result is lost would be sent again. */
const RETRY_MS = { first: 200, max: 5_000, total: 5 * 60_000 };

/** Repeats a write of a broadcast while the database is unavailable, for up to five minutes. */
export async function retryWrite<T>(log: Logger, broadcastId: string, write: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + RETRY_MS.total;
  for (let pause = RETRY_MS.first; ; pause = Math.min(pause * 2, RETRY_MS.max)) {
    try {
      return await write();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      log.warn(
        { err: error, broadcast_id: broadcastId },
        'writing the results of a broadcast failed; retrying',
      );
      await sleep(pause);
    }
  }
}
