import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../config';
import type { Cipher } from '../lib/cipher';
import { webhookSecretPurpose } from './secret-purpose';
import { recordAttempt } from './queries/attempts';
import {
  claimExpress,
  findLostAttempts,
  handOver,
  LOST,
  promise,
  takeLostLease,
  type ExpressClaim,
} from './queries/express';
import { notifyChannels, type Notifications } from '../db/notify';
import { withTransaction } from '../db/pool';
import type { Logger } from '../lib/log';
import { createDueNoticeReader } from './due-notice';
import { createFlood, type FloodMark } from '../lib/flood';
import { startRelay, type Relay } from '../temporal/relay';
import { startSweep } from '../lib/sweep';
import type { Attempter, AttemptResult } from './attempt';
import type { AttemptVerdict } from './retry-schedule';
import { judge } from './judge';
import { reportAttempt, type ReportedOutcome } from './report-attempt';
import type { SlowEndpoints } from './slow-endpoints';
import { createSuccessWriter } from './success-writer';

export interface ExpressLaneDeps {
  pool: pg.Pool;
  cipher: Cipher;
  attempter: Attempter;
  slowEndpoints: SlowEndpoints;
  notifications: Notifications;
  log: Logger;
  config: Pick<Config, 'HERALD_RETRY_SCALE'>;
}

const CONCURRENCY = 200;
const SWEEP_MS = 1_000;
const LOST_BATCH = 100;
/** So many claims in one look, or such a pace of them, are a flood: a NOTIFY in each of its commits would slow it down. */
const FLOOD_IN_ONE_LOOK = 8;
const FLOOD: FloodMark = { perSecond: 640, windowMs: 25 };
/** A look costs the same for one as for many: in a flood it waits for more to come together. */
const FLOOD_REST_MS = 8;

/**
 * The express lane: the first attempt is made here, with the same attempt code, and a delivery that succeeds at once
 * needs no workflow, because there is no schedule to run. Anything else is handed to `deliverWebhook`, which goes on
 * with attempt 2 of the same schedule. What a dead process had leased is found when its lease is over.
 */
export function startExpressLane({
  pool,
  cipher,
  attempter,
  slowEndpoints,
  notifications,
  log,
  config,
}: ExpressLaneDeps): Relay {
  const writer = createSuccessWriter(pool);
  const unitMs = 1_000 * config.HERALD_RETRY_SCALE;

  async function attempt(claim: ExpressClaim): Promise<void> {
    const claimed = performance.now();
    const result = await attempter.attempt({
      url: claim.url,
      deliveryId: claim.id,
      event: claim.event_name,
      body: claim.body,
      secrets: claim.sealed_secrets.map((sealed) => cipher.decrypt(sealed, webhookSecretPurpose)),
    });
    // Called off because we stop: the lease runs out, and another process goes on.
    if (result.error === 'aborted') return;
    const now = claim.first_attempt_at + performance.now() - claimed;
    const { verdict, next } = judge(claim, result, now, unitMs);
    slowEndpoints.note(claim.endpoint_id, {
      succeeded: verdict === 'success',
      durationMs: result.durationMs,
    });
    const outcome =
      verdict === 'success' ? await succeed(claim, result) : await passOn(claim, result, verdict, next);
    if (!outcome) return;
    await reportAttempt(
      { log, pool },
      {
        delivery_id: claim.id,
        endpoint_id: claim.endpoint_id,
        project_id: claim.project_id,
        event: claim.event_name,
        attempt: 1,
        lane: 'express',
        requested: false,
      },
      verdict,
      result,
      outcome,
    );
  }

  async function succeed(claim: ExpressClaim, result: AttemptResult): Promise<ReportedOutcome> {
    await writer.write({
      id: claim.id,
      http_status: result.status ?? 0,
      duration_ms: result.durationMs,
      response_body: result.responseBody,
      response_headers: result.responseHeaders,
    });
    return { status: 'succeeded', next_attempt_at: null, disabled_reason: null };
  }

  /** Null where the lease was lost and somebody else has spoken for this attempt. */
  function passOn(
    claim: ExpressClaim,
    result: AttemptResult,
    verdict: Exclude<AttemptVerdict, 'success'>,
    next: number | null,
  ): Promise<ReportedOutcome | null> {
    return withTransaction(pool, async (db) => {
      const version = { deliveryId: claim.id, number: 1, endpointVersion: claim.endpoint_version };
      const recorded = await recordAttempt(db, version, outcomeOf(result, verdict, next));
      if (recorded) await handOver(db, claim.id);
      return recorded;
    });
  }

  async function passOnLost(): Promise<void> {
    for (const lost of await findLostAttempts(pool, LOST_BATCH)) {
      const { next } = judge(lost, { status: null, retryAfterMs: null }, lost.now, unitMs);
      await withTransaction(pool, async (db) => {
        if (!(await takeLostLease(db, lost.id))) return;
        // No version matches: a process of ours that died says nothing about the endpoint.
        const claim = { deliveryId: lost.id, number: 1, endpointVersion: -1 };
        const recorded = await recordAttempt(db, claim, {
          ...NOTHING,
          error: LOST,
          verdict: 'retry',
          nextAttemptAt: next,
        });
        if (recorded) await handOver(db, lost.id);
        log.warn({ delivery_id: lost.id }, 'the process of a first attempt has died; its workflow goes on');
      });
    }
  }

  let promised: NodeJS.Timeout | undefined;
  const keepPromise = () => {
    promised = undefined;
    relay.wake();
  };
  const sweep = startSweep(SWEEP_MS, () => {
    passOnLost().catch((err: unknown) => log.warn({ err }, 'lost first attempts could not be looked after'));
  });
  const canWait = createDueNoticeReader('express', slowEndpoints);
  const flood = createFlood(FLOOD);
  // Somebody has said that a delivery waits: then it need not be asked.
  let noticed = false;
  const relay = startRelay<ExpressClaim>({
    name: 'express',
    channel: notifyChannels.delivery,
    canWait(payload) {
      const waitMs = canWait(payload);
      noticed ||= waitMs === 0;
      return waitMs;
    },
    notifications,
    sweepMs: SWEEP_MS,
    concurrency: CONCURRENCY,
    async claim(limit, look) {
      const flooded = flood.isOn();
      if (flooded) await sleep(FLOOD_REST_MS);
      const expected = noticed;
      noticed = false;
      const promisesFrom = flooded ? 1 : FLOOD_IN_ONE_LOOK;
      const allowances = slowEndpoints.allowances(look);
      const claims = await claimExpress(pool, limit, allowances, { expected, promisesFrom });
      for (const { endpoint_id } of claims) slowEndpoints.begun(endpoint_id);
      flood.arrived(claims.length);
      // Each promise has its own end.
      if (claims.length >= promisesFrom) {
        clearTimeout(promised);
        promised = setTimeout(keepPromise, promise.looksAgainMs);
      }
      return claims;
    },
    start: attempt,
    log,
  });
  return {
    wake: () => relay.wake(),
    async stop() {
      sweep.stop();
      clearTimeout(promised);
      await relay.stop();
      await writer.stop();
    },
  };
}

const NOTHING = {
  httpStatus: null,
  errorDetail: null,
  durationMs: 0,
  responseBody: null,
  responseHeaders: {},
};

function outcomeOf(result: AttemptResult, verdict: 'retry' | 'refuse' | 'gone', next: number | null) {
  return {
    httpStatus: result.status,
    error: result.error,
    errorDetail: result.errorDetail,
    durationMs: result.durationMs,
    responseBody: result.responseBody,
    responseHeaders: result.responseHeaders,
    verdict,
    nextAttemptAt: next,
  };
}
