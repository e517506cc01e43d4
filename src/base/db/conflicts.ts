import { withRetry } from '../lib/retry';

/** Deadlock and serialization failure: PostgreSQL rolled one of several transactions back, and it may run again. */
const CONFLICTS = new Set(['40P01', '40001']);

const MOST_FAILURES = 6;
const PAUSE_MS = { first: 10, most: 160 };

function isConflict(error: unknown): boolean {
  return CONFLICTS.has(String((error as { code?: unknown } | null)?.code));
}

/** Runs a transaction again that PostgreSQL rolled back because of others, a few times. */
export function retryConflicts<T>(transaction: () => Promise<T>): Promise<T> {
  return withRetry(transaction, {
    pauseMs: PAUSE_MS,
    shouldRetry: (error, { failures }) => isConflict(error) && failures < MOST_FAILURES,
  });
}
