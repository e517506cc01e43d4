import { scheduleBy } from '../../../base/agenda';
import type { ContentAsGiven } from '../../../base/contract/content';
import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Audience } from '../../broadcasts/contract';
import type { RecurringStatus, RunView } from '../contract';

/** The kind of the agenda: a workflow for each message that has something to wait for. */
export const RECURRING = 'recurring';

export interface RecurringValues {
  name: string;
  content: ContentAsGiven;
  audience: Audience;
  cron: string;
  timezone: string;
  start_at: Date | null;
  end_at: Date | null;
  max_runs: number | null;
}

export interface RecurringRow extends RecurringValues {
  id: string;
  project_id: string;
  status: RecurringStatus;
  runs: number;
  last_run_at: Date | null;
  /**
   * When its workflow has something to do: at the first occurrence that is not claimed, or at the end of a paused message;
   * null if there is nothing to wait for.
   */
  next_at: Date | null;
  /** Raised by every change that a request makes. */
  revision: number;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `id, project_id, name, content, audience, cron, timezone, start_at, end_at, max_runs, status, runs,
  last_run_at, next_at, revision, created_at, updated_at`;

const valuesOf = (values: RecurringValues) => [
  values.name,
  JSON.stringify(values.content),
  JSON.stringify(values.audience),
  values.cron,
  values.timezone,
  values.start_at,
  values.end_at,
  values.max_runs,
];

/** Without its first occurrence, which the caller records in the same transaction. */
export async function insertRecurring(
  db: Db,
  projectId: string,
  id: string,
  values: RecurringValues,
): Promise<LockedRecurring> {
  const inserted = await row<LockedRecurring>(
    db,
    'insert_recurring',
    `INSERT INTO recurring (id, project_id, name, content, audience, cron, timezone, start_at, end_at, max_runs)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${COLUMNS}, clock_timestamp() AS now`,
    [id, projectId, ...valuesOf(values)],
  );
  if (!inserted) throw new Error('the recurring message was not inserted');
  return inserted;
}

/** The caller holds the row's lock, and then records the next occurrence. */
export async function changeRecurring(
  db: Db,
  id: string,
  values: RecurringValues & Pick<RecurringRow, 'status' | 'next_at'>,
): Promise<RecurringRow> {
  const changed = await row<RecurringRow>(
    db,
    'change_recurring',
    `UPDATE recurring SET name = $2, content = $3, audience = $4, cron = $5, timezone = $6, start_at = $7, end_at = $8,
       max_runs = $9, status = $10, next_at = $11, updated_at = now()
     WHERE id = $1 RETURNING ${COLUMNS}`,
    [id, ...valuesOf(values), values.status, values.next_at],
  );
  return existing(changed);
}

/** A change by a request wakes the workflow; the workflow knows its own changes. */
export type Writer = 'request' | 'workflow';

/** The caller holds the row's lock. */
export async function recordNext(
  db: Db,
  id: string,
  nextAt: Date | null,
  writer: Writer,
): Promise<RecurringRow> {
  const recorded = await row<RecurringRow>(
    db,
    'record_next_occurrence',
    `UPDATE recurring SET next_at = $2, revision = revision + $3::boolean::int WHERE id = $1 RETURNING ${COLUMNS}`,
    [id, nextAt, writer === 'request'],
  );
  return wokenBy(db, writer, recorded);
}

/** `deleted`: it is no longer shown. The caller holds the row's lock. */
export async function endRecurring(
  db: Db,
  id: string,
  writer: Writer,
  { deleted = false } = {},
): Promise<RecurringRow> {
  const ended = await row<RecurringRow>(
    db,
    'end_recurring',
    `UPDATE recurring SET status = 'ended', next_at = NULL, ended_at = coalesce(ended_at, clock_timestamp()),
       revision = revision + $3::boolean::int, deleted_at = CASE WHEN $2 THEN clock_timestamp() END,
       updated_at = now()
     WHERE id = $1 RETURNING ${COLUMNS}`,
    [id, deleted, writer === 'request'],
  );
  return wokenBy(db, writer, ended);
}

async function wokenBy(db: Db, writer: Writer, changed: RecurringRow | null): Promise<RecurringRow> {
  const row = existing(changed);
  if (writer === 'request') await wakeRecurring(db, row);
  return row;
}

/** Has the agenda start the message's workflow, or wake it to read the row again. */
export function wakeRecurring(
  db: Db,
  { id, project_id }: Pick<RecurringRow, 'id' | 'project_id'>,
): Promise<void> {
  return scheduleBy(db, RECURRING, [{ id, project_id }]);
}

function existing(changed: RecurringRow | null): RecurringRow {
  if (!changed) throw new Error('the recurring message disappeared while it was locked');
  return changed;
}

export function findRecurring(db: Db, projectId: string, id: string): Promise<RecurringRow | null> {
  return row<RecurringRow>(
    db,
    'find_recurring',
    `SELECT ${COLUMNS} FROM recurring WHERE id = $2 AND project_id = $1 AND deleted_at IS NULL`,
    [projectId, id],
  );
}

export interface LockedRecurring extends RecurringRow {
  /** The database's time, by which it is due. */
  now: Date;
}

/** Whatever its project: for its workflow. */
export function findRecurringById(db: Db, id: string): Promise<LockedRecurring | null> {
  return row<LockedRecurring>(
    db,
    'find_recurring_by_id',
    `SELECT ${COLUMNS}, clock_timestamp() AS now FROM recurring WHERE id = $1`,
    [id],
  );
}

export function lockRecurring(db: Db, id: string): Promise<LockedRecurring | null> {
  return row<LockedRecurring>(
    db,
    'lock_recurring',
    `SELECT ${COLUMNS}, clock_timestamp() AS now FROM recurring WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`,
    [id],
  );
}

/** Returns one row more than the limit if there is another page. */
export function listRecurring(
  db: Db,
  projectId: string,
  { before, limit }: { before: Cursor | null; limit: number },
): Promise<(RecurringRow & { cursor_at: string })[]> {
  return rows<RecurringRow & { cursor_at: string }>(
    db,
    'list_recurring',
    `SELECT ${COLUMNS}, ${cursorTime('created_at')} AS cursor_at FROM recurring
     WHERE project_id = $1 AND deleted_at IS NULL
       AND (created_at, id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY created_at DESC, id DESC LIMIT $4`,
    [projectId, before?.at ?? null, before?.id ?? null, limit + 1],
  );
}

/** Those that have not ended share the limit of scheduled entries. */
export async function countOpenRecurring(db: Db, projectId: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_open_recurring',
    'SELECT count(*) AS count FROM recurring WHERE project_id = $1 AND ended_at IS NULL',
    [projectId],
  );
  return counted?.count ?? 0;
}

export interface NewRun {
  id: string;
  recurringId: string;
  scheduledFor: Date;
  /** Null for a run that claims no occurrence: a manual one, or one that a change of the times left out. */
  localTime: string | null;
  status: RunView['status'];
  reason: string | null;
  jobId: string | null;
}

/** Claims an occurrence. Returns false if it was claimed before. */
export async function insertRun(db: Db, run: NewRun): Promise<boolean> {
  const inserted = await change(
    db,
    'insert_recurring_run',
    `INSERT INTO recurring_runs (id, recurring_id, scheduled_for, local_time, status, reason, job_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    [run.id, run.recurringId, run.scheduledFor, run.localTime, run.status, run.reason, run.jobId],
  );
  return inserted > 0;
}

/** Claims occurrences that were missed, except those that are claimed already. */
export function insertMissedRuns(
  db: Db,
  recurringId: string,
  missed: { at: Date; localTime: string }[],
): Promise<number> {
  return change(
    db,
    'insert_missed_recurring_runs',
    `INSERT INTO recurring_runs (recurring_id, scheduled_for, local_time, status, reason)
     SELECT $1, at, local_time, 'skipped', 'missed' FROM unnest($2::timestamptz[], $3::text[]) AS missed (at, local_time)
     ON CONFLICT DO NOTHING`,
    [recurringId, missed.map(({ at }) => at), missed.map(({ localTime }) => localTime)],
  );
}

export function countRun(db: Db, recurringId: string, at: Date): Promise<number> {
  return change(
    db,
    'count_recurring_run',
    `UPDATE recurring SET runs = runs + 1, last_run_at = greatest(last_run_at, $2), updated_at = now() WHERE id = $1`,
    [recurringId, at],
  );
}

/** Whether the broadcast of an earlier run still sends. */
export async function isRunOpen(db: Db, recurringId: string): Promise<boolean> {
  const found = await row(
    db,
    'open_recurring_run',
    `SELECT 1 FROM recurring_runs WHERE recurring_id = $1 AND status = 'started' LIMIT 1`,
    [recurringId],
  );
  return found !== null;
}

export interface RunRow {
  id: string;
  scheduled_for: Date;
  status: RunView['status'];
  reason: string | null;
  job_id: string | null;
}

export function listRuns(
  db: Db,
  recurringId: string,
  { before, limit }: { before: Cursor | null; limit: number },
): Promise<(RunRow & { cursor_at: string })[]> {
  return rows<RunRow & { cursor_at: string }>(
    db,
    'list_recurring_runs',
    `SELECT id, scheduled_for, status, reason, job_id, ${cursorTime('scheduled_for')} AS cursor_at FROM recurring_runs
     WHERE recurring_id = $1
       AND (scheduled_for, id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY scheduled_for DESC, id DESC LIMIT $4`,
    [recurringId, before?.at ?? null, before?.id ?? null, limit + 1],
  );
}

export function findRun(db: Db, id: string): Promise<{ id: string } | null> {
  return row<{ id: string }>(db, 'find_recurring_run', 'SELECT id FROM recurring_runs WHERE id = $1', [id]);
}

/** After a change of the time zone a local time can come again a day later, so claims hold for two days. */
export const CLAIM_DAYS = 2;

/** Local times of occurrences that are claimed: skipped by request, or run. */
export async function claimedAhead(db: Db, recurringId: string): Promise<Set<string>> {
  const found = await rows<{ local_time: string }>(
    db,
    'claimed_ahead',
    `SELECT local_time FROM recurring_runs
     WHERE recurring_id = $1 AND local_time IS NOT NULL AND scheduled_for > clock_timestamp() - make_interval(days => $2)`,
    [recurringId, CLAIM_DAYS],
  );
  return new Set(found.map(({ local_time }) => local_time));
}

export interface EndedRun {
  run_id: string;
  recurring_id: string;
  name: string;
  scheduled_for: Date;
}

/** Returns null if the run is gone. */
export function endRun(
  db: Db,
  runId: string,
  end: { status: 'completed' | 'failed'; reason: string | null },
): Promise<EndedRun | null> {
  return row<EndedRun>(
    db,
    'end_recurring_run',
    `UPDATE recurring_runs r SET status = $2, reason = $3 FROM recurring c
     WHERE r.id = $1 AND c.id = r.recurring_id
     RETURNING r.id AS run_id, r.recurring_id, c.name, r.scheduled_for`,
    [runId, end.status, end.reason],
  );
}

/** What the start of a message's workflow needs. */
export function findRecurringStart(
  db: Db,
  id: string,
): Promise<{ status: RecurringStatus; next_at: Date | null; summary: string } | null> {
  return row(
    db,
    'find_recurring_start',
    `SELECT status, next_at, 'recurring message' AS summary FROM recurring WHERE id = $1`,
    [id],
  );
}
