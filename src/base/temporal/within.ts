import type { Client } from '@temporalio/client';
import { withTimeout } from '../lib/timeout';
import { ownLatency } from './latency';

/** How long a relay lets the start of a workflow take before it is retried. */
export const START_LIMIT_MS = 5_000;

const calls = new WeakMap<Client, Set<Promise<unknown>>>();

/** Runs a call with a timeout. A gRPC deadline does not cover the first connection, so a timer is needed as well. */
export function within<T>(client: Client, ms: number, call: () => Promise<T>): Promise<T> {
  const running = client.withDeadline(Date.now() + ms, call);
  const open = calls.get(client) ?? new Set();
  calls.set(client, open.add(running));
  const began = performance.now();
  running
    .then(
      () => ownLatency.note(performance.now() - began),
      () => {},
    )
    .finally(() => open.delete(running));
  return withTimeout(running, ms + 50, `Temporal did not respond within ${ms} ms`);
}

const closings = new WeakMap<Client, AbortController>();

function closingOf(client: Client): AbortController {
  const known = closings.get(client);
  if (known) return known;
  const created = new AbortController();
  closings.set(client, created);
  return created;
}

/** Aborts when the client is being closed. */
export function isClosing(client: Client): AbortSignal {
  return closingOf(client).signal;
}

/**
 * Closes the client's connection after its calls have ended. A call that has timed out here may still wait for a retry
 * inside the SDK, and that retry would throw outside of any promise on a closed connection.
 */
export async function closeClient(client: Client): Promise<void> {
  closingOf(client).abort();
  await Promise.allSettled([...(calls.get(client) ?? [])]);
  await client.connection.close();
}
