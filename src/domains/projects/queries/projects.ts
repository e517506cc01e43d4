import { scheduleBy } from '../../../base/agenda';
import type { PlanName } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { sha256 } from '../../../base/lib/tokens';
import type { Project } from '../contract';

export const PROJECT_COLUMNS = `p.id, p.slug, p.name, p.active, p.plan, p.callback_url, p.redirect_urls, p.retry_policy,
  p.welcome_en, p.welcome_ru,
  p.requests_per_minute, p.events_per_minute, p.queued_deliveries, p.sessions_per_hour, p.sessions_per_address,
  p.scheduled_entries, p.purchased_credits, p.timezone,
  p.system_purpose IS NOT NULL AS system, p.created_at`;

const NOT_SYSTEM = 'p.system_purpose IS NULL';

export interface NewProject {
  slug: string;
  name: string;
  callback_url?: string | undefined;
  plan?: PlanName | undefined;
}

/** Returns null if the slug is taken. */
export function insertProject(db: Db, project: NewProject): Promise<Project | null> {
  return row<Project>(
    db,
    'insert_project',
    `INSERT INTO projects AS p (slug, name, callback_url, plan)
     VALUES ($1, $2, $3, coalesce($4, 'free')) ON CONFLICT (slug) DO NOTHING RETURNING ${PROJECT_COLUMNS}`,
    [project.slug, project.name, project.callback_url ?? null, project.plan ?? null],
  );
}

export function findProjectBySlug(db: Db, slug: string): Promise<Project | null> {
  return row<Project>(
    db,
    'project_by_slug',
    `SELECT ${PROJECT_COLUMNS} FROM projects p WHERE slug = $1 AND ${NOT_SYSTEM}`,
    [slug],
  );
}

export function findProject(db: Db, id: string): Promise<Project | null> {
  return row<Project>(db, 'project_by_id', `SELECT ${PROJECT_COLUMNS} FROM projects p WHERE id = $1`, [id]);
}

export function listProjects(db: Db): Promise<Project[]> {
  return rows<Project>(
    db,
    'list_projects',
    `SELECT ${PROJECT_COLUMNS} FROM projects p WHERE ${NOT_SYSTEM} ORDER BY created_at DESC`,
  );
}

export function findSystemProject(db: Db, purpose: 'sign_in'): Promise<Project | null> {
  return row<Project>(
    db,
    'system_project',
    `SELECT ${PROJECT_COLUMNS} FROM projects p WHERE p.system_purpose = $1`,
    [purpose],
  );
}

/** A project of Herald itself, whose logins are unlimited here. Nothing happens if there is one for the purpose. */
export function insertSystemProject(
  db: Db,
  project: { slug: string; name: string; purpose: 'sign_in'; unlimited: number },
): Promise<number> {
  return change(
    db,
    'insert_system_project',
    `INSERT INTO projects (slug, name, system_purpose, sessions_per_hour, sessions_per_address) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT (system_purpose) DO NOTHING`,
    [project.slug, project.name, project.purpose, project.unlimited],
  );
}

/**
 * All limits that count rows of a project are checked under this lock, so that they are exact under concurrency. NO KEY
 * UPDATE does not block transactions that only insert rows referring to the project.
 */
export async function lockProject(db: Db, id: string): Promise<Project> {
  const project = await row<Project>(
    db,
    'lock_project',
    `SELECT ${PROJECT_COLUMNS} FROM projects p WHERE id = $1 FOR NO KEY UPDATE`,
    [id],
  );
  if (!project) throw new Error('the project no longer exists');
  return project;
}

/**
 * Columns that an operator or the dashboard may set. Absent columns do not change; null resets a limit to its default.
 */
export interface ProjectChanges {
  name?: string;
  active?: boolean;
  plan?: PlanName;
  callback_url?: string | null;
  redirect_urls?: string[];
  retry_policy?: 'durable' | 'quick';
  welcome_en?: string | null;
  welcome_ru?: string | null;
  requests_per_minute?: number | null;
  events_per_minute?: number | null;
  queued_deliveries?: number | null;
  sessions_per_hour?: number | null;
  sessions_per_address?: number | null;
  timezone?: string;
  /** Open scheduled and recurring messages and chains together. */
  scheduled_entries?: number;
}

/** The kind of the agenda: one entry for each project that became active, until none of its entries is parked. */
export const RESUMED_PROJECTS = 'resumed_projects';

export async function updateProject(db: Db, id: string, changes: ProjectChanges): Promise<Project | null> {
  const updated = await writeProject(db, id, changes);
  if (changes.active) await scheduleBy(db, RESUMED_PROJECTS, [{ id, project_id: id }]);
  return updated;
}

function writeProject(db: Db, id: string, changes: ProjectChanges): Promise<Project | null> {
  const names = Object.keys(changes) as (keyof typeof changes)[];
  const assignments = ['updated_at = now()', ...names.map((name, index) => `${name} = $${index + 2}`)];
  return row<Project>(
    db,
    // Each set of columns needs its own statement name, of at most 63 characters.
    `update_project_${sha256(names.join()).toString('hex').slice(0, 16)}`,
    `UPDATE projects p SET ${assignments.join(', ')} WHERE id = $1 RETURNING ${PROJECT_COLUMNS}`,
    [id, ...names.map((name) => changes[name])],
  );
}

export function addPurchasedCredits(db: Db, id: string, credits: number): Promise<number> {
  return change(
    db,
    'add_purchased_credits',
    `UPDATE projects SET purchased_credits = purchased_credits + $2, updated_at = now() WHERE id = $1`,
    [id, credits],
  );
}
