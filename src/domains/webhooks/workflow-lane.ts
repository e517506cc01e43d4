import { ApplicationFailure } from '@temporalio/common';
import { createClaimedAttempts, type Attempt, type ClaimedAttemptDeps } from './claimed-attempt';
import type { FastEndpoints } from './fast-endpoints';
import { claimAttempt, type Claim, type DeliveryState } from './queries/attempts';
import { recordAttempt } from './queries/results';

export interface AttemptRequest {
  deliveryId: string;
  number: number;
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

export interface WorkflowLaneDeps extends ClaimedAttemptDeps {
  fastEndpoints: FastEndpoints;
}

/** An attempt that takes longer is stuck on our side, for example on a dead connection: a repeated request starts anew. */
const LONGEST_ATTEMPT_MS = 20_000;

/** The workflow lane: the activities of `deliverWebhook` make its attempts. */
export function createWorkflowLane(deps: WorkflowLaneDeps) {
  const { pool, fastEndpoints } = deps;
  const { make, conclude } = createClaimedAttempts(deps);
  const inFlight = new Map<string, { step: Promise<DeliveryStep>; since: number }>();

  /** A request that is repeated while its attempt is in flight here shares it: no second POST. */
  function attempt(request: AttemptRequest): Promise<DeliveryStep> {
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
  async function makeAttempt({ deliveryId, number }: AttemptRequest): Promise<DeliveryStep> {
    const claim = await claimAttempt(pool, deliveryId, number);
    if (claim?.verdict !== 'go') return withoutAttempt(claim);

    const claimed: Attempt = { deliveryId, number, lane: 'workflow', claim };
    const made = await make(claimed, claim.now);
    // Another worker makes this attempt again, under its number.
    if (!made) throw ApplicationFailure.retryable('the worker is stopping', 'stopping');
    const succeeded = made.verdict === 'success';
    fastEndpoints.note(claim.endpoint_id, { succeeded, durationMs: made.result.durationMs });
    const version = { deliveryId, number, endpointVersion: claim.endpoint_version };
    const recorded = await recordAttempt(pool, version, made);
    // Another worker, which was thought dead, has recorded this number first: its result stands.
    if (!recorded) return withoutAttempt(await claimAttempt(pool, deliveryId, number));
    await conclude(claimed, made, recorded);
    return attempted(number, recorded);
  }

  /** For a fast endpoint, inside the workflow task; null where no slot is free for that. */
  async function attemptFast(request: AttemptRequest): Promise<DeliveryStep | null> {
    const slot = fastEndpoints.acquireSlot();
    if (!slot) return null;
    try {
      return await attempt(request);
    } finally {
      slot.release();
    }
  }

  return { attempt, attemptFast };
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
      throw ApplicationFailure.retryable('the attempt was neither recorded nor claimed', 'unrecorded');
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
