import { ApplicationFailure } from '@temporalio/activity';
import type pg from 'pg';
import type { Cipher } from '../src/lib/cipher';
import {
  claimAttempt,
  recordAttempt,
  type Claim,
  type DeliveryState,
} from '../src/webhooks/queries/attempts';
import { cancelDelivery } from '../src/webhooks/queries/deliveries';
import type { Logger } from '../src/lib/log';
import type { Attempter } from '../src/webhooks/attempt';
import { outcomeOf } from '../src/webhooks/attempt-outcome';
import { concludeAttempt, createClaimedPost } from '../src/webhooks/claimed-attempt';
import { judge } from '../src/webhooks/judge';
import type { FastEndpoints } from '../src/webhooks/fast-endpoints';
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
  | { kind: 'early'; waitMs: number; nextAttemptAt: number | null }
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
  fastEndpoints: FastEndpoints;
  log: Logger;
}

/** An attempt that takes longer is stuck on our side, for example on a dead connection: a repeated request starts anew. */
const LONGEST_ATTEMPT_MS = 20_000;

export type DeliveryActivities = ReturnType<typeof createDeliveryActivities>;

export function createDeliveryActivities(deps: DeliveryActivityDeps) {
  const { pool, fastEndpoints, log } = deps;
  const post = createClaimedPost(deps);
  const inFlight = new Map<string, { step: Promise<DeliveryStep>; since: number }>();

  /** A request that is repeated while its attempt is in flight here shares it: no second POST. */
  function attemptDelivery(request: AttemptRequest): Promise<DeliveryStep> {
    const key = `${request.deliveryId}/${request.number}`;
    const known = inFlight.get(key);
    if (known && performance.now() - known.since < LONGEST_ATTEMPT_MS) return known.step;
    const own = { step: makeAttempt(request), since: performance.now() };
    inFlight.set(key, own);
    const forget = () => void (inFlight.get(key) === own && inFlight.delete(key));
    own.step.then(forget, forget);
    return own.step;
  }

  /** Claim, POST, result: one activity, so that a delivery that succeeds at once costs one. */
  async function makeAttempt(request: AttemptRequest): Promise<DeliveryStep> {
    const { deliveryId, number } = request;
    const claim = await claimAttempt(pool, deliveryId, number);
    if (claim?.verdict !== 'go') return withoutAttempt(claim);

    const claimed = performance.now();
    const result = await post(deliveryId, claim);
    // Aborted because this worker stops: another one makes this attempt again, under its number.
    if (result.error === 'aborted') throw ApplicationFailure.retryable('the worker is stopping', 'stopping');

    const { verdict, next } = judge(claim, result, claim.now + performance.now() - claimed, request.unitMs);
    fastEndpoints.note(claim.endpoint_id, {
      succeeded: verdict === 'success',
      durationMs: result.durationMs,
    });
    const recorded = await recordAttempt(
      pool,
      { deliveryId, number, endpointVersion: claim.endpoint_version },
      outcomeOf(result, verdict, next),
    );
    // Another worker, which was thought dead, has recorded this number first: its result stands.
    if (!recorded) return withoutAttempt(await claimAttempt(pool, deliveryId, number));
    const made = { deliveryId, number, lane: 'workflow' } as const;
    await concludeAttempt({ pool, log }, made, claim, { verdict, result, outcome: recorded });
    return attempted(number, recorded);
  }

  /** For a fast endpoint, inside the workflow task; null where no slot is free for that. */
  async function attemptFast(request: AttemptRequest): Promise<DeliveryStep | null> {
    const slot = fastEndpoints.acquireSlot();
    if (!slot) return null;
    try {
      return await attemptDelivery(request);
    } finally {
      slot.release();
    }
  }

  return {
    attemptDelivery: reported(attemptDelivery),
    attemptFast: reported(attemptFast),
    /** An operator cancelled the workflow in the Temporal UI: the row must say so, too. */
    markCancelled: reported((deliveryId: string): Promise<void> => cancelDelivery(pool, deliveryId)),
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
