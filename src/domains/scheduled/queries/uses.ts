import { namedByAudience } from '../../broadcasts';
import type { TemplateVars } from '../../../base/contract/content';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';

/** Whether an entry that is not sent yet names a tag or a permission. */
export async function isScheduledNaming(
  db: Db,
  projectId: string,
  kind: 'tags' | 'permissions',
  name: string,
): Promise<boolean> {
  const inEntry =
    kind === 'tags' ? namedByAudience.tags : `(${namedByAudience.permissions} OR permission = $2)`;
  const found = await row(
    db,
    `scheduled_naming_${kind}`,
    `SELECT 1 FROM scheduled WHERE project_id = $1 AND ended_at IS NULL AND job_id IS NULL AND ${inEntry} LIMIT 1`,
    [projectId, name],
  );
  return found !== null;
}

/** The values that open entries give a template. */
export function findScheduledWithTemplate(
  db: Db,
  projectId: string,
  key: string,
): Promise<{ vars: TemplateVars }[]> {
  return rows<{ vars: TemplateVars }>(
    db,
    'scheduled_with_template',
    `SELECT coalesce(content->'vars', '{}') AS vars FROM scheduled
     WHERE project_id = $1 AND ended_at IS NULL AND content->>'template' = $2`,
    [projectId, key],
  );
}
