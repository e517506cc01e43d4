import { ApplicationFailure } from '@temporalio/activity';
import type pg from 'pg';
import type { Cipher } from '../src/lib/cipher';
import { webhookSecretPurpose } from '../src/webhooks/secret-purpose';
import {
  claimAttempt,
  recordAttempt,
  type Claim,
  type DeliveryState,
} from '../src/webhooks/queries/attempts';
import { cancelDelivery } from '../src/webhooks/queries/deliveries';
import type { Logger } from '../src/lib/log';
import type { Attempter } from '../src/webhooks/attempt';
import { judge } from '../src/webhooks/judge';
import type { QuickEndpoints } from '../src/webhooks/fast-endpoints';
import type { SlowEndpoints } from '../src/webhooks/slow-endpoints';
import { reportAttempt } from '../src/webhooks/report-attempt';
import { reported } from './failures';

export interface AttemptRequest {
  deliveryId: string;
  number: number;
  /** Milliseconds in a second of the schedule. */
  unitMs: number;
}

/** What the workflow learns. Ids, numbers and states only: histories are readable by operators. */
export type DeliveryStep =
  | ({ kind: 'attempted'; attempt: number; nextAttemptAt: number | null } & DeliveryEnd)
  | ({ kind: 'ended' } & DeliveryEnd)
  | { kind: 'superseded'; next: number }
  | ({ kind: 'early'; waitMs: number; nextAttemptAt: number | null } & DeliveryEnd)
  | { kind: 'busy' }
  | { kind: 'parked' };

export interface DeliveryEnd {
  status: DeliveryState['status'];
  failure: DeliveryState['failure'];
  httpStatus: number | null;
  error: string | null;
}

export interface DeliveryActivityDeps {
  pool: pg.Pool;
  cipher: Cipher;
  attempter: Attempter;
  quickEndpoints: QuickEndpoints;
  slowEndpoints: Pick<SlowEndpoints, 'note'>;
  log: Logger;
}

/** One that takes longer hangs on something of ours, a dead connection perhaps: whoever asks then starts afresh. */
const LONGEST_ATTEMPT_MS = 20_000;

export type DeliveryActivities = ReturnType<typeof createDeliveryActivities>;

export function createDeliveryActivities(deps: DeliveryActivityDeps) {
  const { pool, cipher, attempter, quickEndpoints, slowEndpoints, log } = deps;
  const underWay = new Map<string, { step: Promise<DeliveryStep>; since: number }>();

  /** One that is asked for again while it is under way here is the same one, not a second POST. */
  function attemptDelivery(request: AttemptRequest): Promise<DeliveryStep> {
    const key = `${request.deliveryId}/${request.number}`;
    const known = underWay.get(key);
    if (known && performance.now() - known.since < LONGEST_ATTEMPT_MS) return known.step;
    const own = { step: makeAttempt(request), since: performance.now() };
    underWay.set(key, own);
    const forget = () => void (underWay.get(key) === own && underWay.delete(key));
    own.step.then(forget, forget);
    return own.step;
  }

  /** Claim, POST, result: one activity, so that a delivery that succeeds at once costs one. */
  async function makeAttempt(request: AttemptRequest): Promise<DeliveryStep> {
    const { deliveryId, number } = request;
    const claim = await claimAttempt(pool, deliveryId, number);
    if (claim?.verdict !== 'go') return withoutAttempt(claim);

    const claimed = performance.now();
    const result = await attempter.attempt({
      url: claim.url,
      deliveryId,
      event: claim.event_name,
      body: claim.body ?? '',
      secrets: (claim.sealed_secrets ?? []).map((sealed) => cipher.decrypt(sealed, webhookSecretPurpose)),
    });
    // Called off by us, not failed by the receiver: another worker makes this attempt again, under its number.
    if (result.error === 'aborted') throw ApplicationFailure.retryable('the worker is stopping', 'stopping');

    const { verdict, next } = judge(claim, result, claim.now + performance.now() - claimed, request.unitMs);
    const went = { succeeded: verdict === 'success', durationMs: result.durationMs };
    quickEndpoints.note(claim.endpoint_id, went);
    slowEndpoints.note(claim.endpoint_id, went);
    const recorded = await recordAttempt(
      pool,
      { deliveryId, number, endpointVersion: claim.endpoint_version },
      {
        httpStatus: result.status,
        error: result.error,
        errorDetail: result.errorDetail,
        durationMs: result.durationMs,
        responseBody: result.responseBody,
        responseHeaders: result.responseHeaders,
        verdict,
        nextAttemptAt: next,
      },
    );
    // Somebody has recorded this number before us (a worker that was thought dead): its result stands.
    if (!recorded) return withoutAttempt(await claimAttempt(pool, deliveryId, number));
    await reportAttempt(
      { log, pool },
      {
        delivery_id: deliveryId,
        endpoint_id: claim.endpoint_id,
        project_id: claim.project_id,
        event: claim.event_name,
        attempt: number,
        lane: 'workflow',
        requested: claim.requested,
      },
      verdict,
      result,
      recorded,
    );
    return attempted(number, recorded);
  }

  return {
    attemptDelivery: reported(attemptDelivery),
    /** The same inside a workflow task, for an endpoint that answers quickly; null where there is no place for it. */
    async attemptAtOnce(request: AttemptRequest): Promise<DeliveryStep | null> {
      const place = quickEndpoints.takePlace();
      if (!place) return null;
      try {
        return await attemptDelivery(request);
      } finally {
        place.leave();
      }
    },
    /** For an operator who cancels the workflow in the Temporal UI: the row must say so, too. */
    async markCancelled(deliveryId: string): Promise<void> {
      await cancelDelivery(pool, deliveryId);
    },
  };
}

function withoutAttempt(claim: Claim | null): DeliveryStep {
  // The row is gone: its retention is over, or its project was removed.
  if (!claim) return { kind: 'ended', status: 'cancelled', failure: null, httpStatus: null, error: null };
  switch (claim.verdict) {
    case 'done':
      return attempted(claim.attempts, claim);
    case 'superseded':
      return { kind: 'superseded', next: claim.next_number };
    case 'early':
      return {
        kind: 'early',
        waitMs: Math.max(1, (claim.next_attempt_at ?? claim.now) - claim.now),
        nextAttemptAt: claim.next_attempt_at,
        ...endOf(claim),
      };
    case 'ended':
      return { kind: 'ended', ...endOf(claim) };
    case 'busy':
    case 'parked':
      return { kind: claim.verdict };
    case 'go':
      throw ApplicationFailure.retryable('the attempt was neither recorded nor taken', 'unrecorded');
  }
}

function attempted(attempt: number, state: DeliveryState): DeliveryStep {
  return { kind: 'attempted', attempt, nextAttemptAt: state.next_attempt_at, ...endOf(state) };
}

function endOf(state: DeliveryState): DeliveryEnd {
  return {
    status: state.status,
    failure: state.failure,
    httpStatus: state.last_http_status,
    error: state.last_error,
  };
}
