import type { Client } from '@temporalio/client';
import { withTimeout } from '../lib/timeout';

/** Runs a call with a timeout. A gRPC deadline does not cover the first connection, so a timer is needed as well. */
export function within<T>(client: Client, ms: number, call: () => Promise<T>): Promise<T> {
  return withTimeout(
    client.withDeadline(Date.now() + ms, call),
    ms + 50,
    `Temporal did not respond within ${ms} ms`,
  );
}
