import type pg from 'pg';
import type { Logger } from '../lib/log';
import type { AttemptResult } from './attempt';
import type { AttemptOutcome } from './queries/attempts';
import { adaptConcurrency } from './queries/endpoints';
import type { AttemptVerdict } from './retry-schedule';
import { limits } from '../contract/limits';

/** A success within this time is fast. */
export const FAST_MS = 500;

/** An attempt as it is recorded. */
export function outcomeOf(
  result: AttemptResult,
  verdict: AttemptVerdict,
  nextAttemptAt: number | null,
): AttemptOutcome {
  return {
    httpStatus: result.status,
    error: result.error,
    errorDetail: result.errorDetail,
    durationMs: result.durationMs,
    requestHeaders: result.requestHeaders,
    responseBody: result.responseBody,
    responseHeaders: result.responseHeaders,
    verdict,
    nextAttemptAt,
  };
}

/** Halves the endpoint's concurrency after a timeout and doubles it after a fast success, once the result is committed. */
export async function adaptAfter(
  { pool, log }: { pool: pg.Pool; log: Logger },
  endpoint: { endpoint_id: string; concurrency: number },
  verdict: AttemptVerdict,
  result: Pick<AttemptResult, 'error' | 'durationMs'>,
): Promise<void> {
  const { endpoint_id: id, concurrency } = endpoint;
  const isFast = verdict === 'success' && result.durationMs <= FAST_MS;
  const direction =
    result.error === 'timeout' && concurrency > 1
      ? 'halve'
      : isFast && concurrency < limits.webhookConcurrencyPerEndpoint
        ? 'double'
        : null;
  if (direction === null) return;
  await adaptConcurrency(pool, id, concurrency, direction).catch((err: unknown) =>
    log.warn({ err, endpoint_id: id }, 'the concurrency of an endpoint was not adapted'),
  );
}
