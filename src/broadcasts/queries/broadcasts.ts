import { JOIN_OWN_BOT } from '../../bots';
import type { Cursor } from '../../contract/cursor';
import { cursorTime } from '../../db/cursor-time';
import { notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
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
    audience.tags_all,
    audience.tags_any,
    audience.exclude_tags,
    audience.permission ?? null,
  ];
}

export async function countAudience(
  db: Db,
  projectId: string,
  audience: Audience,
): Promise<{ active: number; inactive: number }> {
  const counted = await row<{ active: number; inactive: number }>(
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
}

export function insertBroadcast(db: Db, projectId: string, broadcast: NewBroadcastRow): Promise<number> {
  return change(
    db,
    'insert_broadcast',
    `INSERT INTO broadcasts (id, project_id, content, audience, messages_per_minute, scheduled_id, run_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      broadcast.id,
      projectId,
      JSON.stringify(broadcast.content),
      JSON.stringify(broadcast.audience),
      broadcast.messages_per_minute,
      broadcast.scheduled_id,
      broadcast.run_id ?? null,
    ],
  );
}

/** When recipients are due, by their time zones; `ownZone` is that of recipients without one. */
export interface DueTimes {
  zones: string[];
  moments: Date[];
  ownZone: string;
}

/** The bot that reaches a subscriber, as recipients name it: empty for the shared one. */
export const QUEUED_BOT = `CASE WHEN s.bot IS NULL THEN '' ELSE coalesce(own.bot, '') END`;

/** Copies the active part of the audience into recipient rows. Returns how many, at most `max` + 1. */
export function snapshotAudience(
  db: Db,
  projectId: string,
  { id, audience, due }: { id: string; audience: Audience; due: DueTimes | null },
  max: number,
): Promise<number> {
  const values = [...filterParameters(projectId, audience), id, max + 1];
  if (due) {
    return change(
      db,
      'snapshot_audience_by_zone',
      `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, bot, due_at)
       SELECT $7, s.id, s.channel, ${QUEUED_BOT}, given.due_at FROM subscribers s ${JOIN_OWN_BOT}
       LEFT JOIN unnest($9::text[], $10::timestamptz[]) AS given (zone, due_at) ON given.zone = coalesce(s.timezone, $11)
       WHERE ${AUDIENCE_FILTER} AND s.active LIMIT $8`,
      [...values, due.zones, due.moments, due.ownZone],
    );
  }
  return change(
    db,
    'snapshot_audience',
    `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, bot)
     SELECT $7, s.id, s.channel, ${QUEUED_BOT} FROM subscribers s ${JOIN_OWN_BOT}
     WHERE ${AUDIENCE_FILTER} AND s.active LIMIT $8`,
    values,
  );
}

/** Whether a time zone is missing in the due times that recipients were copied with. */
export async function hasRecipientWithoutTime(db: Db, id: string): Promise<boolean> {
  const found = await row(
    db,
    'recipient_without_time',
    'SELECT 1 FROM broadcast_recipients WHERE broadcast_id = $1 AND due_at IS NULL LIMIT 1',
    [id],
  );
  return found !== null;
}

/** The relay starts the workflow after this commits. */
export async function releaseBroadcast(db: Db, id: string, active: number, inactive: number): Promise<void> {
  await row(
    db,
    'release_broadcast',
    `WITH released AS (UPDATE broadcasts SET total = $2::int + $3::int, inactive = $3 WHERE id = $1 RETURNING 1)
     SELECT pg_notify($4, '') FROM released`,
    [id, active, inactive, notifyChannels.broadcast],
  );
}

/** Counts the recipients of a running broadcast; an ended one has the counts in its row. */
const VIEW = `SELECT b.id, b.project_id, b.status, b.total, b.messages_per_minute, b.content, b.audience, b.created_at,
    b.started_at, b.ended_at,
    coalesce(b.sent, c.sent) AS sent, coalesce(b.failed, c.failed) AS failed,
    coalesce(b.skipped, c.skipped + b.inactive) AS skipped,
    coalesce(b.possible_duplicates, c.resent) AS possible_duplicates, ${cursorTime('b.created_at')} AS cursor_at
  FROM broadcasts b LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE r.status = 'sent') AS sent, count(*) FILTER (WHERE r.status = 'failed') AS failed,
      count(*) FILTER (WHERE r.status = 'skipped') AS skipped, count(*) FILTER (WHERE r.resent) AS resent
    FROM broadcast_recipients r WHERE r.broadcast_id = b.id
  ) c ON b.ended_at IS NULL`;

export function findBroadcast(db: Db, id: string): Promise<BroadcastRow | null> {
  return row<BroadcastRow>(db, 'find_broadcast', `${VIEW} WHERE b.id = $1`, [id]);
}

export function findJob(db: Db, projectId: string, kind: JobKind, id: string): Promise<BroadcastRow | null> {
  return row<BroadcastRow>(db, 'find_job', `${VIEW} WHERE b.id = $2 AND b.project_id = $1 AND b.kind = $3`, [
    projectId,
    id,
    kind,
  ]);
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
    `${VIEW} WHERE b.project_id = $1 AND b.kind = $5
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
}

export function lockBroadcast(db: Db, id: string): Promise<LockedBroadcast | null> {
  return row<LockedBroadcast>(
    db,
    'lock_broadcast',
    'SELECT id, kind, project_id, status, scheduled_id, run_id FROM broadcasts WHERE id = $1 FOR UPDATE',
    [id],
  );
}

/** Workers claim no more recipients after this commits. */
export function markCancelling(db: Db, id: string): Promise<number> {
  return change(
    db,
    'cancel_broadcast',
    `UPDATE broadcasts SET status = 'cancelling' WHERE id = $1 AND status IN ('queued', 'running')`,
    [id],
  );
}

export interface DueBroadcast {
  id: string;
  kind: JobKind;
  project_id: string;
  project_slug: string;
  total: number;
}

/** Claims, for the relay, broadcasts without a workflow and those whose worker's lease has expired. */
export function claimDueBroadcasts(db: Db, limit: number): Promise<DueBroadcast[]> {
  return rows<DueBroadcast>(
    db,
    'claim_due_broadcasts',
    `UPDATE broadcasts b SET wake_at = clock_timestamp() + interval '10 seconds'
     FROM (SELECT id FROM broadcasts WHERE status IN ('queued', 'running', 'cancelling') AND wake_at <= now()
           ORDER BY wake_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
     WHERE b.id = due.id RETURNING b.id, b.kind, b.project_id, b.total,
       (SELECT slug FROM projects p WHERE p.id = b.project_id) AS project_slug`,
    [limit],
  );
}

/** Extends the lease: the relay does not claim the broadcast for two minutes. */
export function extendBroadcastLease(db: Db, id: string): Promise<number> {
  return change(
    db,
    'extend_broadcast_lease',
    // The lock comes first: an UPDATE that waits for it may have computed its values before.
    `WITH locked AS MATERIALIZED (SELECT id FROM broadcasts WHERE id = $1 FOR NO KEY UPDATE)
     UPDATE broadcasts b SET wake_at = clock_timestamp() + interval '2 minutes' FROM locked WHERE b.id = locked.id`,
    [id],
  );
}
