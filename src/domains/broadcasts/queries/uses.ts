import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import type { TemplateUse } from '../../templates';

/** SQL: whether an audience names a tag ($2) or, as a permission, the name. */
const namesTag = (audience: string) =>
  `(${audience} -> 'tags_all' ? $2 OR ${audience} -> 'tags_any' ? $2 OR ${audience} -> 'exclude_tags' ? $2)`;
const namesPermission = (audience: string) => `${audience} ->> 'permission' = $2`;

/** What names a tag or a permission: an entry that is not sent yet, or a recurring broadcast that has not ended. */
export async function definitionNaming(
  db: Db,
  projectId: string,
  kind: 'tags' | 'permissions',
  name: string,
): Promise<string | null> {
  const inAudience = kind === 'tags' ? namesTag('audience') : namesPermission('audience');
  const inEntry = kind === 'tags' ? inAudience : `(${inAudience} OR permission = $2)`;
  const found = await row<{ what: string }>(
    db,
    `definition_naming_${kind}`,
    `SELECT 'a scheduled message' AS what FROM scheduled
     WHERE project_id = $1 AND ended_at IS NULL AND job_id IS NULL AND ${inEntry}
     UNION ALL
     SELECT 'a recurring broadcast' FROM recurring WHERE project_id = $1 AND status <> 'ended' AND ${inAudience}
     LIMIT 1`,
    [projectId, name],
  );
  return found?.what ?? null;
}

/** Open scheduled and recurring messages that use a template. */
export async function definitionsWithTemplate(
  db: Db,
  projectId: string,
  key: string,
): Promise<TemplateUse[]> {
  const found = await rows<Pick<TemplateUse, 'what' | 'vars'>>(
    db,
    'definitions_with_template',
    `SELECT 'a scheduled message' AS what, coalesce(content->'vars', '{}') AS vars FROM scheduled
     WHERE project_id = $1 AND ended_at IS NULL AND content->>'template' = $2
     UNION ALL
     SELECT 'a recurring message', coalesce(content->'vars', '{}') FROM recurring
     WHERE project_id = $1 AND ended_at IS NULL AND content->>'template' = $2`,
    [projectId, key],
  );
  return found.map((use) => ({ ...use, further: [] }));
}
