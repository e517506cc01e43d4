import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';
import type { ChainStatus, EnrolmentStatus } from '../../drip/contract';

/* The operator's view of planned messages: across projects, or of one. */

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
      count(*) FILTER (WHERE NOT parked AND next_at < now() - interval '5 minutes')::int AS late
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

export type PlanListKind = 'batch' | 'scheduled' | 'recurring' | 'template';

export interface OperatorPlan {
  id: string;
  project: string;
  name: string | null;
  status: string;
  /** The next time of a scheduled or recurring message; null for the other kinds. */
  next_at: Date | null;
  created_at: Date;
}

/** SQL, by kind: the same columns for each. */
const plans: Record<PlanListKind, string> = {
  batch: `SELECT b.id::text AS id, b.project_id, b.total || ' messages' AS name, b.status, NULL::timestamptz AS next_at,
      b.created_at FROM broadcasts b WHERE b.kind = 'batch'`,
  scheduled: `SELECT s.id::text AS id, s.project_id, s.name, s.status, s.next_at, s.created_at FROM scheduled s`,
  recurring: `SELECT r.id::text AS id, r.project_id, r.name || ' (' || r.cron || ')' AS name, r.status,
      r.next_at, r.created_at FROM recurring r`,
  template: `SELECT t.key AS id, t.project_id, t.name, 'version ' || t.version AS status, NULL::timestamptz AS next_at,
      t.created_at FROM templates t`,
};

export function listPlans(
  db: Db,
  kind: PlanListKind,
  filter: { projectId: string | null; status: string | null; limit: number },
): Promise<OperatorPlan[]> {
  return rows<OperatorPlan>(
    db,
    `list_operator_${kind}`,
    `SELECT plan.id, p.slug AS project, plan.name, plan.status, plan.next_at, plan.created_at
     FROM (${plans[kind]}) plan JOIN projects p ON p.id = plan.project_id
     WHERE ($1::uuid IS NULL OR plan.project_id = $1) AND ($2::text IS NULL OR plan.status = $2)
     ORDER BY plan.created_at DESC, plan.id DESC LIMIT $3`,
    [filter.projectId, filter.status, filter.limit],
  );
}
