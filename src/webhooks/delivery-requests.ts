import type pg from 'pg';
import { AppError } from '../contract/errors';
import { isUuid } from '../contract/ids';
import { limits } from '../contract/limits';
import * as deliveries from './queries/deliveries';
import { findEndpoint } from './queries/endpoints';
import { noteChange } from '../db/changes';
import { withTransaction } from '../db/pool';
import type { Work } from '../http/idempotency';

/* Requests about deliveries, from the API and the CLI. Only rows are written, so they work while Temporal is unavailable. */

const DAY_MS = 86_400_000;
/** "Fourteen days ago" by the caller's clock is a little more when the request arrives. */
const RECOVER_SLACK_MS = 60_000;

/**
 * Makes one attempt now, of a waiting delivery or an ended one. A repeated call with the same request id makes no further
 * attempt.
 */
export async function retryDelivery(
  pool: pg.Pool,
  projectId: string,
  id: string,
  requestId: string,
): Promise<void> {
  await withTransaction(pool, async (db) => {
    const delivery = required(await deliveries.lockDelivery(db, projectId, id));
    if (delivery.endpoint_deleted) throw new AppError('conflict', 'The endpoint was deleted.');
    if (delivery.endpoint_disabled) {
      throw new AppError('conflict', 'The endpoint is disabled. Enable it first.');
    }
    await deliveries.requestRetries(db, [id], requestId);
    noteChange(db, 'deliveries', projectId);
  });
}

export interface BulkRetryResult {
  retried: number;
  failed: { id: string; code: 'not_found' | 'conflict' }[];
}

/** As `retryDelivery` for each delivery, in one transaction; those that cannot be retried are listed. */
export async function retryDeliveries(
  pool: pg.Pool,
  projectId: string,
  ids: string[],
  requestId: string,
): Promise<BulkRetryResult> {
  const asGiven = new Map(ids.map((id) => [id.toLowerCase(), id]));
  const given = [...asGiven.keys()];
  return withTransaction(pool, async (db) => {
    const locked = await deliveries.lockDeliveries(db, projectId, given.filter(isUuid));
    const byId = new Map(locked.map((delivery) => [delivery.id, delivery]));
    const failed = given.flatMap((id): BulkRetryResult['failed'] => {
      const delivery = byId.get(id);
      if (!delivery) return [{ id, code: 'not_found' }];
      const refused = delivery.endpoint_deleted || delivery.endpoint_disabled;
      return refused ? [{ id, code: 'conflict' }] : [];
    });
    const refusedIds = new Set(failed.map(({ id }) => id));
    const retried = given.filter((id) => !refusedIds.has(id));
    await deliveries.requestRetries(db, retried, requestId);
    noteChange(db, 'deliveries', projectId);
    return {
      retried: retried.length,
      failed: failed.map(({ id, code }) => ({ id: asGiven.get(id) ?? id, code })),
    };
  });
}

export async function cancelDelivery(pool: pg.Pool, projectId: string, id: string): Promise<void> {
  await withTransaction(pool, async (db) => {
    const { status } = required(await deliveries.lockDelivery(db, projectId, id));
    if (status === 'succeeded' || status === 'failed') {
      throw new AppError('conflict', `The delivery has already ${status}.`);
    }
    await deliveries.cancelDelivery(db, id);
    noteChange(db, 'deliveries', projectId);
  });
}

/** Retries every delivery of the endpoint that failed since then. Returns how many. */
export async function recoverEndpoint(
  pool: pg.Pool,
  projectId: string,
  endpointId: string,
  since: string,
  work: Work,
): Promise<number> {
  const endpoint = required(await findEndpoint(pool, projectId, endpointId));
  const earlier = work.resumed ? await deliveries.countRecovered(pool, endpoint.id, work.id) : 0;
  if (earlier > 0) return earlier;
  const oldest = Date.now() - limits.webhookRecoverDays * DAY_MS - RECOVER_SLACK_MS;
  if (Date.parse(since) < oldest) {
    throw new AppError('validation_failed', `since: must be at most ${limits.webhookRecoverDays} days back`);
  }
  if (endpoint.status === 'disabled') {
    throw new AppError('conflict', 'The endpoint is disabled. Enable it first.');
  }
  const recovered = await deliveries.recoverDeliveries(pool, endpoint.id, since, work.id);
  noteChange(pool, 'deliveries', projectId);
  return recovered;
}

export function required<T>(found: T | null): T {
  if (found === null) throw new AppError('not_found');
  return found;
}
