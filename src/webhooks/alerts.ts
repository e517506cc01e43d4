import type pg from 'pg';
import { withTransaction } from '../db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../lib/iso-time';
import type { Logger } from '../lib/log';
import { startSweep } from '../lib/sweep';
import { lockAlerted, markAnnounced, type AlertedEndpoint } from './queries/alerts';

export interface EndpointAlerts {
  stop(): Promise<void>;
}

const SWEEP_MS = 1_000;
const BATCH = 50;

/** Emits the events of endpoints that are failing, were disabled by Herald or have recovered, once for each change. */
export async function announceEndpointChanges(pool: pg.Pool): Promise<number> {
  let total = 0;
  for (;;) {
    const announced = await withTransaction(pool, async (db) => {
      const endpoints = await lockAlerted(db, BATCH);
      for (const endpoint of endpoints) await emitChanges(db, endpoint);
      if (endpoints.length > 0) await markAnnounced(db, endpoints);
      return endpoints.length;
    });
    total += announced;
    if (announced < BATCH) return total;
  }
}

/**
 * The endpoint itself gets none of them: it cannot receive that it fails, and a success of the announcement would count
 * as its recovery.
 */
async function emitChanges(db: pg.PoolClient, endpoint: AlertedEndpoint): Promise<void> {
  const others = { exceptEndpoint: endpoint.id };
  const named = { endpoint_id: endpoint.id, url: endpoint.url };
  for (const { event, at, reason } of endpoint.unannounced) {
    const occurred_at = isoTime(new Date(at));
    if (event === 'endpoint.recovered') {
      await emitEvent(db, endpoint.project_id, event, { ...named, occurred_at }, others);
    } else {
      await emitEvent(
        db,
        endpoint.project_id,
        event,
        { ...named, reason: reason ?? '', occurred_at },
        others,
      );
    }
  }
  if (!endpoint.is_failing || endpoint.failing_since === null) return;
  const data = {
    ...named,
    failing_since: isoTime(endpoint.failing_since),
    occurred_at: isoTime(endpoint.now),
  };
  await emitEvent(db, endpoint.project_id, 'endpoint.failing', data, others);
}

/** Safe to run in several processes: an endpoint that another one has locked is left to it. */
export function startEndpointAlerts({ pool, log }: { pool: pg.Pool; log: Logger }): EndpointAlerts {
  let running: Promise<unknown> | null = null;
  const sweep = startSweep(SWEEP_MS, () => {
    running ??= announceEndpointChanges(pool)
      .catch((err: unknown) => log.warn({ err }, 'changes of endpoints could not be announced'))
      .finally(() => (running = null));
  });
  return {
    async stop() {
      sweep.stop();
      await running;
    },
  };
}
