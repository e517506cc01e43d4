import { limits } from '../../base/contract/limits';
import type { RetryPolicyName } from '../projects/contract';

/** When a delivery is attempted again: plain data and arithmetic, without a clock or I/O. */

interface RetryPolicy {
  /** Seconds after the first attempt (T) at which each attempt is due; the first entry is T itself. */
  readonly offsets: readonly number[];
  /** 4xx responses that are retried. */
  readonly retriedClientErrors: readonly number[];
}

export const retryPolicies = {
  durable: { offsets: [0, 30, 120, 600, 3_600, 21_600, 86_400], retriedClientErrors: [408, 425, 429] },
  // Waits of 1, 2 and 4 seconds, added up.
  quick: { offsets: [0, 1, 3, 7], retriedClientErrors: [] },
} as const satisfies Record<RetryPolicyName, RetryPolicy>;

/** No attempt is scheduled later than this many seconds after the first one, whatever Retry-After says. */
const lastChanceSeconds = 3_600 * limits.webhookRetryHours;

export interface NextAttemptQuestion {
  policy: RetryPolicyName;
  /** Scheduled attempts made so far. A requested attempt in between does not count. */
  attemptsMade: number;
  /** T in milliseconds. */
  firstAttemptAt: number;
  /** The end of the last attempt in milliseconds. */
  now: number;
  /** What the receiver asked for; it can only delay. */
  retryAfterMs?: number | null;
  /** Milliseconds in a second of the schedule: tests shorten it, everything else leaves it at 1,000. */
  unitMs?: number;
}

/** The time of the next attempt in milliseconds, or null when the schedule is used up. */
export function nextAttemptAt(question: NextAttemptQuestion): number | null {
  const { policy, attemptsMade, firstAttemptAt, now, retryAfterMs, unitMs = 1_000 } = question;
  const offsets: readonly number[] = retryPolicies[policy].offsets;
  if (attemptsMade <= 0) return Math.max(firstAttemptAt, now);

  const offset = offsets[attemptsMade];
  const previousOffset = offsets[attemptsMade - 1];
  const lastChance = firstAttemptAt + lastChanceSeconds * unitMs;
  if (offset === undefined || previousOffset === undefined || now >= lastChance) return null;

  const scheduled = firstAttemptAt + offset * unitMs;
  // A scheduled time that has passed (a slow receiver, a pause, an outage) keeps its distance to the attempt before it:
  // otherwise all missed attempts would be made in a row.
  const due = scheduled > now ? scheduled : Math.min(now + (offset - previousOffset) * unitMs, lastChance);
  if (!retryAfterMs || retryAfterMs < 0) return due;
  return Math.max(due, Math.min(now + retryAfterMs, lastChance));
}

/** What a response means for its delivery: `gone` ends it like `refuse` and disables the endpoint as well. */
export type AttemptVerdict = 'success' | 'retry' | 'refuse' | 'gone';

/** `httpStatus` is null when the attempt failed without a complete response. */
export function classifyAttempt(policy: RetryPolicyName, httpStatus: number | null): AttemptVerdict {
  if (httpStatus === null) return 'retry';
  if (httpStatus >= 200 && httpStatus < 300) return 'success';
  if (httpStatus === 410) return 'gone';
  if (httpStatus < 400 || httpStatus >= 500) return 'retry';
  const retried: readonly number[] = retryPolicies[policy].retriedClientErrors;
  return retried.includes(httpStatus) ? 'retry' : 'refuse';
}

/** The fields of a claimed attempt that determine the next one. Times are milliseconds of the database's clock. */
export interface JudgedClaim {
  policy: RetryPolicyName;
  scheduled_attempts: number;
  requested: boolean;
  first_attempt_at: number;
}

export interface Judgement {
  verdict: AttemptVerdict;
  /** When the next attempt is scheduled; null if there is none. */
  next: number | null;
}

/** What a response means and when the schedule continues. */
export function judgeAttempt(
  claim: JudgedClaim,
  result: { status: number | null; retryAfterMs: number | null },
  now: number,
  unitMs: number,
): Judgement {
  const verdict = classifyAttempt(claim.policy, result.status);
  if (verdict !== 'retry') return { verdict, next: null };
  const next = nextAttemptAt({
    policy: claim.policy,
    attemptsMade: claim.scheduled_attempts + (claim.requested ? 0 : 1),
    firstAttemptAt: claim.first_attempt_at,
    now,
    retryAfterMs: result.retryAfterMs,
    unitMs,
  });
  return { verdict, next };
}
