import type pg from 'pg';
import { withTransaction } from '../../base/db/pool';
import type { LocalPolicy } from '../../base/outbound/addresses';
import type { Project } from './contract';
import { fetchLogo } from './fetch-logo';
import { changedSettings, describeChange } from './audit';
import { findBrand, saveBrand, type BrandChanges } from './queries/brands';
import { beginGrace } from './queries/credits';
import { lockProject, updateProject, type ProjectChanges } from './queries/projects';

export interface GivenBrand {
  logo_url?: string | null | undefined;
  color?: string | null | undefined;
  privacy_url?: string | null | undefined;
}

/** Fetches the logo. Called before anything is written, so that a bad image changes nothing. */
export async function prepareBrand(
  { logo_url, ...others }: GivenBrand,
  policy: LocalPolicy,
): Promise<BrandChanges> {
  if (logo_url === undefined) return others;
  return { ...others, logo: logo_url === null ? null : await fetchLogo(logo_url, policy) };
}

/** What the audit log shows of a change. Texts of the project are not among them. */
const settings = [
  'name',
  'active',
  'plan',
  'callback_url',
  'redirect_urls',
  'retry_policy',
  'timezone',
  'requests_per_minute',
  'events_per_minute',
  'queued_deliveries',
  'sessions_per_hour',
  'sessions_per_address',
  'scheduled_entries',
  'color',
  'privacy_url',
  'logo_url',
] as const;

export function changeProject(
  pool: pg.Pool,
  projectId: string,
  changes: ProjectChanges,
  brand: BrandChanges | undefined,
): Promise<Project | null> {
  return withTransaction(pool, async (db) => {
    const before = { ...(await lockProject(db, projectId)), ...(await findBrand(db, projectId)) };
    const project = await updateProject(db, projectId, changes);
    if (!project) return null;
    // A smaller plan can leave no credits.
    if (changes.plan !== undefined) await beginGrace(db, projectId);
    if (brand) await saveBrand(db, projectId, brand);
    const after = { ...project, ...(await findBrand(db, projectId)) };
    describeChange(project.name, changedSettings(before, after, settings));
    return project;
  });
}
