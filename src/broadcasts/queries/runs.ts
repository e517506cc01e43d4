import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { listProjectBots, sharedBotKey } from '../../bots';
import { channels, type Channel } from '../../contract/common';
import { limits } from '../../contract/limits';
import { BATCH_ROWS, inBatches } from '../../db/batches';
import { withTransaction, type Db } from '../../db/pool';
import { change, row } from '../../db/query';
import type { BatchTemplates, StoredContent } from '../../messages';
import { maySend } from '../../projects';
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
 * copy. `isPaused`: the project may not send, and nothing has begun.
 */
export function beginRun(
  pool: pg.Pool,
  id: string,
): Promise<{ run: BroadcastRun | null; isPaused: boolean }> {
  return withTransaction(pool, async (db) => {
    const token = randomUUID();
    const begun = await row<BegunRun>(
      db,
      'begin_broadcast_run',
      `WITH locked AS MATERIALIZED (
         SELECT id FROM broadcasts WHERE id = $1 AND status IN ('queued', 'running') FOR NO KEY UPDATE)
       UPDATE broadcasts b SET status = 'running', run_token = $2, started_at = coalesce(b.started_at, now()),
         next_at = greatest(b.next_at, coalesce(b.started_at, now())), wake_at = clock_timestamp() + interval '2 minutes'
       FROM locked, projects p WHERE b.id = locked.id AND p.id = b.project_id AND ${maySend('b.project_id')}
       RETURNING b.kind, b.project_id, p.name AS project, b.content`,
      [id, token],
    );
    if (!begun) {
      return { run: null, isPaused: await pauseRun(db, id) };
    }
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
    return { run: { id, token, projectId, ...job, senders }, isPaused: false };
  });
}

/** The relay claims the broadcast again as soon as its project may send. Returns false if it may, or if the broadcast has ended. */
export async function pauseRun(db: Db, id: string): Promise<boolean> {
  const paused = await change(
    db,
    'pause_broadcast_run',
    `UPDATE broadcasts SET wake_at = clock_timestamp()
     WHERE id = $1 AND status IN ('queued', 'running') AND NOT ${maySend('project_id')}`,
    [id],
  );
  return paused > 0;
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
