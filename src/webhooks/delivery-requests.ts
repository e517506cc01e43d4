import type pg from 'pg';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import * as deliveries from './queries/deliveries';
import { findEndpoint } from './queries/endpoints';
import { withTransaction } from '../db/pool';

const DAY_MS = 86_400_000;
/** "Fourteen days ago" by the caller's clock is a little more when the request arrives. */
const RECOVER_SLACK_MS = 60_000;

/* Requests about deliveries, from the API and the CLI. Only rows are written, so they work while Temporal is away. */

/** Makes one attempt now, of a waiting delivery or an ended one. */
export async function retryDelivery(
  pool: pg.Pool,
  projectId: string,
  id: string,
  idempotencyKey: string | null,
): Promise<void> {
  await withTransaction(pool, async (db) => {
    const delivery = required(await deliveries.lockDelivery(db, projectId, id));
    if (delivery.endpoint_deleted) throw new AppError('conflict', 'The endpoint was deleted.');
    if (delivery.endpoint_disabled) {
      throw new AppError('conflict', 'The endpoint is disabled. Enable it first.');
    }
    await deliveries.requestRetry(db, id, idempotencyKey);
  });
}

export async function cancelDelivery(pool: pg.Pool, projectId: string, id: string): Promise<void> {
  await withTransaction(pool, async (db) => {
    const { status } = required(await deliveries.lockDelivery(db, projectId, id));
    if (status === 'succeeded' || status === 'failed') {
      throw new AppError('conflict', `The delivery has already ${status}.`);
    }
    await deliveries.cancelDelivery(db, id);
  });
}

/** Retries every delivery of the endpoint that failed since then. Returns how many. */
export async function recoverEndpoint(
  pool: pg.Pool,
  projectId: string,
  endpointId: string,
  since: string,
): Promise<number> {
  const oldest = Date.now() - limits.webhookRecoverDays * DAY_MS - RECOVER_SLACK_MS;
  if (Date.parse(since) < oldest) {
    throw new AppError('validation_failed', `since: must be at most ${limits.webhookRecoverDays} days back`);
  }
  const endpoint = required(await findEndpoint(pool, projectId, endpointId));
  if (endpoint.status === 'disabled') {
    throw new AppError('conflict', 'The endpoint is disabled. Enable it first.');
  }
  return deliveries.recoverDeliveries(pool, endpoint.id, since);
}

export function required<T>(found: T | null): T {
  if (found === null) throw new AppError('not_found');
  return found;
}
