import type pg from 'pg';
import type { Config } from '../config';
import { notifyChannels, type Notifications } from '../db/notify';
import type { Cipher } from '../lib/cipher';
import type { Logger } from '../lib/log';
import { startPeriodicJob } from '../lib/periodic-job';
import { startRelay, type Relay } from '../temporal/relay';
import type { Attempter, AttemptResult } from './attempt';
import { outcomeOf } from './attempt-outcome';
import { concludeAttempt, createClaimedPost } from './claimed-attempt';
import { judge } from './judge';
import { adoptFormerDeliveries } from './queries/adopt';
import { LOST, recordAttempt } from './queries/attempts';
import { claimExpress, noteFullEndpoints, type ExpressClaim } from './queries/claim';
import { findLostAttempt } from './queries/express';
import { endExpiredLeases } from './queries/queue';
import type { ReportedOutcome } from './report-attempt';
import type { AttemptVerdict } from './retry-schedule';
import { createSuccessWriter } from './success-writer';

export interface ExpressLaneDeps {
  pool: pg.Pool;
  cipher: Cipher;
  attempter: Attempter;
  notifications: Notifications;
  log: Logger;
  config: Pick<Config, 'HERALD_RETRY_SCALE' | 'HERALD_DELIVERY_LANE'>;
}

const CONCURRENCY = 200;
const SWEEP_MS = 1_000;
const EXPIRED_BATCH = 100;

/**
 * The express lane: the worker makes the first attempt itself, with the same attempt code. A delivery that succeeds at
 * once needs no workflow, because there is no schedule to run. Everything else is handed over to `deliverWebhook`, which
 * goes on with attempt 2 of the same schedule.
 */
export function startExpressLane({
  pool,
  cipher,
  attempter,
  notifications,
  log,
  config,
}: ExpressLaneDeps): Relay {
  const writer = createSuccessWriter(pool, log, config.HERALD_DELIVERY_LANE);
  const post = createClaimedPost({ pool, cipher, attempter });
  const unitMs = 1_000 * config.HERALD_RETRY_SCALE;
  let inFlight = 0;
  let stopping = false;

  /** Deliveries to one endpoint, one after another, as long as the slot is refilled. */
  async function attemptAll(first: ExpressClaim): Promise<void> {
    inFlight += 1;
    try {
      for (let next: ExpressClaim | null = first; next;) next = await attempt(next);
    } finally {
      inFlight -= 1;
    }
  }

  /** Returns the next delivery for the same slot, or null. */
  async function attempt(claim: ExpressClaim): Promise<ExpressClaim | null> {
    const claimed = performance.now();
    const result = await post(claim.id, claim);
    // Aborted because this process stops: the lease expires, and another process goes on.
    if (result.error === 'aborted') return null;
    const now = claim.first_attempt_at + performance.now() - claimed;
    const { verdict, next } = judge(claim, result, now, unitMs);
    const { outcome, refilled } =
      verdict === 'success'
        ? await succeed(claim, result)
        : { outcome: await handOver(claim, result, verdict, next), refilled: null };
    if (!outcome) return null;
    const first = { deliveryId: claim.id, number: 1, lane: 'express' } as const;
    await concludeAttempt({ pool, log }, first, claim, { verdict, result, outcome });
    return refilled;
  }

  async function succeed(claim: ExpressClaim, result: AttemptResult) {
    const refilled = await writer.write({
      id: claim.id,
      endpoint_id: claim.endpoint_id,
      http_status: result.status ?? 0,
      duration_ms: result.durationMs,
      request_headers: result.requestHeaders,
      response_body: result.responseBody,
      response_headers: result.responseHeaders,
      // With most of the room taken, the claim decides whose turn it is.
      refill: !stopping && inFlight <= CONCURRENCY / 2,
    });
    const outcome: ReportedOutcome = { status: 'succeeded', next_attempt_at: null, disabled_reason: null };
    return { outcome, refilled };
  }

  /** Null where the lease had expired and another process has recorded this attempt. */
  function handOver(
    claim: ExpressClaim,
    result: AttemptResult,
    verdict: Exclude<AttemptVerdict, 'success'>,
    next: number | null,
  ): Promise<ReportedOutcome | null> {
    const version = { deliveryId: claim.id, number: 1, endpointVersion: claim.endpoint_version };
    return recordAttempt(pool, version, outcomeOf(result, verdict, next), { handOver: true });
  }

  async function handOverLost(deliveryId: string): Promise<void> {
    const lost = await findLostAttempt(pool, deliveryId);
    if (!lost) return;
    const { next } = judge(lost, { status: null, retryAfterMs: null }, lost.now, unitMs);
    // No version matches: a process of ours that died says nothing about the endpoint.
    const claim = { deliveryId, number: 1, endpointVersion: -1 };
    const outcome = { ...NO_RESPONSE, error: LOST, verdict: 'retry', nextAttemptAt: next } as const;
    if (!(await recordAttempt(pool, claim, outcome, { handOver: true }))) return;
    log.warn(
      { delivery_id: deliveryId },
      'the process of a first attempt died; the workflow continues the delivery',
    );
  }

  async function maintainQueue(): Promise<void> {
    await adoptFormerDeliveries(pool);
    await noteFullEndpoints(pool);
    for (const id of await endExpiredLeases(pool, EXPIRED_BATCH)) await handOverLost(id);
  }

  const maintenance = startPeriodicJob({
    everyMs: SWEEP_MS,
    run: maintainQueue,
    log,
    failure: 'the delivery queue could not be maintained',
  });
  const relay = startRelay<ExpressClaim>({
    name: 'express',
    channel: notifyChannels.delivery,
    notifications,
    sweepMs: SWEEP_MS,
    concurrency: CONCURRENCY,
    claim: (limit) => claimExpress(pool, { limit, defaultLane: config.HERALD_DELIVERY_LANE }),
    start: attemptAll,
    log,
  });
  return {
    wake: () => relay.wake(),
    async stop() {
      stopping = true;
      await Promise.all([maintenance.stop(), relay.stop()]);
      await writer.stop();
    },
  };
}

const NO_RESPONSE = {
  httpStatus: null,
  errorDetail: null,
  durationMs: 0,
  requestHeaders: null,
  responseBody: null,
  responseHeaders: {},
};
