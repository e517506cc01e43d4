import { namedByAudience } from '../../broadcasts';
import type { TemplateVars } from '../../../base/contract/content';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';

/** Whether a message that has not ended names a tag or a permission. */
export async function isRecurringNaming(
  db: Db,
  projectId: string,
  kind: 'tags' | 'permissions',
  name: string,
): Promise<boolean> {
  const found = await row(
    db,
    `recurring_naming_${kind}`,
    `SELECT 1 FROM recurring WHERE project_id = $1 AND status <> 'ended' AND ${namedByAudience[kind]} LIMIT 1`,
    [projectId, name],
  );
  return found !== null;
}

/** The values that open messages give a template. */
export function findRecurringWithTemplate(
  db: Db,
  projectId: string,
  key: string,
): Promise<{ vars: TemplateVars }[]> {
  return rows<{ vars: TemplateVars }>(
    db,
    'recurring_with_template',
    `SELECT coalesce(content->'vars', '{}') AS vars FROM recurring
     WHERE project_id = $1 AND ended_at IS NULL AND content->>'template' = $2`,
    [projectId, key],
  );
}
