import type pg from 'pg';
import { withTransaction } from '../../base/db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import type { Logger } from '../../base/lib/log';
import { createJob, type Job } from '../../base/lib/periodic-job';
import { insertAuditEntry, queueNotices } from '../projects';
import { lockAlerted, markAnnounced, type AlertedEndpoint } from './queries/alerts';
import type { DeliverySweep } from './sweep';

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

async function emitChanges(db: pg.PoolClient, endpoint: AlertedEndpoint): Promise<void> {
  const { project_id: projectId } = endpoint;
  const named = { endpoint_id: endpoint.id, url: endpoint.url };
  for (const change of endpoint.unannounced) {
    const occurred_at = isoTime(new Date(change.at));
    const { id: eventId } =
      change.event === 'endpoint.recovered'
        ? await emitEvent(db, projectId, change.event, { ...named, occurred_at })
        : await emitEvent(db, projectId, change.event, { ...named, reason: change.reason, occurred_at });
    await queueNotices(db, projectId, eventId);
    if (change.event === 'endpoint.disabled') await auditDisabled(db, endpoint);
  }
  if (!endpoint.is_failing || endpoint.failing_since === null) return;
  const { id: eventId } = await emitEvent(db, projectId, 'endpoint.failing', {
    ...named,
    failing_since: isoTime(endpoint.failing_since),
    occurred_at: isoTime(endpoint.now),
  });
  await queueNotices(db, projectId, eventId);
}

/** Herald itself has disabled the endpoint. */
async function auditDisabled(db: pg.PoolClient, { id, project_id }: AlertedEndpoint): Promise<void> {
  await insertAuditEntry(db, {
    project_id,
    actor_type: 'system',
    actor_id: null,
    action: 'webhook.disabled',
    target_id: id,
    ip: null,
  });
}

/** Safe to run in several processes: an endpoint that another one has locked is left to it. */
export function startEndpointAlerts({
  pool,
  log,
  sweep,
}: {
  pool: pg.Pool;
  log: Logger;
  sweep: Pick<DeliverySweep, 'on'>;
}): Pick<Job, 'stop'> {
  const job = createJob({
    run: () => announceEndpointChanges(pool),
    log,
    failure: 'changes of endpoints could not be announced',
  });
  sweep.on('news', () => job.wake());
  return job;
}
