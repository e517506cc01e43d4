import { countRows, LATE, lateRows, type Late } from '../../../base/db/counts';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import { maySend } from '../../projects';
import type { ChainStatus, EnrolmentStatus } from '../contract';

/* What operators see of the chains of all projects. */

export function lateEnrolments(db: Db): Promise<Late[]> {
  return lateRows(db, 'late_enrolments', {
    drip: `SELECT id, next_at AS due_at FROM drip_enrolments
      WHERE ended_at IS NULL AND NOT parked AND next_at < ${LATE} AND ${maySend('project_id')}`,
  });
}

/** The active enrolments of a project, counted up to MAX_COUNTED. */
export function countActiveEnrolments(db: Db, projectId: string): Promise<number> {
  return countRows(
    db,
    'count_active_enrolments',
    'SELECT FROM drip_enrolments WHERE project_id = $1 AND ended_at IS NULL',
    [projectId],
  );
}

/** The chain of an enrolment and its project; null if there is none. */
export function findAnyEnrolment(
  db: Db,
  id: string,
): Promise<{ project_id: string; drip_id: string } | null> {
  return row(db, 'find_any_enrolment', 'SELECT project_id, drip_id FROM drip_enrolments WHERE id = $1', [id]);
}

export interface OperatorChain {
  id: string;
  project_id: string;
  project: string;
  name: string;
  status: ChainStatus;
  version: number;
  trigger: { type: string };
  active: number;
  parked: number;
  /** The active enrolments that should have moved five minutes ago. */
  late: number;
  created_at: Date;
}

const CHAIN = `SELECT c.id, c.project_id, p.slug AS project, c.name, c.status, c.version, c.trigger, c.created_at,
    e.active, e.parked, e.late
  FROM drip_chains c JOIN projects p ON p.id = c.project_id CROSS JOIN LATERAL (
    SELECT count(*)::int AS active, count(*) FILTER (WHERE parked)::int AS parked,
      count(*) FILTER (WHERE NOT parked AND next_at < ${LATE} AND p.active)::int AS late
    FROM drip_enrolments WHERE drip_id = c.id AND ended_at IS NULL) e
  WHERE c.deleted_at IS NULL`;

export function listOperatorChains(
  db: Db,
  projectId: string | null,
  limit: number,
): Promise<OperatorChain[]> {
  return rows<OperatorChain>(
    db,
    'list_operator_chains',
    `${CHAIN} AND ($1::uuid IS NULL OR c.project_id = $1) ORDER BY c.created_at DESC, c.id DESC LIMIT $2`,
    [projectId, limit],
  );
}

export function findAnyChain(db: Db, id: string): Promise<OperatorChain | null> {
  return row<OperatorChain>(db, 'find_any_chain', `${CHAIN} AND c.id = $1`, [id]);
}

export interface OperatorEnrolment {
  id: string;
  subscriber_id: string;
  version: number;
  status: EnrolmentStatus;
  reason: string | null;
  step_id: string | null;
  parked: boolean;
  next_at: Date | null;
  started_at: Date;
  ended_at: Date | null;
}

/** Active ones by the time they are due, most overdue first; the others newest first. */
export function listOperatorEnrolments(
  db: Db,
  chainId: string,
  status: EnrolmentStatus | null,
  limit: number,
): Promise<OperatorEnrolment[]> {
  return rows<OperatorEnrolment>(
    db,
    'list_operator_enrolments',
    `SELECT id, subscriber_id, version, status, reason, step_id, parked, next_at, started_at, ended_at FROM drip_enrolments
     WHERE drip_id = $1 AND ($2::text IS NULL OR status = $2)
     ORDER BY ended_at IS NOT NULL, next_at, started_at DESC, id LIMIT $3`,
    [chainId, status, limit],
  );
}
