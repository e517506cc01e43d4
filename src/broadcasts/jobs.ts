import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { emitBulkEvents, emitEvent } from '../events';
import type { Work } from '../http/idempotency';
import { isoTime } from '../lib/iso-time';
import { checkMedia, deliveryFailed } from '../messages';
import { viewContent } from '../messages/contract';
import { isBillingBlocked } from '../projects';
import { contentOf, type BroadcastView, type NewBroadcast } from './contract';
import {
  countAudience,
  findProjectBroadcast,
  insertBroadcast,
  lockBroadcast,
  markCancelling,
  releaseBroadcast,
  snapshotAudience,
  type BroadcastRow,
} from './queries/broadcasts';
import { countOpenRecipients, endBroadcast, failLostRecipients, skipQueuedRecipients } from './queries/ends';

export type BroadcastDeps = Pick<Core, 'pool' | 'config'>;

export interface StartedBroadcast {
  job_id: string | null;
  status: 'queued' | 'dry_run';
  total_subscribers: number;
}

/** Snapshots the audience. The relay starts the workflow after the commit. The job's id is the work's id. */
export async function startBroadcast(
  { pool, config }: BroadcastDeps,
  projectId: string,
  request: NewBroadcast,
  work: Work,
): Promise<StartedBroadcast> {
  const earlier = work.resumed ? await findProjectBroadcast(pool, projectId, work.id) : null;
  if (earlier) return { job_id: earlier.id, status: 'queued', total_subscribers: earlier.total };
  if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const content = contentOf(request);
  if (content.media) {
    const policy = { allowLocal: config.allowLocalWebhooks };
    content.media = { ...content.media, ...(await checkMedia(content.media, projectId, policy)) };
  }
  const { tags_all, tags_any, exclude_tags, permission, channel } = request;
  const audience = { tags_all, tags_any, exclude_tags, permission, channel };
  if (request.dry_run) {
    const { active, inactive } = await countAudience(pool, projectId, audience);
    refuseTooMany(active);
    return { job_id: null, status: 'dry_run', total_subscribers: active + inactive };
  }
  return withTransaction(pool, async (db) => {
    const { id } = work;
    await insertBroadcast(db, projectId, {
      id,
      content,
      audience,
      messages_per_minute: request.messages_per_minute ?? null,
    });
    const active = await snapshotAudience(db, projectId, id, audience, limits.broadcastRecipients);
    refuseTooMany(active);
    const { inactive } = await countAudience(db, projectId, audience);
    await releaseBroadcast(db, id, active, inactive);
    return { job_id: id, status: 'queued' as const, total_subscribers: active + inactive };
  });
}

function refuseTooMany(recipients: number): void {
  if (recipients <= limits.broadcastRecipients) return;
  throw new AppError(
    'validation_failed',
    `body: a broadcast can have up to ${limits.broadcastRecipients} recipients; narrow the audience`,
  );
}

/** How long a cancel waits for calls in flight, so that its response can show the final counts. */
const CANCEL_WAIT_MS = 2_000;
const CANCEL_POLL_MS = 50;

/** Stops all further sends. Calls in flight finish first; this request or the worker then writes the end. */
export async function cancelBroadcast(
  deps: BroadcastDeps,
  projectId: string,
  id: string,
): Promise<BroadcastRow> {
  const { pool } = deps;
  const before = await findProjectBroadcast(pool, projectId, id);
  if (!before) throw new AppError('not_found');
  if (before.status === 'completed') {
    throw new AppError('conflict', 'The broadcast has already completed.');
  }
  await markCancelling(pool, id);
  const deadline = performance.now() + CANCEL_WAIT_MS;
  while (!(await finishBroadcast(deps, id, { workerIsGone: false })) && performance.now() < deadline) {
    await sleep(CANCEL_POLL_MS);
  }
  const after = await findProjectBroadcast(pool, projectId, id);
  if (!after) throw new AppError('not_found');
  if (after.status === 'completed') {
    throw new AppError('conflict', 'The broadcast has already completed.');
  }
  return after;
}

const LOST = 'The service stopped while the message was being sent; it may have arrived.';

/**
 * Ends a broadcast that has nothing left to send and emits its event, once. Returns false while recipients are pending.
 * With `workerIsGone` no worker is sending any more, so recipients in `sending` will never get a result.
 */
export function finishBroadcast(
  { pool, config }: BroadcastDeps,
  id: string,
  { workerIsGone }: { workerIsGone: boolean },
): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    const broadcast = await lockBroadcast(db, id);
    if (!broadcast || broadcast.status === 'completed' || broadcast.status === 'cancelled') return true;
    const isCancelled = broadcast.status === 'cancelling';
    const open = await countOpenRecipients(db, id);
    if (!isCancelled && open.queued + open.sending > 0) return false;
    if (open.sending > 0 && !workerIsGone) return false;
    if (open.sending > 0) await failLost(db, broadcast, config);
    if (open.queued > 0) await skipQueuedRecipients(db, id);
    const { sent, failed, skipped, total } = await endBroadcast(
      db,
      id,
      isCancelled ? 'cancelled' : 'completed',
    );
    const name = isCancelled ? 'broadcast.cancelled' : 'broadcast.completed';
    await emitEvent(db, broadcast.project_id, name, { job_id: id, sent, failed, skipped, total });
    return true;
  });
}

async function failLost(
  db: pg.PoolClient,
  { id, project_id }: { id: string; project_id: string },
  config: Core['config'],
): Promise<void> {
  const lost = await failLostRecipients(db, id, LOST);
  const at = new Date();
  const failure = { reason: 'unknown' as const, error: LOST };
  await emitBulkEvents(
    db,
    project_id,
    lost.map((recipient) => ({
      name: 'delivery.failed',
      data: deliveryFailed(recipient, failure, at, config.HERALD_SUBSCRIBER_ID_FORMAT),
    })),
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
    content: viewContent(broadcast.content),
    audience: {
      tags_all: audience.tags_all,
      tags_any: audience.tags_any,
      exclude_tags: audience.exclude_tags,
      permission: audience.permission ?? null,
      channel: audience.channel ?? null,
    },
    created_at: isoTime(broadcast.created_at),
    started_at: broadcast.started_at && isoTime(broadcast.started_at),
    ended_at: broadcast.ended_at && isoTime(broadcast.ended_at),
  };
}
