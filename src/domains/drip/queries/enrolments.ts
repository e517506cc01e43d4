import { reportNext, scheduleBy, unschedule, type DueRow } from '../../../base/agenda';
import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Properties } from '../../subscribers/contract';
import type { EnrolmentStatus, Step } from '../contract';
import type { Rules } from '../rules/contract';

/** The kind of the agenda: a workflow for each enrolment that has not ended and is not parked. */
export const DRIP = 'drip';

/** Has the agenda start or wake the workflow of each, at its time or now. The caller has locked the rows. */
export function scheduleEnrolments(db: Db, enrolments: readonly DueRow[]): Promise<void> {
  return scheduleBy(db, DRIP, enrolments);
}

export interface EnrolmentRow {
  id: string;
  project_id: string;
  drip_id: string;
  version: number;
  subscriber_id: string;
  properties: Properties;
  status: EnrolmentStatus;
  reason: string | null;
  step_id: string | null;
  step_began_at: Date | null;
  steps_begun: number;
  steps_sent: number;
  next_at: Date | null;
  started_at: Date;
  ended_at: Date | null;
}

const COLUMNS = `e.id, e.project_id, e.drip_id, e.version, e.subscriber_id, e.properties, e.status, e.reason, e.step_id,
  e.step_began_at, e.steps_begun, e.steps_sent, e.next_at, e.started_at, e.ended_at`;

export function findEnrolments(db: Db, ids: string[]): Promise<EnrolmentRow[]> {
  return rows<EnrolmentRow>(
    db,
    'find_drip_enrolments',
    `SELECT ${COLUMNS} FROM drip_enrolments e WHERE e.id = ANY ($1::uuid[]) ORDER BY e.started_at, e.id`,
    [ids],
  );
}

/** What a request that was interrupted has begun. */
export function findEnrolmentsOfRequest(db: Db, requestId: string): Promise<EnrolmentRow[]> {
  return rows<EnrolmentRow>(
    db,
    'find_drip_enrolments_of_request',
    `SELECT ${COLUMNS} FROM drip_enrolments e WHERE e.request_id = $1 ORDER BY e.started_at, e.id`,
    [requestId],
  );
}

/** Whose enrolment it is, without a lock: the subscriber and the chain are locked before it. */
export function findEnrolment(
  db: Db,
  id: string,
): Promise<Pick<EnrolmentRow, 'project_id' | 'drip_id' | 'subscriber_id' | 'status'> | null> {
  return row(
    db,
    'find_drip_enrolment',
    'SELECT project_id, drip_id, subscriber_id, status FROM drip_enrolments WHERE id = $1',
    [id],
  );
}

export interface LockedEnrolment extends EnrolmentRow {
  /** Of the enrolment's own version. */
  steps: Step[];
  exit_on: Rules | null;
  now: Date;
}

/**
 * With the database's time, by which its steps are due. Locked first and then read: a statement that had to wait for the
 * lock would join the new row with the version that it had before.
 */
export async function lockEnrolment(db: Db, id: string): Promise<LockedEnrolment | null> {
  await row(db, 'lock_drip_enrolment', 'SELECT id FROM drip_enrolments WHERE id = $1 FOR UPDATE', [id]);
  return row<LockedEnrolment>(
    db,
    'read_drip_enrolment',
    `SELECT ${COLUMNS}, v.steps, v.exit_on, clock_timestamp() AS now
     FROM drip_enrolments e JOIN drip_versions v ON v.drip_id = e.drip_id AND v.version = e.version
     WHERE e.id = $1`,
    [id],
  );
}

interface ListedRow extends EnrolmentRow {
  first_name: string;
  cursor_at: string;
}

/** Returns one row more than the limit if there is another page. */
export function listEnrolments(
  db: Db,
  dripId: string,
  filter: {
    status?: EnrolmentStatus | undefined;
    subscriberId: string | null;
    before: Cursor | null;
    limit: number;
  },
): Promise<ListedRow[]> {
  return rows<ListedRow>(
    db,
    'list_drip_enrolments',
    `SELECT ${COLUMNS}, s.first_name, ${cursorTime('e.started_at')} AS cursor_at
     FROM drip_enrolments e JOIN subscribers s ON s.id = e.subscriber_id
     WHERE e.drip_id = $1 AND ($2::text IS NULL OR e.status = $2) AND ($3::uuid IS NULL OR e.subscriber_id = $3)
       AND (e.started_at, e.id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY e.started_at DESC, e.id DESC LIMIT $6`,
    [
      dripId,
      filter.status ?? null,
      filter.subscriberId,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
    ],
  );
}

/** Returns null if it has ended before. Its workflow is woken, to end too. */
export async function cancelEnrolment(db: Db, dripId: string, id: string): Promise<EnrolmentRow | null> {
  const cancelled = await row<EnrolmentRow>(
    db,
    'cancel_drip_enrolment',
    `UPDATE drip_enrolments e SET status = 'cancelled', next_at = NULL, ended_at = clock_timestamp(), parked = false
     WHERE e.id = $2 AND e.drip_id = $1 AND e.ended_at IS NULL RETURNING ${COLUMNS}`,
    [dripId, id],
  );
  if (cancelled) await scheduleEnrolments(db, [{ id, project_id: cancelled.project_id }]);
  return cancelled;
}

export function findEnrolmentOf(db: Db, dripId: string, id: string): Promise<EnrolmentRow | null> {
  return row<EnrolmentRow>(
    db,
    'find_enrolment_of_chain',
    `SELECT ${COLUMNS} FROM drip_enrolments e WHERE e.id = $2 AND e.drip_id = $1`,
    [dripId, id],
  );
}

/** The current step begins. The caller holds the row's lock. */
export function recordBegun(db: Db, id: string, stepId: string, at: Date): Promise<number> {
  return change(
    db,
    'begin_drip_step',
    `UPDATE drip_enrolments SET step_id = $2, step_began_at = $3, steps_begun = steps_begun + 1 WHERE id = $1`,
    [id, stepId, at],
  );
}

/** Records the next step; it begins when the workflow reads the row, which it does at once. */
export function recordNext(
  db: Db,
  id: string,
  { stepId, at, sent }: { stepId: string; at: Date; sent: boolean },
): Promise<number> {
  return change(
    db,
    'move_drip_enrolment',
    `UPDATE drip_enrolments SET step_id = $2, step_began_at = NULL, next_at = $3,
       steps_sent = steps_sent + CASE WHEN $4 THEN 1 ELSE 0 END
     WHERE id = $1`,
    [id, stepId, at, sent],
  );
}

/** A message of a step that the enrolment has left already. */
export function countSent(db: Db, id: string): Promise<number> {
  return change(
    db,
    'count_sent_drip_step',
    'UPDATE drip_enrolments SET steps_sent = steps_sent + 1 WHERE id = $1',
    [id],
  );
}

/** The workflow sleeps until then. */
export async function recordWait(
  db: Db,
  { id, project_id }: { id: string; project_id: string },
  at: Date,
): Promise<void> {
  const waits = await change(
    db,
    'record_drip_wait',
    'UPDATE drip_enrolments SET next_at = $2 WHERE id = $1 AND ended_at IS NULL',
    [id, at],
  );
  if (waits > 0) await reportNext(db, DRIP, { id, project_id }, at);
}

/** Parks an enrolment whose chain is not active: it waits without a workflow until the chain changes. */
export async function parkEnrolment(db: Db, id: string): Promise<void> {
  await change(db, 'park_drip_enrolment', 'UPDATE drip_enrolments SET parked = true WHERE id = $1', [id]);
  await unschedule(db, DRIP, [id]);
}

/** The caller holds the row's lock. Returns the time of the end and the number of messages sent. */
export async function endEnrolment(
  db: Db,
  id: string,
  end: { status: 'completed' | 'exited'; reason: string | null; sent: boolean },
): Promise<{ ended_at: Date; steps_sent: number }> {
  const ended = await row<{ ended_at: Date; steps_sent: number }>(
    db,
    'end_drip_enrolment',
    `UPDATE drip_enrolments SET status = $2, reason = $3, next_at = NULL, ended_at = clock_timestamp(),
       steps_sent = steps_sent + CASE WHEN $4 THEN 1 ELSE 0 END
     WHERE id = $1 RETURNING ended_at, steps_sent`,
    [id, end.status, end.reason, end.sent],
  );
  if (!ended) throw new Error('the enrolment disappeared while it was locked');
  await unschedule(db, DRIP, [id]);
  return ended;
}

/** What the start of an enrolment's workflow needs. */
export function findEnrolmentStart(
  db: Db,
  id: string,
): Promise<{ status: EnrolmentStatus; next_at: Date | null; summary: string } | null> {
  return row(
    db,
    'find_drip_enrolment_start',
    `SELECT e.status, e.next_at, 'drip enrolment of ' || p.slug AS summary
     FROM drip_enrolments e JOIN projects p ON p.id = e.project_id WHERE e.id = $1`,
    [id],
  );
}
