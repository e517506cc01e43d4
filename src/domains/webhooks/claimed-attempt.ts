import { SpanKind } from '@opentelemetry/api';
import type pg from 'pg';
import type { Config } from '../../base/config';
import type { EndpointDisabledReason } from '../../base/contract/common';
import { limits } from '../../base/contract/limits';
import { noteChange } from '../../base/db/changes';
import type { Cipher } from '../../base/lib/cipher';
import type { Logger } from '../../base/lib/log';
import { metrics, statusClass } from '../../base/lib/metrics';
import { isTracing, recordSpan, traceIdOf } from '../../base/lib/tracing';
import type { Attempter, AttemptResult } from './attempt';
import type { DeliveryLane } from './contract';
import { FAST_MS } from './fast-endpoints';
import { openHeaders } from './own-headers';
import { findEventTraceparent } from './queries/attempts';
import type { ClaimedAttempt } from './queries/claim';
import { adaptConcurrency } from './queries/endpoints';
import { judgeAttempt, type Judgement } from './retry-schedule';
import { webhookSecretPurpose } from './signature';

export interface ClaimedAttemptDeps {
  pool: pg.Pool;
  cipher: Cipher;
  attempter: Attempter;
  log: Logger;
  config: Pick<Config, 'HERALD_RETRY_SCALE'>;
}

/** An attempt of a lane: the claim, and which attempt of its delivery it is. */
export interface Attempt {
  deliveryId: string;
  number: number;
  lane: DeliveryLane;
  claim: ClaimedAttempt;
}

export interface MadeAttempt extends Judgement {
  result: AttemptResult;
}

/** What the recorded result did to the delivery and its endpoint. */
export interface Effect {
  status: string;
  next_attempt_at: number | null;
  disabled_reason: EndpointDisabledReason | null;
}

/** Maximum number of decrypted secrets in the cache. */
const MAX_CACHED_SECRETS = 1_000;

/**
 * What both lanes do with an attempt that they have claimed: `make` sends the POST and judges the response; the lane records
 * the result; `conclude` adapts the endpoint's concurrency and reports the attempt.
 */
export function createClaimedAttempts({ pool, cipher, attempter, log, config }: ClaimedAttemptDeps) {
  const openSecret = createSecretOpener(cipher);

  return {
    /** `claimedAt` in milliseconds of the database's clock. Null if the attempt was aborted because this process stops. */
    async make({ deliveryId, claim }: Attempt, claimedAt: number): Promise<MadeAttempt | null> {
      const started = performance.now();
      noteChange(pool, 'deliveries', claim.project_id);
      const result = await attempter.attempt({
        projectId: claim.project_id,
        url: claim.url,
        deliveryId,
        event: claim.event_name,
        test: claim.test,
        body: claim.body ?? '',
        secrets: (claim.sealed_secrets ?? []).map((sealed) => openSecret(sealed, claim.endpoint_id)),
        ownHeaders: openHeaders(cipher, claim.headers_sealed, claim.endpoint_id),
      });
      if (result.error === 'aborted') return null;
      const now = claimedAt + performance.now() - started;
      return { result, ...judgeAttempt(claim, result, now, 1_000 * config.HERALD_RETRY_SCALE) };
    },

    /** After the result is committed. */
    async conclude(attempt: Attempt, made: MadeAttempt, effect: Effect): Promise<void> {
      const { endpoint_id: id, concurrency } = attempt.claim;
      const direction = newConcurrency(concurrency, made);
      if (direction !== null) {
        await adaptConcurrency(pool, id, concurrency, direction).catch((err: unknown) =>
          log.warn({ err, endpoint_id: id }, 'the concurrency of an endpoint was not adapted'),
        );
      }
      const parent = isTracing()
        ? await findEventTraceparent(pool, attempt.deliveryId).catch(() => null)
        : null;
      report({ pool, log }, attempt, made, effect, parent);
    },
  };
}

/** Half after a timeout, double after a fast success. */
function newConcurrency(concurrency: number, { verdict, result }: MadeAttempt): 'halve' | 'double' | null {
  if (result.error === 'timeout') return concurrency > 1 ? 'halve' : null;
  if (verdict !== 'success' || result.durationMs > FAST_MS) return null;
  return concurrency < limits.webhookConcurrencyPerEndpoint ? 'double' : null;
}

/** Counts an attempt, writes its one wide log line and its span, and wakes open pages. */
function report(
  { pool, log }: Pick<ClaimedAttemptDeps, 'pool' | 'log'>,
  { deliveryId, number, lane, claim }: Attempt,
  { result, verdict }: MadeAttempt,
  effect: Effect,
  parent: string | null,
): void {
  metrics.attempts.inc({ verdict, result: result.error ?? statusClass(result.status ?? 0) });
  metrics.attemptSeconds.observe(result.durationMs / 1000);
  if (effect.status !== 'pending') metrics.deliveriesEnded.inc({ status: effect.status });
  if (effect.disabled_reason) metrics.endpointsDisabled.inc();
  noteChange(pool, 'deliveries', claim.project_id);
  log.info(
    {
      delivery_id: deliveryId,
      endpoint_id: claim.endpoint_id,
      project_id: claim.project_id,
      event: claim.event_name,
      attempt: number,
      lane,
      requested: claim.requested,
      http_status: result.status,
      error: result.error,
      ms: result.durationMs,
      delivery_status: effect.status,
      next_attempt_at:
        effect.next_attempt_at === null ? null : new Date(effect.next_attempt_at).toISOString(),
      endpoint_disabled: effect.disabled_reason ?? undefined,
      trace_id: traceIdOf(parent),
    },
    'attempt',
  );
  if (!isTracing()) return;
  recordSpan(
    {
      name: `attempt ${claim.event_name}`,
      kind: SpanKind.CLIENT,
      attributes: {
        'herald.delivery_id': deliveryId,
        'herald.endpoint_id': claim.endpoint_id,
        'herald.attempt': number,
        'herald.lane': lane,
        'http.request.method': 'POST',
        'http.response.status_code': result.status ?? undefined,
        'error.type': result.error ?? undefined,
      },
      parent,
    },
    { durationMs: result.durationMs, failed: verdict !== 'success' },
  );
}

/** Decrypts secrets with a cache, because every attempt needs those of its endpoint. */
function createSecretOpener(cipher: Cipher): (sealed: string, endpointId: string) => string {
  const opened = new Map<string, string>();
  return (sealed, endpointId) => {
    const key = `${endpointId}/${sealed}`;
    const known = opened.get(key);
    if (known !== undefined) return known;
    if (opened.size >= MAX_CACHED_SECRETS) opened.clear();
    const secret = cipher.decrypt(sealed, webhookSecretPurpose, endpointId);
    opened.set(key, secret);
    return secret;
  };
}
