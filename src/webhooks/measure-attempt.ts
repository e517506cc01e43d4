import { metrics, statusClass } from '../metrics';
import type { AttemptVerdict } from '../../workflows/retry-schedule';
import type { AttemptResult } from './attempt';

/** Counts an attempt and what it did to its delivery, in either lane. */
export function measureAttempt(
  verdict: AttemptVerdict,
  result: AttemptResult,
  recorded: { status: string; disabled_reason: string | null },
): void {
  metrics.attempts.inc({ verdict, result: result.error ?? statusClass(result.status ?? 0) });
  metrics.attemptSeconds.observe(result.durationMs / 1000);
  if (recorded.status !== 'pending') metrics.deliveriesEnded.inc({ status: recorded.status });
  if (recorded.disabled_reason) metrics.endpointsDisabled.inc();
}
