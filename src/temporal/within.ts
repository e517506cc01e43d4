import type { Client } from '@temporalio/client';

/**
 * A call to Temporal that ends in time, one way or the other. The deadline of the call does not cover the time that
 * a first connection takes, so a timer stands beside it.
 */
export async function within<T>(client: Client, ms: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`Temporal did not respond within ${ms} ms`)), ms + 50);
  });
  const answer = client.withDeadline(Date.now() + ms, call);
  // Where the timer wins, the call's own failure has nobody left to hear it.
  answer.catch(() => {});
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
