import { plans } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { change, row } from '../../db/query';
import type { Project } from '../contract';

/** The source of a login's credit, or `blocked` if there was none. */
export type Charge = 'plan' | 'pack' | 'grace' | 'blocked';

type Account = Pick<Project, 'id' | 'plan' | 'purchased_credits'>;

/** SQL: the first day of the current month in UTC, by the database clock. */
const MONTH = `date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')`;

/**
 * Charges one credit for a login: from the month's plan, then from purchased packs, then from the grace period, which
 * starts with the first login without credit (at most once a calendar month). The caller holds the project's row lock,
 * so that concurrent confirmations cannot overspend; UNIQUE(session) prevents a second charge.
 */
export async function chargeLogin(
  db: Db,
  project: Account,
  sessionId: string,
  graceHours: number,
): Promise<Charge> {
  const source = await takeCredit(db, project, graceHours);
  if (source === 'blocked') return source;
  await change(
    db,
    'insert_credit',
    'INSERT INTO credit_ledger (session_id, project_id, source, charged_at) VALUES ($1, $2, $3, clock_timestamp())',
    [sessionId, project.id, source],
  );
  return source;
}

async function takeCredit(db: Db, project: Account, graceHours: number): Promise<Charge> {
  const fromPlan = await change(
    db,
    'charge_plan',
    `INSERT INTO credit_months AS m (project_id, month, used) VALUES ($1, ${MONTH}, 1)
     ON CONFLICT (project_id, month) DO UPDATE SET used = m.used + 1 WHERE m.used < $2`,
    [project.id, plans[project.plan].loginsPerMonth],
  );
  if (fromPlan > 0) return 'plan';
  const fromPack = await change(
    db,
    'charge_pack',
    'UPDATE projects SET purchased_credits = purchased_credits - 1 WHERE id = $1 AND purchased_credits > 0',
    [project.id],
  );
  if (fromPack > 0) return 'pack';
  await change(
    db,
    'begin_grace',
    `UPDATE projects SET grace_started_at = clock_timestamp() WHERE id = $1
       AND (grace_started_at IS NULL OR (grace_started_at AT TIME ZONE 'UTC') < ${MONTH})`,
    [project.id],
  );
  return (await isGraceOver(db, project.id, graceHours)) ? 'blocked' : 'grace';
}

async function isGraceOver(db: Db, projectId: string, graceHours: number): Promise<boolean> {
  const found = await row<{ over: boolean }>(
    db,
    'grace_over',
    `SELECT coalesce(clock_timestamp() >= grace_started_at + make_interval(secs => $2::float8 * 3600), false) AS over
     FROM projects WHERE id = $1`,
    [projectId, graceHours],
  );
  return found?.over ?? false;
}

const PLAN_LIMIT = `CASE p.plan ${Object.entries(plans)
  .map(([name, plan]) => `WHEN '${name}' THEN ${plan.loginsPerMonth}`)
  .join(' ')} END`;

/** SQL: a project `p` joined with its usage of this month, `m`. */
const BILLING = `projects p LEFT JOIN credit_months m ON m.project_id = p.id AND m.month = ${MONTH}`;

/**
 * SQL: whether paid operations are refused, because the plan, the packs and the grace period ($2 hours) are used up.
 */
const BLOCKED = `coalesce(p.purchased_credits = 0 AND coalesce(m.used, 0) >= ${PLAN_LIMIT}
  AND (p.grace_started_at AT TIME ZONE 'UTC') >= ${MONTH}
  AND clock_timestamp() >= p.grace_started_at + make_interval(secs => $2::float8 * 3600), false)`;

export async function isBillingBlocked(db: Db, projectId: string, graceHours: number): Promise<boolean> {
  const found = await row<{ blocked: boolean }>(
    db,
    'billing_blocked',
    `SELECT ${BLOCKED} AS blocked FROM ${BILLING} WHERE p.id = $1`,
    [projectId, graceHours],
  );
  return found?.blocked ?? false;
}
