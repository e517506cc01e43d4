import { heartbeat } from '@temporalio/activity';

/**
 * Sends heartbeats while `work` runs. They only detect a dead worker: progress is in the rows. Every statement, transaction and
 * call of `work` has a limit of its own, so that they end with it.
 */
export async function withHeartbeats<T>(everyMs: number, work: () => Promise<T>): Promise<T> {
  const heartbeats = setInterval(() => heartbeat(), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeats);
  }
}
