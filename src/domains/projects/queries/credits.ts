import { plans } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';
import type { Project } from '../contract';
import { PROJECT_COLUMNS } from './projects';

/** The source of a login's credit, or `blocked` if there was none. */
export type Charge = 'plan' | 'pack' | 'grace' | 'blocked';

type Account = Pick<Project, 'id' | 'plan' | 'purchased_credits'>;

/** How a login was charged, and what is left after it. */
export interface Charged {
  source: Charge;
  /** Logins of this month that the plan has paid for. */
  used: number;
  purchased: number;
  at: Date;
}

/** SQL: the first day of the current month in UTC, by the database clock. */
const MONTH = `date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')`;

/** SQL: adds the usage of this month, `m`, to a project `p`. */
const WITH_USAGE = `LEFT JOIN credit_months m ON m.project_id = p.id AND m.month = ${MONTH}`;

const BILLING = `projects p ${WITH_USAGE}`;

const PLAN_LIMIT = `CASE p.plan ${Object.entries(plans)
  .map(([name, plan]) => `WHEN '${name}' THEN ${plan.loginsPerMonth}`)
  .join(' ')} END`;

/** SQL: whether neither the month's plan nor a pack has a credit left. */
const SPENT = `(p.purchased_credits = 0 AND coalesce(m.used, 0) >= ${PLAN_LIMIT})`;

/**
 * Charges one credit for a login: from the month's plan, then from purchased packs, then from the grace period, which
 * begins with the last credit (at most once a calendar month). The caller holds the project's row lock, so that
 * concurrent confirmations cannot overspend; UNIQUE(session) prevents a second charge.
 */
export async function chargeCredit(
  db: Db,
  project: Account,
  sessionId: string,
  graceHours: number,
): Promise<Charged> {
  const fromPlan = await chargePlan(db, project, sessionId);
  if (fromPlan) return { source: 'plan', purchased: project.purchased_credits, ...fromPlan };
  const charged = await chargeBeyondPlan(db, project.id, graceHours);
  if (charged.source === 'blocked') return charged;
  await change(
    db,
    'insert_credit',
    'INSERT INTO credit_ledger (session_id, project_id, source, charged_at) VALUES ($1, $2, $3, clock_timestamp())',
    [sessionId, project.id, charged.source],
  );
  return charged;
}

/**
 * False if the project has been notified already. The charge of the last credit always notifies it; a login without credit
 * only if no charge has done so this month, for example after a change to a smaller plan.
 */
export async function markExhausted(db: Db, projectId: string, source: Charge): Promise<boolean> {
  const marked = await change(
    db,
    'mark_credits_exhausted',
    `INSERT INTO credit_months AS m (project_id, month, used, exhausted_at) VALUES ($1, ${MONTH}, 0, clock_timestamp())
     ON CONFLICT (project_id, month) DO UPDATE SET exhausted_at = excluded.exhausted_at WHERE m.exhausted_at IS NULL OR $2`,
    [projectId, source === 'plan' || source === 'pack'],
  );
  return marked > 0;
}

/** Charges the month's plan, with the entry in the ledger, in one statement: nearly every login. Null if the plan is used up. */
function chargePlan(
  db: Db,
  project: Account,
  sessionId: string,
): Promise<Pick<Charged, 'used' | 'at'> | null> {
  return row<{ used: number; at: Date }>(
    db,
    'charge_plan',
    `WITH charged AS (
       INSERT INTO credit_months AS m (project_id, month, used) VALUES ($1, ${MONTH}, 1)
       ON CONFLICT (project_id, month) DO UPDATE SET used = m.used + 1 WHERE m.used < $2
       RETURNING m.used, clock_timestamp() AS at
     ), entered AS (
       INSERT INTO credit_ledger (session_id, project_id, source, charged_at) SELECT $3, $1, 'plan', at FROM charged
     )
     SELECT used, at FROM charged`,
    [project.id, plans[project.plan].loginsPerMonth, sessionId],
  );
}

async function chargeBeyondPlan(db: Db, projectId: string, graceHours: number): Promise<Charged> {
  const fromPack = await change(
    db,
    'charge_pack',
    'UPDATE projects SET purchased_credits = purchased_credits - 1 WHERE id = $1 AND purchased_credits > 0',
    [projectId],
  );
  if (fromPack > 0) return { source: 'pack', ...(await creditsLeft(db, projectId)) };
  // With the last credit it has begun already, but perhaps not in this month.
  await beginGrace(db, projectId);
  const source = (await isGraceOver(db, projectId, graceHours)) ? 'blocked' : 'grace';
  return { source, ...(await creditsLeft(db, projectId)) };
}

/** Where no credits are left, once in a calendar month. */
export function beginGrace(db: Db, projectId: string): Promise<number> {
  return change(
    db,
    'begin_grace',
    `UPDATE projects SET grace_started_at = clock_timestamp()
     WHERE id = (SELECT p.id FROM ${BILLING} WHERE p.id = $1 AND ${SPENT})
       AND (grace_started_at IS NULL OR (grace_started_at AT TIME ZONE 'UTC') < ${MONTH})`,
    [projectId],
  );
}

async function creditsLeft(db: Db, projectId: string): Promise<Omit<Charged, 'source'>> {
  const left = await row<Omit<Charged, 'source'>>(
    db,
    'credits_left',
    `SELECT coalesce(m.used, 0) AS used, p.purchased_credits AS purchased, clock_timestamp() AS at
     FROM ${BILLING} WHERE p.id = $1`,
    [projectId],
  );
  if (!left) throw new Error('the project is gone');
  return left;
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

/**
 * SQL: whether paid operations are refused, because the plan, the packs and the grace period ($2 hours) are used up.
 */
const BLOCKED = `coalesce(${SPENT}
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

export type ProjectWithBilling = Project & { billing_blocked: boolean };

export function findProjectWithBilling(
  db: Db,
  id: string,
  graceHours: number,
): Promise<ProjectWithBilling | null> {
  return row<ProjectWithBilling>(
    db,
    'project_with_billing',
    `SELECT ${PROJECT_COLUMNS}, ${BLOCKED} AS billing_blocked FROM ${BILLING} WHERE p.id = $1`,
    [id, graceHours],
  );
}

/**
 * Locks a project as `lockProject` does, and counts a session of the API: its number is `session_counter`. `billing_blocked` may
 * lack a login that was charged while this waited for the lock; the charge of this session includes it.
 */
export async function lockAndCountSession(
  db: Db,
  id: string,
  graceHours: number,
): Promise<ProjectWithBilling> {
  const project = await row<ProjectWithBilling>(
    db,
    'lock_and_count_session',
    `UPDATE projects p SET session_counter = session_counter + 1 WHERE p.id = $1
     RETURNING ${PROJECT_COLUMNS},
       (SELECT ${BLOCKED} FROM (VALUES (1)) AS one ${WITH_USAGE}) AS billing_blocked`,
    [id, graceHours],
  );
  if (!project) throw new Error('the project no longer exists');
  return project;
}
