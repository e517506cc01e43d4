import { AFTER_REQUEST, scheduleAt, scheduleBy } from '../../../base/agenda';
import { JOIN_OWN_BOT } from '../../bots';
import type { Cursor } from '../../../base/contract/cursor';
import { BATCH_ROWS } from '../../../base/db/batches';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { StoredContent } from '../../messages';
import type { Audience, BroadcastStatus, JobKind } from '../contract';

export interface BroadcastCounts {
  sent: number;
  failed: number;
  skipped: number;
  possible_duplicates: number;
}

export interface BroadcastRow extends BroadcastCounts {
  id: string;
  project_id: string;
  status: BroadcastStatus;
  total: number;
  messages_per_minute: number | null;
  /** Of a broadcast; a batch's recipients have their own. */
  content: StoredContent;
  audience: Audience;
  created_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
}

/** Matches the filters' subscribers, active or not. */
const AUDIENCE_FILTER = `s.project_id = $1 AND ($2::text IS NULL OR s.channel = $2) AND s.tags @> $3::text[]
  AND (cardinality($4::text[]) = 0 OR s.tags && $4) AND NOT s.tags && $5::text[]
  AND ($6::text IS NULL OR s.permissions @> ARRAY[$6])`;

function filterParameters(projectId: string, audience: Audience): unknown[] {
  return [
    projectId,
    audience.channel ?? null,
    audience.tags_all ?? [],
    audience.tags_any ?? [],
    audience.exclude_tags ?? [],
    audience.permission ?? null,
  ];
}

export interface AudienceCount {
  active: number;
  inactive: number;
}

export async function countAudience(db: Db, projectId: string, audience: Audience): Promise<AudienceCount> {
  const counted = await row<AudienceCount>(
    db,
    'count_audience',
    `SELECT count(*) FILTER (WHERE s.active) AS active, count(*) FILTER (WHERE NOT s.active) AS inactive
     FROM subscribers s WHERE ${AUDIENCE_FILTER}`,
    filterParameters(projectId, audience),
  );
  return counted ?? { active: 0, inactive: 0 };
}

/** The time zones of the audience's active subscribers; null stands for the project's own. */
export async function zonesOfAudience(
  db: Db,
  projectId: string,
  audience: Audience,
): Promise<(string | null)[]> {
  const found = await rows<{ timezone: string | null }>(
    db,
    'zones_of_audience',
    `SELECT DISTINCT s.timezone FROM subscribers s WHERE ${AUDIENCE_FILTER} AND s.active`,
    filterParameters(projectId, audience),
  );
  return found.map(({ timezone }) => timezone);
}

export interface NewBroadcastRow {
  id: string;
  content: StoredContent;
  audience: Audience;
  messages_per_minute: number | null;
  /** The scheduled entry that it belongs to. */
  scheduled_id: string | null;
  /** The run of a recurring message that it belongs to. */
  run_id?: string;
  recurring_id?: string;
  /** The broadcast whose failed recipients it is for. */
  retry_of?: string;
}

/** Its workflow is started after this commits. `total` is corrected when the audience has been copied. */
export async function insertBroadcast(
  db: Db,
  projectId: string,
  broadcast: NewBroadcastRow,
  total: number,
): Promise<void> {
  await change(
    db,
    'insert_broadcast',
    `INSERT INTO broadcasts (id, project_id, content, audience, messages_per_minute, scheduled_id, run_id, total,
       retry_of, recurring_id, copied_at, copied_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp(), $1)`,
    [
      broadcast.id,
      projectId,
      JSON.stringify(broadcast.content),
      JSON.stringify(broadcast.audience),
      broadcast.messages_per_minute,
      broadcast.scheduled_id,
      broadcast.run_id ?? null,
      total,
      broadcast.retry_of ?? null,
      broadcast.recurring_id ?? null,
    ],
  );
  await scheduleAt(db, 'broadcast', [{ id: broadcast.id, project_id: projectId }]);
}

/**
 * Queued and running broadcasts. One whose recipients get it at their own local times counts while some are due. The
 * caller holds the project's lock.
 */
export async function countOpenBroadcasts(db: Db, projectId: string): Promise<number> {
  const counted = await row<{ open: number }>(
    db,
    'count_open_broadcasts',
    `SELECT count(*)::int AS open FROM broadcasts b
     WHERE b.project_id = $1 AND b.status IN ('queued', 'running') AND b.kind = 'broadcast' AND (
       b.copied_id IS NOT NULL
       OR NOT EXISTS (SELECT 1 FROM broadcast_recipients r
         WHERE r.broadcast_id = b.id AND r.status = 'queued' AND r.due_at > clock_timestamp())
       OR EXISTS (SELECT 1 FROM broadcast_recipients r
         WHERE r.broadcast_id = b.id AND r.status = 'queued' AND r.due_at <= clock_timestamp())
       OR EXISTS (SELECT 1 FROM broadcast_recipients r WHERE r.broadcast_id = b.id AND r.status = 'sending'))`,
    [projectId],
  );
  return counted?.open ?? 0;
}

/** The bot that reaches a subscriber, as recipients name it: empty for the shared one. */
export const QUEUED_BOT = `CASE WHEN s.bot IS NULL THEN '' ELSE coalesce(own.bot, '') END`;

export interface AudienceCopy {
  id: string;
  project_id: string;
  audience: Audience;
  scheduled_id: string | null;
  retry_of: string | null;
  /** As text: a `Date` has no microseconds. */
  copied_at: string;
  copied_id: string;
}

/** Returns null if the audience has been copied, or the broadcast is being cancelled. */
export function lockCopy(db: Db, id: string): Promise<AudienceCopy | null> {
  return row<AudienceCopy>(
    db,
    'lock_audience_copy',
    `SELECT id, project_id, audience, scheduled_id, retry_of, copied_at::text, copied_id FROM broadcasts
     WHERE id = $1 AND status IN ('queued', 'running') AND copied_id IS NOT NULL FOR UPDATE`,
    [id],
  );
}

export interface CopiedSubscriber {
  id: string;
  channel: string;
  bot: string;
  active: boolean;
  timezone: string | null;
  created_at: string;
}

/** The next part of the audience, newest first: who subscribes while it is copied is not in it. */
export function nextOfAudience(
  db: Db,
  { project_id, audience, copied_at, copied_id }: AudienceCopy,
): Promise<CopiedSubscriber[]> {
  return rows<CopiedSubscriber>(
    db,
    'next_of_audience',
    `SELECT s.id, s.channel, ${QUEUED_BOT} AS bot, s.active, s.timezone, s.created_at::text
     FROM subscribers s ${JOIN_OWN_BOT}
     WHERE ${AUDIENCE_FILTER} AND (s.created_at, s.id) < ($7::text::timestamptz, $8::uuid)
     ORDER BY s.created_at DESC, s.id DESC LIMIT ${BATCH_ROWS}`,
    [...filterParameters(project_id, audience), copied_at, copied_id],
  );
}

/** Those who are not subscribed are skipped from the start. */
export function copyRecipients(
  db: Db,
  id: string,
  copied: (CopiedSubscriber & { due_at: Date | null })[],
): Promise<number> {
  return change(
    db,
    'copy_recipients',
    `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, bot, due_at, is_message, status, reason, ended_at)
     SELECT $1, given.subscriber, given.channel, given.bot, given.due_at, active, CASE WHEN active THEN 'queued' ELSE 'skipped' END,
       CASE WHEN NOT active THEN 'unsubscribed' END, CASE WHEN NOT active THEN now() END
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::boolean[])
       AS given (subscriber, channel, bot, due_at, active)`,
    [
      id,
      copied.map((each) => each.id),
      copied.map((each) => each.channel),
      copied.map((each) => each.bot),
      copied.map((each) => each.due_at),
      copied.map((each) => each.active),
    ],
  );
}

export function recordCopied(
  db: Db,
  id: string,
  last: Pick<CopiedSubscriber, 'id' | 'created_at'>,
): Promise<number> {
  return change(
    db,
    'record_audience_copied',
    `UPDATE broadcasts SET copied_at = $2::text::timestamptz, copied_id = $3 WHERE id = $1`,
    [id, last.created_at, last.id],
  );
}

/** From here on the total is exact. */
export function endCopy(db: Db, id: string): Promise<number> {
  return change(
    db,
    'end_audience_copy',
    `UPDATE broadcasts b SET copied_at = NULL, copied_id = NULL,
       total = (SELECT count(*) FROM broadcast_recipients r WHERE r.broadcast_id = b.id)
     WHERE b.id = $1`,
    [id],
  );
}

/** Counts the recipients of a running broadcast; an ended one has the counts in its row. */
const VIEW = `SELECT b.id, b.project_id, b.status, b.total, b.messages_per_minute, b.content, b.audience,
    b.created_at, b.started_at, b.ended_at,
    coalesce(b.sent, c.sent) AS sent, coalesce(b.failed, c.failed) AS failed,
    coalesce(b.skipped, c.skipped) AS skipped,
    coalesce(b.possible_duplicates, c.resent) AS possible_duplicates, ${cursorTime('b.created_at')} AS cursor_at
  FROM broadcasts b LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE r.status = 'sent') AS sent, count(*) FILTER (WHERE r.status = 'failed') AS failed,
      count(*) FILTER (WHERE r.status = 'skipped') AS skipped, count(*) FILTER (WHERE r.resent) AS resent
    FROM broadcast_recipients r WHERE r.broadcast_id = b.id
  ) c ON b.ended_at IS NULL`;

export function findBroadcast(db: Db, id: string): Promise<BroadcastRow | null> {
  return row<BroadcastRow>(db, 'find_broadcast', `${VIEW} WHERE b.id = $1`, [id]);
}

/** A batch is one when all of its recipients are stored. */
const IS_WHOLE = `(b.kind <> 'batch' OR b.copied_id IS NULL)`;

export function findJob(db: Db, projectId: string, kind: JobKind, id: string): Promise<BroadcastRow | null> {
  return row<BroadcastRow>(
    db,
    'find_job',
    `${VIEW} WHERE b.id = $2 AND b.project_id = $1 AND b.kind = $3 AND ${IS_WHOLE}`,
    [projectId, id, kind],
  );
}

/** Returns one row more than the limit if there is another page. */
export function listJobs(
  db: Db,
  projectId: string,
  kind: JobKind,
  { before, limit }: { before: Cursor | null; limit: number },
): Promise<(BroadcastRow & { cursor_at: string })[]> {
  return rows<BroadcastRow & { cursor_at: string }>(
    db,
    'list_jobs',
    `${VIEW} WHERE b.project_id = $1 AND b.kind = $5 AND ${IS_WHOLE}
       AND (b.created_at, b.id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY b.created_at DESC, b.id DESC LIMIT $4`,
    [projectId, before?.at ?? null, before?.id ?? null, limit + 1, kind],
  );
}

export interface LockedBroadcast {
  id: string;
  kind: JobKind;
  project_id: string;
  status: BroadcastStatus;
  scheduled_id: string | null;
  run_id: string | null;
  /** Its audience is still being copied into recipients. */
  copying: boolean;
}

export function lockBroadcast(db: Db, id: string): Promise<LockedBroadcast | null> {
  return row<LockedBroadcast>(
    db,
    'lock_broadcast',
    `SELECT id, kind, project_id, status, scheduled_id, run_id, copied_id IS NOT NULL AS copying
     FROM broadcasts WHERE id = $1 FOR UPDATE`,
    [id],
  );
}

/**
 * Workers claim no more recipients after this commits. The agenda wakes the workflow if the request has not ended the broadcast
 * by then. Runs in a transaction.
 */
export async function markCancelling(db: Db, id: string): Promise<boolean> {
  const marked = await row<{ kind: JobKind; project_id: string }>(
    db,
    'cancel_broadcast',
    `UPDATE broadcasts SET status = 'cancelling' WHERE id = $1 AND status IN ('queued', 'running')
     RETURNING kind, project_id`,
    [id],
  );
  if (marked) await scheduleBy(db, marked.kind, [{ id, project_id: marked.project_id, at: AFTER_REQUEST }]);
  return marked !== null;
}

/** What a workflow is started with; null if the broadcast or batch has ended. */
export function findJobStart(db: Db, id: string): Promise<{ total: number; slug: string } | null> {
  return row(
    db,
    'find_job_start',
    `SELECT b.total, p.slug FROM broadcasts b JOIN projects p ON p.id = b.project_id
     WHERE b.id = $1 AND b.ended_at IS NULL`,
    [id],
  );
}
