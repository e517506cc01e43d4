import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';
import { logoPath } from '../brand-paths';
import type { Brand } from '../contract';
import type { Logo } from '../fetch-logo';

/** Absent fields do not change; null clears. */
export interface BrandChanges {
  color?: string | null | undefined;
  privacy_url?: string | null | undefined;
  logo?: Logo | null | undefined;
}

export async function findBrand(db: Db, projectId: string): Promise<Brand> {
  const found = await row<Omit<Brand, 'logo_path'> & { logo_id: string | null }>(
    db,
    'find_brand',
    'SELECT logo_url, logo_id, color, privacy_url FROM project_brands WHERE project_id = $1',
    [projectId],
  );
  return {
    logo_url: found?.logo_url ?? null,
    logo_path: found?.logo_id ? logoPath(found.logo_id) : null,
    color: found?.color ?? null,
    privacy_url: found?.privacy_url ?? null,
  };
}

/** One statement, so that a logo and its address always belong together. */
export async function saveBrand(
  db: Db,
  projectId: string,
  { color, privacy_url, logo }: BrandChanges,
): Promise<void> {
  await change(
    db,
    'save_brand',
    `INSERT INTO project_brands AS b (project_id, color, privacy_url, logo_url, logo_id, logo_type, logo)
     VALUES ($1, $3, $5, $7, CASE WHEN $9::bytea IS NOT NULL THEN gen_random_uuid() END, $8, $9)
     ON CONFLICT (project_id) DO UPDATE SET
       color = CASE WHEN $2 THEN excluded.color ELSE b.color END,
       privacy_url = CASE WHEN $4 THEN excluded.privacy_url ELSE b.privacy_url END,
       logo_url = CASE WHEN $6 THEN excluded.logo_url ELSE b.logo_url END,
       logo_id = CASE WHEN $6 THEN excluded.logo_id ELSE b.logo_id END,
       logo_type = CASE WHEN $6 THEN excluded.logo_type ELSE b.logo_type END,
       logo = CASE WHEN $6 THEN excluded.logo ELSE b.logo END`,
    [
      projectId,
      color !== undefined,
      color ?? null,
      privacy_url !== undefined,
      privacy_url ?? null,
      logo !== undefined,
      logo?.url ?? null,
      logo?.type ?? null,
      logo?.data ?? null,
    ],
  );
}

export function findLogo(db: Db, logoId: string): Promise<{ type: string; data: Buffer } | null> {
  return row(
    db,
    'find_logo',
    `SELECT b.logo_type AS type, b.logo AS data FROM project_brands b JOIN projects p ON p.id = b.project_id
     WHERE b.logo_id = $1 AND p.active`,
    [logoId],
  );
}
