import type { Client } from '@temporalio/client';
import { withTimeout } from '../lib/timeout';

/** The deadline of a gRPC call does not cover the first connection; the timeout beside it does. */
export function within<T>(client: Client, ms: number, call: () => Promise<T>): Promise<T> {
  return withTimeout(
    client.withDeadline(Date.now() + ms, call),
    ms + 50,
    `Temporal did not respond within ${ms} ms`,
  );
}
