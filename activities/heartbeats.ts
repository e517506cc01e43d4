import { heartbeat } from '@temporalio/activity';

/** Sends heartbeats while `work` runs. They only detect a dead worker: progress is in the rows. */
export async function withHeartbeats<T>(everyMs: number, work: () => Promise<T>): Promise<T> {
  const heartbeats = setInterval(() => heartbeat(), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeats);
  }
}
