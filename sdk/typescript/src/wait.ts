import type { RequestOptions } from './transport';

/** The longest poll that the service takes, in seconds. */
const LONGEST_POLL = 25;

export interface WaitOptions {
  /** Returns what is there after this time, even if it is still pending. Default: until the session ends. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Repeats a long poll until its status is not `pending` or the time is up. */
export async function waitWhilePending<Status extends { status: string; interval?: number }>(
  poll: (wait: number, options: RequestOptions) => Promise<Status>,
  { timeoutMs = Infinity, signal }: WaitOptions,
): Promise<Status> {
  const endsAt = Date.now() + timeoutMs;
  for (;;) {
    const startedAt = Date.now();
    const remaining = Math.ceil((endsAt - startedAt) / 1000);
    const current = await poll(Math.min(LONGEST_POLL, Math.max(0, remaining)), { signal });
    if (current.status !== 'pending' || Date.now() >= endsAt) return current;
    // A service that stops ends its long polls early.
    await pause(Math.min(1_000 - (Date.now() - startedAt), endsAt - Date.now()), signal);
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  signal?.throwIfAborted();
}
