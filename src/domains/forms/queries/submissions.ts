import { scheduleBy } from '../../../base/agenda';
import type { Channel } from '../../../base/contract/common';
import type { Cursor } from '../../../base/contract/cursor';
import { limits } from '../../../base/contract/limits';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Answers, RouteAction, RouteStatus, SubmissionSource, SubmissionStatus } from '../contract';
import type { TakenRoute } from '../rules';

/** The kind of the agenda: a workflow for each submission with routes that have not run. */
export const FORM = 'form';

export interface NewSubmission {
  id: string;
  projectId: string;
  formId: string;
  subscriberId: string | null;
  status: SubmissionStatus;
  answers: Answers;
  source: SubmissionSource;
  /** Of `_request_id`. */
  requestHash: Buffer | null;
}

/** Returns the time of the submission; null if there is one with this id or of this request. */
export async function insertSubmission(db: Db, submission: NewSubmission): Promise<Date | null> {
  if (submission.requestHash) await forgetOldRequest(db, submission.formId, submission.requestHash);
  const inserted = await row<{ created_at: Date }>(
    db,
    'insert_form_submission',
    `INSERT INTO form_submissions (id, project_id, form_id, subscriber_id, status, answers, source, request_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING created_at`,
    [
      submission.id,
      submission.projectId,
      submission.formId,
      submission.subscriberId,
      submission.status,
      JSON.stringify(submission.answers),
      submission.source,
      submission.requestHash,
    ],
  );
  return inserted?.created_at ?? null;
}

/** A request id counts for a day. */
function forgetOldRequest(db: Db, formId: string, requestHash: Buffer): Promise<number> {
  return change(
    db,
    'forget_old_form_request',
    `UPDATE form_submissions SET request_hash = NULL
     WHERE form_id = $1 AND request_hash = $2 AND created_at <= now() - interval '${limits.formRequestHours} hours'`,
    [formId, requestHash],
  );
}

/** The submission of an earlier request with the same id. */
export async function findOfRequest(db: Db, formId: string, requestHash: Buffer): Promise<string | null> {
  const found = await row<{ id: string }>(
    db,
    'find_form_request',
    `SELECT id FROM form_submissions WHERE form_id = $1 AND request_hash = $2
       AND created_at > now() - interval '${limits.formRequestHours} hours'`,
    [formId, requestHash],
  );
  return found?.id ?? null;
}

export function recordEvent(db: Db, id: string, eventId: string): Promise<number> {
  return change(
    db,
    'record_submission_event',
    'UPDATE form_submissions SET event_id = $2 WHERE id = $1 AND event_id IS NULL',
    [id, eventId],
  );
}

/** Inserts the routes that a submission takes and has not taken before. Its workflow runs them. */
export async function insertRoutes(db: Db, id: string, taken: readonly TakenRoute[]): Promise<void> {
  if (taken.length === 0) return;
  await change(
    db,
    'insert_submission_routes',
    `INSERT INTO submission_routes (submission_id, index, route)
     SELECT $1, given.index, given.route FROM unnest($2::int[], $3::jsonb[]) AS given (index, route)
     ON CONFLICT (submission_id, index) DO NOTHING`,
    [id, taken.map(({ index }) => index), taken.map(({ route }) => JSON.stringify(route))],
  );
  const due = await rows<{ id: string; project_id: string }>(
    db,
    'make_submission_due',
    'UPDATE form_submissions SET next_at = clock_timestamp() WHERE id = $1 RETURNING id, project_id',
    [id],
  );
  await scheduleBy(db, FORM, due);
}

export interface SubmissionRow {
  id: string;
  project_id: string;
  form_id: string;
  form_name: string;
  subscriber_id: string | null;
  channel: Channel | null;
  external_id: string | null;
  status: SubmissionStatus;
  answers: Answers;
  source: SubmissionSource;
  event_id: string | null;
  created_at: Date;
  routes: { index: number; action: RouteAction; status: RouteStatus; reason: string | null }[];
}

const COLUMNS = `s.id, s.project_id, s.form_id, f.name AS form_name, s.subscriber_id, p.channel, p.external_id, s.status,
  s.answers, s.source, s.event_id, s.created_at, coalesce((
    SELECT jsonb_agg(jsonb_build_object('index', r.index, 'action', r.route ->> 'action', 'status', r.status, 'reason', r.reason)
      ORDER BY r.index)
    FROM submission_routes r WHERE r.submission_id = s.id AND r.status IS NOT NULL), '[]') AS routes`;
const SUBMISSIONS = `form_submissions s JOIN forms f ON f.id = s.form_id AND f.deleted_at IS NULL
  LEFT JOIN subscribers p ON p.id = s.subscriber_id`;

export function findSubmission(db: Db, projectId: string, id: string): Promise<SubmissionRow | null> {
  return row<SubmissionRow>(
    db,
    'find_form_submission',
    `SELECT ${COLUMNS} FROM ${SUBMISSIONS} WHERE s.id = $2 AND s.project_id = $1`,
    [projectId, id],
  );
}

/** Locked first and then read: a statement that had to wait for the lock would join the new row with older ones. */
export async function lockSubmission(db: Db, projectId: string, id: string): Promise<SubmissionRow | null> {
  await row(
    db,
    'lock_form_submission',
    'SELECT id FROM form_submissions WHERE id = $2 AND project_id = $1 FOR UPDATE',
    [projectId, id],
  );
  return findSubmission(db, projectId, id);
}

interface SubmissionFilter {
  formId: string | null;
  status: SubmissionStatus | undefined;
  before: Cursor | null;
  limit: number;
}

/** Returns one row more than the limit if there is another page. Each kind of filter is a statement with its own plan. */
export function listSubmissions(
  db: Db,
  projectId: string,
  { formId, status, before, limit }: SubmissionFilter,
): Promise<(SubmissionRow & { cursor_at: string })[]> {
  return rows<SubmissionRow & { cursor_at: string }>(
    db,
    `list_form_submissions_${formId === null ? 'all' : 'form'}_${status === undefined ? 'any' : 'status'}`,
    `SELECT ${COLUMNS}, ${cursorTime('s.created_at')} AS cursor_at FROM ${SUBMISSIONS}
     WHERE s.project_id = $1 AND ${formId === null ? '$2::uuid IS NULL' : 's.form_id = $2::uuid'}
       AND ${status === undefined ? '$3::text IS NULL' : 's.status = $3::text'}
       AND (s.created_at, s.id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY s.created_at DESC, s.id DESC LIMIT $6`,
    [projectId, formId, status ?? null, before?.at ?? null, before?.id ?? null, limit + 1],
  );
}

/** The caller holds the row's lock. */
export function setStatus(db: Db, id: string, status: SubmissionStatus): Promise<number> {
  return change(
    db,
    'set_submission_status',
    'UPDATE form_submissions SET status = $2 WHERE id = $1 AND status <> $2',
    [id, status],
  );
}

/** Returns false if there is none. Routes that have not run do not run; its workflow ends when it wakes. */
export async function deleteSubmission(db: Db, projectId: string, id: string): Promise<boolean> {
  const deleted = await change(
    db,
    'delete_form_submission',
    `DELETE FROM form_submissions s USING forms f
     WHERE s.id = $2 AND s.project_id = $1 AND f.id = s.form_id AND f.deleted_at IS NULL`,
    [projectId, id],
  );
  return deleted > 0;
}

/** What the start of a submission's workflow needs. */
export function findSubmissionStart(
  db: Db,
  id: string,
): Promise<{ status: SubmissionStatus; next_at: Date | null; summary: string } | null> {
  return row(
    db,
    'find_submission_start',
    `SELECT s.status, s.next_at, 'submission of a form of ' || p.slug AS summary
     FROM form_submissions s JOIN projects p ON p.id = s.project_id WHERE s.id = $1`,
    [id],
  );
}

export interface FormStatsRow {
  form_id: string;
  new: number;
  spam: number;
  last_at: Date | null;
}

/** What has come in, for each form of a project. Counting stops early, so that a flooded form costs no more than others. */
export function countSubmissions(db: Db, projectId: string): Promise<FormStatsRow[]> {
  const counted = (status: SubmissionStatus) =>
    `(SELECT count(*) FROM (SELECT FROM form_submissions s WHERE s.form_id = f.id AND s.status = '${status}'
        LIMIT ${limits.formSubmissionsCounted}) counted)`;
  return rows<FormStatsRow>(
    db,
    'count_submissions',
    `SELECT f.id AS form_id, ${counted('new')} AS new, ${counted('spam')} AS spam,
       (SELECT max(s.created_at) FROM form_submissions s WHERE s.form_id = f.id AND s.status = 'new') AS last_at
     FROM forms f WHERE f.project_id = $1 AND f.deleted_at IS NULL ORDER BY f.created_at DESC, f.id DESC`,
    [projectId],
  );
}
