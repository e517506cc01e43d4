import type { PlanName } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import { sha256 } from '../../lib/tokens';
import type { Project } from '../contract';

export const PROJECT_COLUMNS = `p.id, p.slug, p.name, p.active, p.plan, p.callback_url, p.redirect_urls, p.retry_policy,
  p.welcome_en, p.welcome_ru,
  p.requests_per_minute, p.sessions_per_hour, p.sessions_per_address, p.purchased_credits,
  coalesce((SELECT settings.timezone FROM project_settings settings WHERE settings.project_id = p.id), 'UTC') AS timezone,
  EXISTS (SELECT 1 FROM system_projects own WHERE own.project_id = p.id) AS system, p.created_at`;

const NOT_SYSTEM = 'NOT EXISTS (SELECT 1 FROM system_projects own WHERE own.project_id = p.id)';

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
    `SELECT ${PROJECT_COLUMNS} FROM projects p JOIN system_projects s ON s.project_id = p.id WHERE s.purpose = $1`,
    [purpose],
  );
}

/** Returns false if another transaction was first; the caller rolls back. */
export async function markSystemProject(db: Db, projectId: string, purpose: 'sign_in'): Promise<boolean> {
  const marked = await change(
    db,
    'mark_system_project',
    'INSERT INTO system_projects (project_id, purpose) VALUES ($1, $2) ON CONFLICT (purpose) DO NOTHING',
    [projectId, purpose],
  );
  return marked > 0;
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
  sessions_per_hour?: number | null;
  sessions_per_address?: number | null;
  timezone?: string;
  /** Open scheduled and recurring messages and chains together. */
  scheduled_entries?: number;
}

export async function updateProject(
  db: Db,
  id: string,
  { timezone, scheduled_entries, ...changes }: ProjectChanges,
): Promise<Project | null> {
  if (timezone !== undefined) await saveTimezone(db, id, timezone);
  if (scheduled_entries !== undefined) await saveScheduledEntries(db, id, scheduled_entries);
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

function saveTimezone(db: Db, projectId: string, timezone: string): Promise<number> {
  return change(
    db,
    'save_project_timezone',
    `INSERT INTO project_settings (project_id, timezone) VALUES ($1, $2)
     ON CONFLICT (project_id) DO UPDATE SET timezone = excluded.timezone`,
    [projectId, timezone],
  );
}

function saveScheduledEntries(db: Db, projectId: string, entries: number): Promise<number> {
  return change(
    db,
    'save_scheduled_entries',
    `INSERT INTO project_settings (project_id, scheduled_entries) VALUES ($1, $2)
     ON CONFLICT (project_id) DO UPDATE SET scheduled_entries = excluded.scheduled_entries`,
    [projectId, entries],
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
