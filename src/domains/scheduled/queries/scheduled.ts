import { reportNext, scheduleBy, unschedule } from '../../../base/agenda';
import type { Channel } from '../../../base/contract/common';
import type { ContentAsGiven } from '../../../base/contract/content';
import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Audience } from '../../broadcasts/contract';
import { RECIPIENT, type ScheduledStatus } from '../contract';
import { dueAt, type When } from '../when';

/** The kind of the agenda: a workflow for each entry that has neither ended nor become a broadcast. */
export const SCHEDULED = 'scheduled';

type EntryRef = Pick<ScheduledRow, 'id' | 'project_id'>;

/** Has the agenda start the entry's workflow, or wake it to read the row again. */
export function wakeEntry(db: Db, { id, project_id }: EntryRef): Promise<void> {
  return scheduleBy(db, SCHEDULED, [{ id, project_id }]);
}

export interface ScheduledValues extends When {
  name: string | null;
  content: ContentAsGiven;
  subscriber_id: string | null;
  external_id: string | null;
  audience: Audience | null;
  channels: Channel[] | null;
  permission: string | null;
  next_at: Date | null;
}

export interface ScheduledRow extends ScheduledValues {
  id: string;
  project_id: string;
  status: ScheduledStatus;
  reason: string | null;
  job_id: string | null;
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
}

/** While its broadcast sends to each recipient at their own time, an entry is due when the next of them is. */
const COLUMNS = `id, project_id, name, content, subscriber_id, external_id, audience, channels, permission, scheduled_at,
  timezone, status, reason, job_id, created_at, updated_at, ended_at,
  coalesce(next_at, (SELECT min(due_at) FROM broadcast_recipients r
    WHERE r.broadcast_id = scheduled.job_id AND r.status = 'queued' AND r.due_at IS NOT NULL)) AS next_at`;

const valuesOf = (values: ScheduledValues) => [
  values.name,
  JSON.stringify(values.content),
  values.subscriber_id,
  values.external_id,
  values.audience === null ? null : JSON.stringify(values.audience),
  values.channels,
  values.permission,
  values.scheduled_at,
  values.timezone,
  values.next_at,
];

export async function insertScheduled(
  db: Db,
  projectId: string,
  id: string,
  values: ScheduledValues,
): Promise<ScheduledRow> {
  const inserted = await row<ScheduledRow>(
    db,
    'insert_scheduled',
    `INSERT INTO scheduled (id, project_id, name, content, subscriber_id, external_id, audience, channels, permission,
       scheduled_at, timezone, next_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ${COLUMNS}`,
    [id, projectId, ...valuesOf(values)],
  );
  if (!inserted) throw new Error('the scheduled entry was not inserted');
  await wakeEntry(db, inserted);
  return inserted;
}

/** The caller holds the row's lock. */
export async function changeScheduled(db: Db, id: string, values: ScheduledValues): Promise<ScheduledRow> {
  const changed = await row<ScheduledRow>(
    db,
    'change_scheduled',
    `UPDATE scheduled SET name = $2, content = $3, subscriber_id = $4, external_id = $5, audience = $6, channels = $7,
       permission = $8, scheduled_at = $9, timezone = $10, next_at = $11, revision = revision + 1,
       updated_at = now()
     WHERE id = $1 RETURNING ${COLUMNS}`,
    [id, ...valuesOf(values)],
  );
  if (!changed) throw new Error('the scheduled entry disappeared while it was locked');
  await wakeEntry(db, changed);
  return changed;
}

/** Returns null unless the entry still waits: what is cancelled here was not and will not be sent. */
export async function cancelScheduled(db: Db, projectId: string, id: string): Promise<ScheduledRow | null> {
  const cancelled = await row<ScheduledRow>(
    db,
    'cancel_scheduled',
    `UPDATE scheduled SET status = 'cancelled', next_at = NULL, revision = revision + 1, updated_at = now(),
       ended_at = clock_timestamp()
     WHERE id = $2 AND project_id = $1 AND status = 'scheduled' RETURNING ${COLUMNS}`,
    [projectId, id],
  );
  if (cancelled) await wakeEntry(db, cancelled);
  return cancelled;
}

export function findScheduled(db: Db, projectId: string, id: string): Promise<ScheduledRow | null> {
  return row<ScheduledRow>(
    db,
    'find_scheduled',
    `SELECT ${COLUMNS} FROM scheduled WHERE id = $2 AND project_id = $1`,
    [projectId, id],
  );
}

export interface LockedScheduled extends ScheduledRow {
  /** Raised by every change of the entry. */
  revision: number;
  now: Date;
}

/** With the database's time, by which the entry is due. */
export function lockScheduled(db: Db, id: string): Promise<LockedScheduled | null> {
  return row<LockedScheduled>(
    db,
    'lock_scheduled',
    `SELECT ${COLUMNS}, revision, clock_timestamp() AS now FROM scheduled WHERE id = $1 FOR UPDATE`,
    [id],
  );
}

/** Returns one row more than the limit if there is another page. */
export function listScheduled(
  db: Db,
  projectId: string,
  filter: {
    status?: ScheduledStatus | undefined;
    subscriberId: string | null;
    before: Cursor | null;
    limit: number;
  },
): Promise<(ScheduledRow & { cursor_at: string })[]> {
  return rows<ScheduledRow & { cursor_at: string }>(
    db,
    'list_scheduled',
    `SELECT ${COLUMNS}, ${cursorTime('created_at')} AS cursor_at FROM scheduled
     WHERE project_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR subscriber_id = $3)
       AND (created_at, id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY created_at DESC, id DESC LIMIT $6`,
    [
      projectId,
      filter.status ?? null,
      filter.subscriberId,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
    ],
  );
}

/** The entry sends from now on and can no longer be changed or cancelled. The caller holds its lock. */
export function beginSending(db: Db, id: string): Promise<number> {
  return change(
    db,
    'begin_scheduled',
    `UPDATE scheduled SET status = 'sending', updated_at = now() WHERE id = $1`,
    [id],
  );
}

/** The entry has a broadcast, which ends it. */
export async function attachJob(db: Db, id: string, jobId: string): Promise<void> {
  await change(
    db,
    'attach_scheduled_job',
    `UPDATE scheduled SET status = 'sending', job_id = $2, next_at = NULL, updated_at = now() WHERE id = $1`,
    [id, jobId],
  );
  await unschedule(db, SCHEDULED, [id]);
}

/** The workflow sleeps until then. The caller holds the row's lock. */
export async function recordWait(db: Db, entry: EntryRef, at: Date): Promise<void> {
  await change(db, 'record_scheduled_wait', 'UPDATE scheduled SET next_at = $2 WHERE id = $1', [
    entry.id,
    at,
  ]);
  await reportNext(db, SCHEDULED, entry, at);
}

/** Returns null if it has ended before. */
export async function endScheduled(
  db: Db,
  id: string,
  end: { status: ScheduledStatus; reason: string | null },
): Promise<ScheduledRow | null> {
  const ended = await row<ScheduledRow>(
    db,
    'end_scheduled',
    `UPDATE scheduled SET status = $2, reason = $3, next_at = NULL, ended_at = clock_timestamp(), updated_at = now()
     WHERE id = $1 AND ended_at IS NULL RETURNING ${COLUMNS}`,
    [id, end.status, end.reason],
  );
  await unschedule(db, SCHEDULED, [id]);
  return ended;
}

/** The subscribers whose result is new: each counts once, and its event is emitted once. */
export async function insertResults(
  db: Db,
  id: string,
  results: { subscriberId: string; status: 'sent' | 'failed' | 'skipped' }[],
): Promise<Set<string>> {
  const inserted = await rows<{ subscriber_id: string }>(
    db,
    'insert_scheduled_results',
    `INSERT INTO scheduled_results (scheduled_id, subscriber_id, status)
     SELECT $1, subscriber, status FROM unnest($2::uuid[], $3::text[]) AS given (subscriber, status)
     ON CONFLICT DO NOTHING RETURNING subscriber_id`,
    [id, results.map(({ subscriberId }) => subscriberId), results.map(({ status }) => status)],
  );
  return new Set(inserted.map(({ subscriber_id }) => subscriber_id));
}

export function findResults(
  db: Db,
  id: string,
): Promise<{ subscriber_id: string; status: 'sent' | 'failed' | 'skipped' }[]> {
  return rows(
    db,
    'scheduled_results',
    'SELECT subscriber_id, status FROM scheduled_results WHERE scheduled_id = $1',
    [id],
  );
}

/** Those that have not ended share the limit of scheduled entries. */
export async function countOpenScheduled(db: Db, projectId: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_open_scheduled',
    'SELECT count(*) AS count FROM scheduled WHERE project_id = $1 AND ended_at IS NULL',
    [projectId],
  );
  return counted?.count ?? 0;
}

/** The entries among these whose messages their workflows will still send. */
export async function findOpenScheduled(db: Db, ids: string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'find_open_scheduled',
    'SELECT id FROM scheduled WHERE id = ANY ($1::uuid[]) AND ended_at IS NULL',
    [ids],
  );
  return found.map(({ id }) => id);
}

/** What the start of an entry's workflow needs. */
export function findScheduledStart(
  db: Db,
  id: string,
): Promise<{ status: ScheduledStatus; next_at: Date | null; summary: string } | null> {
  return row(
    db,
    'find_scheduled_start',
    `SELECT status, next_at, 'scheduled message' AS summary FROM scheduled WHERE id = $1`,
    [id],
  );
}

/** When an entry is due for recipients of a time zone; null if all get it at the same time. */
export async function findRecipientTimes(
  db: Db,
  id: string,
): Promise<((timezone: string | null) => Date) | null> {
  const times = await row<{ scheduled_at: string; timezone: string; own_zone: string }>(
    db,
    'find_recipient_times',
    `SELECT e.scheduled_at, e.timezone, p.timezone AS own_zone FROM scheduled e JOIN projects p ON p.id = e.project_id
     WHERE e.id = $1 AND e.timezone = '${RECIPIENT}'`,
    [id],
  );
  return times && ((timezone) => dueAt(times, timezone ?? times.own_zone));
}
