import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { MORE, type Next, reportNext } from '../../../base/agenda';
import { listProjectBots, sharedBotKey } from '../../bots';
import { channels, type Channel } from '../../../base/contract/common';
import { limits } from '../../../base/contract/limits';
import { BATCH_ROWS, inBatches } from '../../../base/db/batches';
import { withTransaction, type Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';
import type { BatchTemplates, StoredContent } from '../../messages';
import { maySend, parkUntilActive } from '../../projects';
import type { JobKind } from '../contract';

/** One run of a broadcast: a page of its workflow in one worker. The token fences out earlier runs. */
export interface BroadcastRun {
  id: string;
  kind: JobKind;
  token: string;
  projectId: string;
  /** The project's name, for templates. */
  project: string;
  /** Of a broadcast; of a batch, whose messages are with their recipients, its templates. */
  content: StoredContent | BatchTemplates;
  senders: Sender[];
}

/** A bot that sends a part of the broadcast. `bot` is empty for the shared bot, as in `broadcast_recipients`. */
export interface Sender {
  channel: Channel;
  bot: string;
}

/** See bot-key.ts. */
export function senderKey({ channel, bot }: Sender): string {
  return bot === '' ? sharedBotKey(channel) : bot;
}

/**
 * Starts a run and fences out earlier ones: only this run may now claim recipients and record results. Recipients that
 * an earlier run claimed without recording a result are queued again; if their message had been sent, they get a second
 * copy. `isParked`: the project is inactive, and nothing has begun.
 */
export function beginRun(
  pool: pg.Pool,
  id: string,
): Promise<{ run: BroadcastRun | null; isParked: boolean }> {
  return withTransaction(pool, async (db) => {
    const token = randomUUID();
    const begun = await row<BegunRun>(
      db,
      'begin_broadcast_run',
      `UPDATE broadcasts b SET status = 'running', run_token = $2, started_at = coalesce(b.started_at, now()),
         next_at = greatest(b.next_at, coalesce(b.started_at, now()))
       FROM projects p
       WHERE b.id = $1 AND b.status IN ('queued', 'running') AND p.id = b.project_id AND ${maySend('b.project_id')}
       RETURNING b.kind, b.project_id, p.name AS project, b.content`,
      [id, token],
    );
    if (!begun) return { run: null, isParked: await park(db, id) };
    await reportNext(db, begun.kind, { id, project_id: begun.project_id }, MORE);
    await change(
      db,
      'requeue_lost_recipients',
      `UPDATE broadcast_recipients SET status = 'queued', token = NULL, resent = true
       WHERE broadcast_id = $1 AND status = 'sending'`,
      [id],
    );
    const { project_id: projectId, ...job } = begun;
    const own = (await listProjectBots(db, projectId)).map(({ channel, bot }) => ({ channel, bot }));
    const senders = [...channels.map((channel) => ({ channel, bot: '' })), ...own];
    return { run: { id, token, projectId, ...job, senders }, isParked: false };
  });
}

/** Parks the broadcast as `beginRun` does. Returns false if the project is active, or nothing is left to send. */
export function parkRun(pool: pg.Pool, id: string): Promise<boolean> {
  return withTransaction(pool, (db) => park(db, id));
}

async function park(db: Db, id: string): Promise<boolean> {
  const open = await lockSendable(db, id);
  return open !== null && parkUntilActive(db, open.kind, { id, ...open });
}

/**
 * Reports when the next page is due; until two minutes later no other workflow is started. Returns false if the broadcast was
 * cancelled: the time that the cancellation has set stays.
 */
export function reportRun(pool: pg.Pool, id: string, next: Next = MORE): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    const open = await lockSendable(db, id);
    if (open) await reportNext(db, open.kind, { id, ...open }, next);
    return open !== null;
  });
}

function lockSendable(db: Db, id: string): Promise<{ kind: JobKind; project_id: string } | null> {
  return row(
    db,
    'lock_sendable_broadcast',
    `SELECT kind, project_id FROM broadcasts WHERE id = $1 AND status IN ('queued', 'running') FOR NO KEY UPDATE`,
    [id],
  );
}

interface BegunRun {
  kind: JobKind;
  project_id: string;
  project: string;
  content: StoredContent | BatchTemplates;
}

/**
 * What has changed for the recipients since they were copied, in batches. A batch is an array, not a join: where the
 * planner takes the table for small, because most broadcasts are, it would look for the batch again for each recipient.
 */
export async function updateRecipients(
  pool: pg.Pool,
  { id, projectId, senders }: BroadcastRun,
): Promise<void> {
  const own = senders.map(({ bot }) => bot).filter((bot) => bot !== '');
  await inBatches(() => skipTooLate(pool, id));
  await inBatches(() => leaveRemovedBots(pool, id, projectId, own));
}

/** Recipients whose own time is too long ago, unless their message may have been sent before a crash. */
function skipTooLate(db: Db, id: string): Promise<number> {
  return change(
    db,
    'skip_too_late_recipients',
    `UPDATE broadcast_recipients SET status = 'skipped', reason = 'too_late', ended_at = now()
     WHERE status = 'queued' AND id = ANY (ARRAY(
       SELECT id FROM broadcast_recipients
       WHERE broadcast_id = $1 AND status = 'queued' AND NOT resent AND media_message_id IS NULL
         AND due_at < clock_timestamp() - interval '${limits.scheduledLateHours} hours' LIMIT ${BATCH_ROWS}))`,
    [id],
  );
}

/** Recipients of a bot that was replaced or removed meanwhile go to the project's present one. */
function leaveRemovedBots(db: Db, id: string, projectId: string, connected: string[]): Promise<number> {
  return change(
    db,
    'leave_removed_bots',
    `UPDATE broadcast_recipients r SET bot = coalesce(
       (SELECT own.bot FROM project_bots own WHERE own.project_id = $2 AND own.channel = r.channel), '')
     WHERE r.status = 'queued' AND r.id = ANY (ARRAY(
       SELECT id FROM broadcast_recipients
       WHERE broadcast_id = $1 AND status = 'queued' AND bot <> '' AND bot <> ALL ($3::text[]) LIMIT ${BATCH_ROWS}))`,
    [id, projectId, connected],
  );
}
