import type { RetryPolicyName } from './contract';
import { classifyAttempt, nextAttemptAt, type AttemptVerdict } from './retry-schedule';
import type { AttemptResult } from './attempt';

/** What of a claimed attempt decides about the next one. Times are milliseconds of the database's clock. */
export interface JudgedClaim {
  policy: RetryPolicyName;
  scheduled_attempts: number;
  requested: boolean;
  first_attempt_at: number;
}

/** What an answer means and when the schedule goes on. The same in both lanes. */
export function judge(
  claim: JudgedClaim,
  result: Pick<AttemptResult, 'status' | 'retryAfterMs'>,
  now: number,
  unitMs: number,
): { verdict: AttemptVerdict; next: number | null } {
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
