import type pg from 'pg';
import type { Config } from '../../base/config';
import type { Notifications } from '../../base/db/notify';
import { createBatcher, type Batcher } from '../../base/lib/batch';
import type { Logger } from '../../base/lib/log';
import { createJob } from '../../base/lib/periodic-job';
import { withRetry } from '../../base/lib/retry';
import { startRelay, type Relay } from '../../base/temporal/relay';
import type { AttemptResult } from './attempt';
import { createClaimedAttempts, type Attempt, type ClaimedAttemptDeps, type Effect } from './claimed-attempt';
import { claimExpress, type ExpressClaim } from './queries/claim';
import { endExpiredLeases } from './queries/queue';
import {
  findLostAttempt,
  LOST,
  recordAttempt,
  recordSuccesses,
  type ExpressSuccess,
} from './queries/results';
import { judgeAttempt } from './retry-schedule';
import type { StartBacklog } from './start-backlog';
import type { DeliverySweep } from './sweep';
import { channelsOf } from './wake-lanes';

export interface ExpressLaneDeps extends ClaimedAttemptDeps {
  notifications: Notifications;
  sweep: Pick<DeliverySweep, 'on'>;
  backlog: Pick<StartBacklog, 'isBehind'>;
  config: Pick<Config, 'HERALD_RETRY_SCALE' | 'HERALD_DELIVERY_LANE'>;
}

const CONCURRENCY = 200;
const EXPIRED_BATCH = 100;

/** Successes in one statement at most: this bounds what a crash can repeat. */
const BATCH_ROWS = 50;
/** An attempt has ten of the twenty seconds of its lease; a success that is not recorded by its end is sent again. */
const RETRY_FOR_MS = 8_000;
const RETRY_PAUSE_MS = { first: 100, most: 100 };

const SUCCEEDED: Effect = { status: 'succeeded', next_attempt_at: null, disabled_reason: null };

/**
 * The express lane: the worker makes the first attempt itself, with the same attempt code. A delivery that succeeds at
 * once needs no workflow, because there is no schedule to run. The workflow of any other delivery continues with attempt 2
 * of the same schedule.
 */
export function startExpressLane(deps: ExpressLaneDeps): Relay {
  const { pool, notifications, log, config, sweep, backlog } = deps;
  const { make, conclude } = createClaimedAttempts(deps);
  const claimOptions = () => ({ defaultLane: config.HERALD_DELIVERY_LANE, isBehind: backlog.isBehind() });
  const successes = createSuccessWriter(pool, log, claimOptions);
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
    const first: Attempt = { deliveryId: claim.id, number: 1, lane: 'express', claim };
    const made = await make(first, claim.first_attempt_at);
    // The lease expires, and another process continues.
    if (!made) return null;
    if (made.verdict === 'success') {
      const success = successOf(claim, made.result);
      const refilled = await successes.write(success);
      await conclude(first, made, SUCCEEDED);
      if (!success.refill) relay.wake();
      return refilled;
    }
    const version = { deliveryId: claim.id, number: 1, endpointVersion: claim.endpoint_version };
    const recorded = await recordAttempt(pool, version, made, { isExpress: true });
    // Null where the lease had expired and another process has recorded this attempt.
    if (recorded) await conclude(first, made, recorded);
    return null;
  }

  function successOf(claim: ExpressClaim, result: AttemptResult): ExpressSuccess {
    return {
      id: claim.id,
      endpoint_id: claim.endpoint_id,
      http_status: result.status ?? 0,
      duration_ms: result.durationMs,
      request_headers: result.requestHeaders,
      response_body: result.responseBody,
      response_headers: result.responseHeaders,
      // With most of the room taken, the claim decides whose turn it is.
      refill: !stopping && inFlight <= CONCURRENCY / 2,
    };
  }

  async function recordLost(deliveryId: string): Promise<void> {
    const lost = await findLostAttempt(pool, deliveryId);
    if (!lost) return;
    const judged = judgeAttempt(lost, LOST_RESULT, lost.now, 1_000 * config.HERALD_RETRY_SCALE);
    // No version matches: a process of ours that died says nothing about the endpoint.
    const version = { deliveryId, number: 1, endpointVersion: -1 };
    const made = { ...judged, result: LOST_RESULT };
    if (!(await recordAttempt(pool, version, made, { isExpress: true }))) return;
    log.warn(
      { delivery_id: deliveryId },
      'the process of a first attempt died; the workflow continues the delivery',
    );
  }

  const leases = createJob({
    async run() {
      for (const id of await endExpiredLeases(pool, EXPIRED_BATCH)) await recordLost(id);
    },
    log,
    failure: 'expired leases of deliveries could not be ended',
  });
  const relay = startRelay<ExpressClaim>({
    name: 'express',
    channel: channelsOf('express', config.HERALD_DELIVERY_LANE),
    notifications,
    concurrency: CONCURRENCY,
    claim: (limit) => claimExpress(pool, { limit, ...claimOptions() }),
    start: attemptAll,
    log,
  });
  sweep.on('expired_leases', () => leases.wake());
  sweep.on('attempts', () => relay.wake());
  return {
    wake: () => relay.wake(),
    async stop() {
      stopping = true;
      await Promise.all([leases.stop(), relay.stop()]);
      await successes.stop();
    },
  };
}

const LOST_RESULT = {
  status: null,
  retryAfterMs: null,
  error: LOST,
  errorDetail: null,
  durationMs: 0,
  requestHeaders: null,
  responseBody: null,
  responseHeaders: {},
} as const;

/**
 * Writes successes: those that arrive while a write is in flight share the next statement. Each resolves with the next
 * first attempt of its endpoint, if one was claimed for the slot that it has freed.
 */
function createSuccessWriter(
  pool: pg.Pool,
  log: Logger,
  claimOptions: () => Parameters<typeof recordSuccesses>[2],
): Batcher<ExpressSuccess, ExpressClaim | null> {
  async function record(successes: ExpressSuccess[]): Promise<(ExpressClaim | null)[]> {
    const next = await withRetry(() => recordSuccesses(pool, successes, claimOptions()), {
      pauseMs: RETRY_PAUSE_MS,
      shouldRetry: (_error, { elapsedMs }) => elapsedMs <= RETRY_FOR_MS,
      onRetry: (err) =>
        log.warn({ err, count: successes.length }, 'successes could not be recorded and will be retried'),
    });
    return successes.map(({ endpoint_id: id, refill }) => {
      const index = refill ? next.findIndex(({ endpoint_id }) => endpoint_id === id) : -1;
      return index < 0 ? null : (next.splice(index, 1)[0] ?? null);
    });
  }

  // Two statements at once, never for the same endpoint: both would refill its slots from the head of its queue.
  const even = createBatcher(record, { size: BATCH_ROWS });
  const odd = createBatcher(record, { size: BATCH_ROWS });
  const isEven = (endpointId: string) => Number.parseInt(endpointId.slice(-1), 16) % 2 === 0;
  return {
    write: (success) => (isEven(success.endpoint_id) ? even : odd).write(success),
    async stop() {
      await Promise.all([even.stop(), odd.stop()]);
    },
  };
}
