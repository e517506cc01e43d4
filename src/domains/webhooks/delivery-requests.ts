import type pg from 'pg';
import type { Cursor } from '../../base/contract/cursor';
import { DAY_MS } from '../../base/contract/durations';
import { AppError, orNotFound } from '../../base/contract/errors';
import { isUuid } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import * as deliveries from './queries/deliveries';
import { findEndpoint, type Endpoint } from './queries/endpoints';
import { BATCH_ROWS, inBatches, inTurn } from '../../base/db/batches';
import { noteChange } from '../../base/db/changes';
import { withTransaction } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';

/* Requests about deliveries, from the API and the CLI. Only rows are written, so they work while Temporal is unavailable. */

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
    const delivery = orNotFound(await deliveries.lockDelivery(db, projectId, id));
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
    const { status } = orNotFound(await deliveries.lockDelivery(db, projectId, id));
    if (status === 'succeeded' || status === 'failed') {
      throw new AppError('conflict', `The delivery has already ${status}.`);
    }
    await deliveries.cancelDelivery(db, id);
    noteChange(db, 'deliveries', projectId);
  });
}

/**
 * Retries every delivery of the endpoint that failed since then, in batches with a transaction each. Returns how many. A
 * request whose process has died between two batches goes on with the next one.
 */
export async function recoverEndpoint(
  pool: pg.Pool,
  projectId: string,
  endpointId: string,
  since: string,
  work: Work,
): Promise<number> {
  const endpoint = orNotFound(await findEndpoint(pool, projectId, endpointId));
  let recovered = work.resumed ? await deliveries.countRecovered(pool, endpoint.id, work.id) : 0;
  // With a batch done, it was accepted before its process died.
  if (recovered === 0) requireRecoverable(endpoint, since);
  const recoverNext = async () => {
    const batch = await deliveries.recoverDeliveries(pool, endpoint.id, since, work.id);
    recovered += batch.recovered;
    return batch.found;
  };
  if ((await recoverNext()) === BATCH_ROWS) await inBatches(() => inTurn(projectId, recoverNext));
  noteChange(pool, 'deliveries', projectId);
  return recovered;
}

function requireRecoverable({ status }: Endpoint, since: string): void {
  const oldest = Date.now() - limits.webhookRecoverDays * DAY_MS - RECOVER_SLACK_MS;
  if (Date.parse(since) < oldest) {
    throw new AppError('validation_failed', `since: must be at most ${limits.webhookRecoverDays} days back`);
  }
  if (status === 'disabled') throw new AppError('conflict', 'The endpoint is disabled. Enable it first.');
}

/**
 * After the commit that deleted an endpoint: cancels what its transaction has left. Retention cancels what is left then; no
 * attempt of it is made meanwhile.
 */
export function cancelRest(pool: pg.Pool, projectId: string, endpointId: string): Promise<void> {
  return afterCommitInBatches(pool, projectId, () =>
    withTransaction(pool, (db) => deliveries.cancelDeliveriesOf(db, endpointId)),
  );
}

/**
 * After the commit that enabled an endpoint: resumes what its transaction has left, from `last` on. What is left then is
 * attempted at its scheduled time.
 */
export function resumeRest(
  pool: pg.Pool,
  projectId: string,
  endpointId: string,
  last: Cursor,
): Promise<void> {
  let after: Cursor | null = last;
  return afterCommitInBatches(pool, projectId, async () => {
    after = await withTransaction(pool, (db) => deliveries.resumeDeliveries(db, endpointId, after));
    return after !== null;
  });
}

/** How long a request goes on after its commit. */
const REST_MS = 5_000;

/** Repeats `changeNext` while it says that there is more. The change has been made: a fault now must not look as if it had not. */
async function afterCommitInBatches(
  pool: pg.Pool,
  projectId: string,
  changeNext: () => Promise<boolean>,
): Promise<void> {
  const deadline = performance.now() + REST_MS;
  try {
    let hasMore = true;
    while (hasMore && performance.now() < deadline) {
      hasMore = await inTurn(projectId, changeNext, { waitMs: deadline - performance.now() });
    }
  } catch {
    // As at the deadline.
  }
  noteChange(pool, 'deliveries', projectId);
}
