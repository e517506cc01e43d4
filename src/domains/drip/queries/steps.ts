import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { EnrolmentStatus } from '../contract';

/** Claims step n of an enrolment. A step that was claimed before, by a worker that died, keeps its id. */
export async function claimStep(
  db: Db,
  step: { enrolmentId: string; dripId: string; n: number; version: number; stepId: string; at: Date },
): Promise<string> {
  const claimed = await row<{ id: string }>(
    db,
    'claim_drip_step',
    `INSERT INTO drip_steps (enrolment_id, drip_id, n, version, step_id, began_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (enrolment_id, n) DO UPDATE SET version = excluded.version, step_id = excluded.step_id RETURNING id`,
    [step.enrolmentId, step.dripId, step.n, step.version, step.stepId, step.at],
  );
  if (!claimed) throw new Error('the step was not claimed');
  return claimed.id;
}

export function endStep(db: Db, enrolmentId: string, n: number): Promise<number> {
  return change(
    db,
    'end_drip_step',
    'UPDATE drip_steps SET ended_at = clock_timestamp() WHERE enrolment_id = $1 AND n = $2 AND ended_at IS NULL',
    [enrolmentId, n],
  );
}

/** Records the result of a send step once. Returns the time of the result; null if there already was one. */
export async function recordSent(
  db: Db,
  id: string,
  { status, reason }: { status: 'sent' | 'failed' | 'skipped'; reason: string | null },
): Promise<Date | null> {
  const recorded = await row<{ ended_at: Date }>(
    db,
    'record_drip_step',
    // A step can have ended without a result: its enrolment was moved to a version in which it is no message.
    `UPDATE drip_steps SET status = $2, reason = $3, ended_at = coalesce(ended_at, clock_timestamp())
     WHERE id = $1 AND status IS NULL RETURNING ended_at`,
    [id, status, reason],
  );
  return recorded?.ended_at ?? null;
}

/** Whether a worker has begun to send the message of a step. */
export async function hasMessage(db: Db, stepId: string): Promise<boolean> {
  const found = await row(db, 'drip_step_has_message', 'SELECT 1 FROM messages WHERE request_id = $1', [
    stepId,
  ]);
  return found !== null;
}

/** Whether the message of step n has gone further than waiting for its turn. */
export async function isBeingSent(db: Db, enrolmentId: string, n: number): Promise<boolean> {
  const found = await row(
    db,
    'drip_message_is_being_sent',
    `SELECT 1 FROM drip_steps d JOIN messages m ON m.request_id = d.id
     WHERE d.enrolment_id = $1 AND d.n = $2 AND m.status <> 'queued'`,
    [enrolmentId, n],
  );
  return found !== null;
}

/**
 * Whether the message of a step may be sent: not once its enrolment was cancelled or its chain paused. Neither happens
 * before the transaction ends.
 */
export async function lockSendable(db: Db, stepId: string): Promise<boolean> {
  const found = await row(
    db,
    'lock_sendable_drip_step',
    `SELECT 1 FROM drip_steps d JOIN drip_enrolments e ON e.id = d.enrolment_id JOIN drip_chains c ON c.id = e.drip_id
     WHERE d.id = $1 AND e.ended_at IS NULL AND c.status = 'active' AND c.deleted_at IS NULL FOR SHARE OF c, e`,
    [stepId],
  );
  return found !== null;
}

/** The steps among these whose messages the workflows of their enrolments will still send. */
export async function findOpenSteps(db: Db, ids: string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'find_open_drip_steps',
    `SELECT d.id FROM drip_steps d JOIN drip_enrolments e ON e.id = d.enrolment_id
     WHERE d.id = ANY ($1::uuid[]) AND d.ended_at IS NULL AND e.ended_at IS NULL`,
    [ids],
  );
  return found.map(({ id }) => id);
}

/** The message of a step is sent again: its worker died while it was being sent. Returns false if it was sent again before. */
export async function recordResent(db: Db, stepId: string): Promise<boolean> {
  const recorded = await change(
    db,
    'record_resent_drip_step',
    `UPDATE drip_steps d SET resent = true FROM messages m
     WHERE d.id = $1 AND NOT d.resent AND m.request_id = d.id AND m.status = 'sending'`,
    [stepId],
  );
  return recorded > 0;
}

export function countEnrolments(
  db: Db,
  dripId: string,
  version: number | null,
): Promise<{ status: EnrolmentStatus; count: number }[]> {
  return rows(
    db,
    'count_drip_enrolments',
    `SELECT status, count(*) AS count FROM drip_enrolments
     WHERE drip_id = $1 AND ($2::int IS NULL OR version = $2) GROUP BY status`,
    [dripId, version],
  );
}

export interface StepCounts {
  step_id: string;
  reached: number;
  sent: number;
  failed: number;
  skipped: number;
}

export function countSteps(db: Db, dripId: string, version: number | null): Promise<StepCounts[]> {
  return rows<StepCounts>(
    db,
    'count_drip_steps',
    `SELECT step_id, count(*) AS reached, count(*) FILTER (WHERE status = 'sent') AS sent,
       count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'skipped') AS skipped
     FROM drip_steps WHERE drip_id = $1 AND ($2::int IS NULL OR version = $2) GROUP BY step_id`,
    [dripId, version],
  );
}
