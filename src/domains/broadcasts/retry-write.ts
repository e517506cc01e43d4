import type { Logger } from '../../base/lib/log';
import { withRetry } from '../../base/lib/retry';

/** A message whose result is lost would be sent again. */
const RETRY_FOR_MS = 5 * 60_000;
const RETRY_PAUSE_MS = { first: 200, most: 5_000 };

/** Repeats a write of a broadcast while the database is unavailable, for up to five minutes. */
export function retryWrite<T>(log: Logger, broadcastId: string, write: () => Promise<T>): Promise<T> {
  return withRetry(write, {
    pauseMs: RETRY_PAUSE_MS,
    shouldRetry: (_error, { elapsedMs }) => elapsedMs <= RETRY_FOR_MS,
    onRetry: (err) =>
      log.warn({ err, broadcast_id: broadcastId }, 'writing the results of a broadcast failed; retrying'),
  });
}
