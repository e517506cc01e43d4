import type pg from 'pg';
import { withTransaction } from '../db/pool';
import type { LocalPolicy } from '../outbound/addresses';
import type { Project } from './contract';
import { fetchLogo } from './fetch-logo';
import { saveBrand, type BrandChanges } from './queries/brands';
import { updateProject, type ProjectChanges } from './queries/projects';

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

export function changeProject(
  pool: pg.Pool,
  projectId: string,
  changes: ProjectChanges,
  brand: BrandChanges | undefined,
): Promise<Project | null> {
  return withTransaction(pool, async (db) => {
    const project = await updateProject(db, projectId, changes);
    if (project && brand) await saveBrand(db, projectId, brand);
    return project;
  });
}
