import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { unschedule } from '../../base/agenda';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { BATCH_ROWS, inTurn } from '../../base/db/batches';
import { withTransaction } from '../../base/db/pool';
import { emitEvent, emitEvents } from '../events';
import type { Work } from '../../base/http/idempotency';
import { isoTime } from '../../base/lib/iso-time';
import { deliveryFailed, storeContent, viewStored } from '../messages';
import { isBillingBlocked, lockProject } from '../projects';
import { copyNext, insertAudienceJob, TooManyJobs, TooManyRecipients } from './audience-job';
import type { BroadcastView, JobKind, NewBroadcast } from './contract';
import { broadcastEndHooks } from './on-end';
import {
  countAudience,
  findJob,
  lockBroadcast,
  markCancelling,
  type BroadcastRow,
  type LockedBroadcast,
} from './queries/broadcasts';
import {
  countOpenRecipients,
  endBroadcast,
  failLostRecipients,
  skipQueuedRecipients,
  type JobEnd,
} from './queries/ends';
import { countFailed, findRetry } from './queries/retries';

export type BroadcastDeps = Pick<Core, 'pool' | 'config'>;

/** What the end of a job needs. */
export interface EndDeps {
  pool: pg.Pool;
  config: Pick<Core['config'], 'HERALD_SUBSCRIBER_ID_FORMAT'>;
}

export interface StartedBroadcast {
  job_id: string | null;
  status: 'queued' | 'dry_run';
  total_subscribers: number;
}

/** The workflow is started after the commit. The job's id is the work's id. */
export async function startBroadcast(
  { pool, config }: BroadcastDeps,
  projectId: string,
  request: NewBroadcast,
  work: Work,
): Promise<StartedBroadcast> {
  const earlier = work.resumed ? await findJob(pool, projectId, 'broadcast', work.id) : null;
  if (earlier) return { job_id: earlier.id, status: 'queued', total_subscribers: earlier.total };
  if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const content = await storeContent(pool, projectId, request, { allowLocal: config.allowLocalWebhooks });
  const { tags_all, tags_any, exclude_tags, permission, channel } = request;
  const audience = { tags_all, tags_any, exclude_tags, permission, channel };
  const counted = await countAudience(pool, projectId, audience);
  const total = counted.active + counted.inactive;
  if (request.dry_run) {
    if (counted.active > limits.broadcastRecipients) throw tooMany();
    return { job_id: null, status: 'dry_run', total_subscribers: total };
  }
  const job = {
    id: work.id,
    content,
    audience,
    messages_per_minute: request.messages_per_minute ?? null,
    scheduled_id: null,
  };
  await withTransaction(pool, (db) => insertAudienceJob(db, projectId, job, counted)).catch(explain);
  // A small audience is copied before the response; what is left, or all after a crash, is the workflow's.
  await copyNext(pool, work.id).catch(() => undefined);
  return { job_id: work.id, status: 'queued', total_subscribers: total };
}

/** A new broadcast of the same content to the recipients that failed. The job's id is the work's id. */
export async function retryBroadcast(
  { pool, config }: BroadcastDeps,
  projectId: string,
  id: string,
  work: Work,
): Promise<{ job_id: string }> {
  if (work.resumed && (await findJob(pool, projectId, 'broadcast', work.id))) return { job_id: work.id };
  const failed = orNotFound(await findJob(pool, projectId, 'broadcast', id));
  if (!failed.ended_at) throw new AppError('conflict', 'The broadcast has not ended yet.');
  if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const active = await countFailed(pool, id);
  if (active === 0) throw new AppError('conflict', 'The broadcast has no failed recipients.');
  const { content, audience, messages_per_minute } = failed;
  const job = { id: work.id, content, audience, messages_per_minute, scheduled_id: null, retry_of: id };
  await withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    if (await findRetry(db, id)) {
      throw new AppError('conflict', 'The broadcast has already been retried; retry the newer one.');
    }
    await insertAudienceJob(db, projectId, job, { active, inactive: 0 });
  }).catch(explain);
  await copyNext(pool, work.id).catch(() => undefined);
  return { job_id: work.id };
}

/** The refusals of `insertAudienceJob` as errors of the API. */
function explain(error: unknown): never {
  if (error instanceof TooManyRecipients) throw tooMany();
  if (error instanceof TooManyJobs) throw tooManyJobs();
  throw error;
}

function tooManyJobs(): AppError {
  return new AppError(
    'conflict',
    `A project can have up to ${limits.openBroadcasts} queued and running broadcasts.`,
  );
}

function tooMany(): AppError {
  return new AppError(
    'validation_failed',
    `body: a broadcast can have up to ${limits.broadcastRecipients} recipients; narrow the audience`,
  );
}

/** How long a cancel works and waits for calls in flight, so that its response can show the final counts. */
const CANCEL_WAIT_MS = 2_000;
const CANCEL_POLL_MS = 50;

/**
 * Stops all further sends. Calls in flight finish first; this request or the worker then writes the end. If neither does, the
 * agenda wakes the workflow.
 */
export async function cancelJob(
  deps: EndDeps,
  projectId: string,
  kind: JobKind,
  id: string,
): Promise<BroadcastRow> {
  const { pool } = deps;
  orNotFound(await findJob(pool, projectId, kind, id));
  // A refusal rolls the transaction back, so that it has no entry in the audit log.
  await withTransaction(pool, async (db) => {
    if (await markCancelling(db, id)) return;
    const ended = orNotFound(await findJob(db, projectId, kind, id));
    if (ended.status === 'completed') {
      throw new AppError('conflict', `The ${kind} has already completed.`);
    }
  });
  const deadline = performance.now() + CANCEL_WAIT_MS;
  while (
    !(await finishBroadcast(deps, id, { workerIsGone: false, deadline })) &&
    performance.now() < deadline
  ) {
    await sleep(CANCEL_POLL_MS);
  }
  return orNotFound(await findJob(pool, projectId, kind, id));
}

const LOST = 'The service stopped while the message was being sent; it may have arrived.';

/**
 * Ends a broadcast that has nothing left to send and emits its event, once. Returns false while recipients are pending.
 * With `workerIsGone` no worker is sending any more, so recipients in `sending` will never get a result. A cancelled one can
 * have 100,000 to skip, which takes turns with other bulk work; after the deadline the rest is left to the worker.
 */
export async function finishBroadcast(
  deps: EndDeps,
  id: string,
  { workerIsGone, deadline = Infinity }: { workerIsGone: boolean; deadline?: number },
): Promise<boolean> {
  const isLate = () => performance.now() >= deadline;
  for (;;) {
    const end = await endIfDone(deps, id, { workerIsGone });
    if (typeof end === 'boolean') return end;
    if (isLate()) return false;
    let skipped: number;
    do {
      skipped = await inTurn(end.manyQueuedOf, () => skipQueuedRecipients(deps.pool, id));
    } while (skipped === BATCH_ROWS && !isLate());
  }
}

function endIfDone(
  { pool, config }: EndDeps,
  id: string,
  { workerIsGone }: { workerIsGone: boolean },
): Promise<boolean | { manyQueuedOf: string }> {
  return withTransaction(pool, async (db) => {
    const broadcast = await lockBroadcast(db, id);
    if (!broadcast || broadcast.status === 'completed' || broadcast.status === 'cancelled') return true;
    const isCancelled = broadcast.status === 'cancelling';
    const open = await countOpenRecipients(db, id);
    if (isCancelled && open.queued > BATCH_ROWS) return { manyQueuedOf: broadcast.project_id };
    if (!isCancelled && (broadcast.copying || open.queued + open.sending > 0)) return false;
    if (open.sending > 0 && !workerIsGone) return false;
    if (open.sending > 0) await failLost(db, broadcast, config);
    if (open.queued > 0) await skipQueuedRecipients(db, id);
    const end = await endBroadcast(db, id, isCancelled ? 'cancelled' : 'completed');
    await unschedule(db, broadcast.kind, [id]);
    await emitEnd(db, broadcast, end);
    return true;
  });
}

/** The event of a job's end, in the transaction that ends it. */
async function emitEnd(
  db: pg.PoolClient,
  { id, kind, project_id, status, scheduled_id, run_id }: LockedBroadcast,
  { sent, failed, skipped, total, ended_at }: JobEnd,
): Promise<void> {
  const counts = { sent, failed, skipped, total };
  if (kind === 'batch') {
    const occurred_at = isoTime(ended_at);
    await emitEvent(db, project_id, 'batch.completed', { batch_id: id, ...counts, occurred_at });
    return;
  }
  const isCancelled = status === 'cancelling';
  const name = isCancelled ? 'broadcast.cancelled' : 'broadcast.completed';
  await emitEvent(db, project_id, name, { job_id: id, ...counts });
  const ended = { id, project_id, scheduled_id, run_id, isCancelled, counts, ended_at };
  for (const hook of broadcastEndHooks.entries()) await hook(db, ended);
}

async function failLost(
  db: pg.PoolClient,
  { id, project_id }: { id: string; project_id: string },
  config: EndDeps['config'],
): Promise<void> {
  const lost = await failLostRecipients(db, id, LOST);
  const at = new Date();
  const failure = { reason: 'unknown' as const, error: LOST };
  await emitEvents(
    db,
    project_id,
    lost.map((recipient) => ({
      name: 'delivery.failed',
      data: deliveryFailed(recipient, failure, at, config.HERALD_SUBSCRIBER_ID_FORMAT),
    })),
    { bulk: true },
  );
}

export function presentBroadcast(broadcast: BroadcastRow): BroadcastView {
  const { sent, failed, skipped, total, audience } = broadcast;
  return {
    job_id: broadcast.id,
    status: broadcast.status,
    total_subscribers: total,
    sent,
    failed,
    skipped,
    remaining: total - sent - failed - skipped,
    possible_duplicates: broadcast.possible_duplicates,
    messages_per_minute: broadcast.messages_per_minute,
    content: viewStored(broadcast.content),
    audience: {
      tags_all: audience.tags_all ?? [],
      tags_any: audience.tags_any ?? [],
      exclude_tags: audience.exclude_tags ?? [],
      permission: audience.permission ?? null,
      channel: audience.channel ?? null,
    },
    created_at: isoTime(broadcast.created_at),
    started_at: broadcast.started_at && isoTime(broadcast.started_at),
    ended_at: broadcast.ended_at && isoTime(broadcast.ended_at),
  };
}
