import { reportNext, unschedule } from '../../../base/agenda';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Answers, Field, FormRoute, RouteStatus } from '../contract';
import { FORM } from './submissions';

/** Whose submission it is, without a lock: the subscriber is locked before it. */
export function findOwner(
  db: Db,
  id: string,
): Promise<{ project_id: string; subscriber_id: string | null } | null> {
  return row(
    db,
    'find_submission_owner',
    'SELECT project_id, subscriber_id FROM form_submissions WHERE id = $1',
    [id],
  );
}

/** A route that is to be run. */
export interface DueRoute {
  /** The request of its message. */
  id: string;
  index: number;
  route: FormRoute;
  began_at: Date | null;
}

export interface LockedSubmission {
  id: string;
  project_id: string;
  form_id: string;
  form_name: string;
  fields: Field[];
  answers: Answers;
  now: Date;
  /** The next route that has not run; null if none is left. */
  due: DueRoute | null;
}

/** Locked first and then read: a statement that had to wait for the lock would not see which routes have run. */
export async function lockDue(db: Db, id: string): Promise<LockedSubmission | null> {
  await row(db, 'lock_due_submission', 'SELECT id FROM form_submissions WHERE id = $1 FOR UPDATE', [id]);
  const found = await row<Omit<LockedSubmission, 'due'>>(
    db,
    'read_due_submission',
    `SELECT s.id, s.project_id, s.form_id, f.name AS form_name, f.fields, s.answers, clock_timestamp() AS now
     FROM form_submissions s JOIN forms f ON f.id = s.form_id WHERE s.id = $1`,
    [id],
  );
  if (!found) return null;
  const due = await row<DueRoute>(
    db,
    'next_submission_route',
    `SELECT id, index, route, began_at FROM submission_routes WHERE submission_id = $1 AND status IS NULL
     ORDER BY index LIMIT 1`,
    [id],
  );
  return { ...found, due };
}

/** Whether a route of the submission has written to members. */
export async function hasMessagedMembers(db: Db, submissionId: string): Promise<boolean> {
  const found = await row(
    db,
    'find_route_to_members',
    `SELECT 1 FROM submission_routes
     WHERE submission_id = $1 AND status = 'done' AND route->>'action' = 'message' AND route->>'to' = 'members' LIMIT 1`,
    [submissionId],
  );
  return found !== null;
}

/** Records that a worker has begun a route that takes more than one transaction. */
export function recordBegun(db: Db, routeId: string): Promise<number> {
  return change(
    db,
    'begin_submission_route',
    'UPDATE submission_routes SET began_at = coalesce(began_at, clock_timestamp()) WHERE id = $1',
    [routeId],
  );
}

/** Records the outcome of a route once. */
export function endRoute(
  db: Db,
  id: string,
  { status, reason }: { status: RouteStatus; reason: string | null },
): Promise<number> {
  return change(
    db,
    'end_submission_route',
    `UPDATE submission_routes SET status = $2, reason = $3, ended_at = clock_timestamp()
     WHERE id = $1 AND status IS NULL`,
    [id, status, reason],
  );
}

type SubmissionRef = Pick<LockedSubmission, 'id' | 'project_id'>;

/** The workflow sleeps until then. */
export async function recordWait(db: Db, { id, project_id }: SubmissionRef, at: Date): Promise<void> {
  const waits = await change(
    db,
    'record_submission_wait',
    'UPDATE form_submissions SET next_at = $2 WHERE id = $1',
    [id, at],
  );
  if (waits > 0) await reportNext(db, FORM, { id, project_id }, at);
}

/** Every route has run. The caller holds the row's lock. */
export async function recordEnd(db: Db, submissionId: string): Promise<void> {
  await change(db, 'end_submission_routes', 'UPDATE form_submissions SET next_at = NULL WHERE id = $1', [
    submissionId,
  ]);
  await unschedule(db, FORM, [submissionId]);
}

/** Whether a worker has begun to send the message of a route. */
export async function hasMessage(db: Db, routeId: string): Promise<boolean> {
  const found = await row(
    db,
    'submission_route_has_message',
    'SELECT 1 FROM messages WHERE request_id = $1',
    [routeId],
  );
  return found !== null;
}

/** The message of a route is sent again: its worker died while it was being sent. Returns false if it was before. */
export async function recordResent(db: Db, routeId: string): Promise<boolean> {
  const recorded = await change(
    db,
    'record_resent_submission_route',
    `UPDATE submission_routes r SET resent = true FROM messages m
     WHERE r.id = $1 AND NOT r.resent AND m.request_id = r.id AND m.status = 'sending'`,
    [routeId],
  );
  return recorded > 0;
}

/** Whether the message of a route may be sent: not once its submission was deleted. */
export async function lockSendable(db: Db, routeId: string): Promise<boolean> {
  const found = await row(
    db,
    'lock_sendable_submission_route',
    'SELECT 1 FROM submission_routes WHERE id = $1 AND status IS NULL FOR SHARE',
    [routeId],
  );
  return found !== null;
}

/** The routes among these whose messages the workflows of their submissions will still send. */
export async function findOpenRoutes(db: Db, ids: string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'find_open_submission_routes',
    'SELECT id FROM submission_routes WHERE id = ANY ($1::uuid[]) AND status IS NULL',
    [ids],
  );
  return found.map(({ id }) => id);
}
