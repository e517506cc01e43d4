import { SpanKind } from '@opentelemetry/api';
import type pg from 'pg';
import { noteChange } from '../db/changes';
import type { Logger } from '../lib/log';
import { metrics, statusClass } from '../lib/metrics';
import { isTracing, recordSpan, traceIdOf } from '../lib/tracing';
import { findEventTraceparent } from './queries/attempts';
import type { AttemptVerdict } from './retry-schedule';
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

/** Counts an attempt, writes its one wide log line and its span and wakes open pages, the same in both lanes. */
export async function reportAttempt(
  { log, pool }: { log: Logger; pool: pg.Pool },
  attempt: ReportedAttempt,
  verdict: AttemptVerdict,
  result: AttemptResult,
  outcome: ReportedOutcome,
): Promise<void> {
  metrics.attempts.inc({ verdict, result: result.error ?? statusClass(result.status ?? 0) });
  metrics.attemptSeconds.observe(result.durationMs / 1000);
  if (outcome.status !== 'pending') metrics.deliveriesEnded.inc({ status: outcome.status });
  noteChange(pool, 'deliveries', attempt.project_id);
  if (outcome.disabled_reason) metrics.endpointsDisabled.inc();
  const parent = isTracing() ? await findEventTraceparent(pool, attempt.delivery_id).catch(() => null) : null;
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
      trace_id: traceIdOf(parent),
    },
    'attempt',
  );
  if (!isTracing()) return;
  recordSpan(
    {
      name: `attempt ${attempt.event}`,
      kind: SpanKind.CLIENT,
      attributes: {
        'herald.delivery_id': attempt.delivery_id,
        'herald.endpoint_id': attempt.endpoint_id,
        'herald.attempt': attempt.attempt,
        'herald.lane': attempt.lane,
        'http.request.method': 'POST',
        'http.response.status_code': result.status ?? undefined,
        'error.type': result.error ?? undefined,
      },
      parent,
    },
    { durationMs: result.durationMs, failed: verdict !== 'success' },
  );
}
