import type { Logger } from '../log';
import { metrics, statusClass } from '../metrics';
import type { AttemptVerdict } from '../../workflows/retry-schedule';
import type { AttemptResult } from './attempt';

/** Which attempt it was. */
export interface ReportedAttempt {
  delivery_id: string;
  endpoint_id: string;
  project_id: string;
  event: string;
  attempt: number;
  lane: 'workflow' | 'express';
  requested: boolean;
}

/** What it did to its delivery and endpoint. */
export interface ReportedOutcome {
  status: string;
  next_attempt_at: number | null;
  disabled_reason: string | null;
}

/** Counts an attempt and writes its one wide log line, the same in both lanes. */
export function reportAttempt(
  log: Logger,
  attempt: ReportedAttempt,
  verdict: AttemptVerdict,
  result: AttemptResult,
  outcome: ReportedOutcome,
): void {
  metrics.attempts.inc({ verdict, result: result.error ?? statusClass(result.status ?? 0) });
  metrics.attemptSeconds.observe(result.durationMs / 1000);
  if (outcome.status !== 'pending') metrics.deliveriesEnded.inc({ status: outcome.status });
  if (outcome.disabled_reason) metrics.endpointsDisabled.inc();
  log.info(
    {
      ...attempt,
      http_status: result.status,
      error: result.error,
      ms: result.durationMs,
      delivery_status: outcome.status,
      next_attempt_at:
        outcome.next_attempt_at === null ? null : new Date(outcome.next_attempt_at).toISOString(),
      endpoint_disabled: outcome.disabled_reason ?? undefined,
    },
    'attempt',
  );
}
