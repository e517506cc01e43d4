import type { Db } from '../../db/pool';
import { change, rows } from '../../db/query';

export type LabelKind = 'tags' | 'permissions';

/**
 * Registers names of tags or permissions with the project. Returns false, without registering any, if the project would
 * have more than `max`. The caller holds the project's row lock, so that the limit is exact under concurrency.
 */
export async function registerLabels(
  db: Db,
  projectId: string,
  kind: LabelKind,
  names: string[],
  max: number,
): Promise<boolean> {
  const known = await knownLabels(db, projectId, kind);
  const newNames = names.filter((name) => !known.has(name));
  if (newNames.length === 0) return true;
  if (known.size + newNames.length > max) {
    await dropUnused(db, projectId, kind, names);
    const remaining = await knownLabels(db, projectId, kind);
    if (remaining.size + names.filter((name) => !remaining.has(name)).length > max) return false;
  }
  await change(
    db,
    'insert_labels',
    `INSERT INTO project_labels (project_id, kind, name) SELECT $1, $2, name FROM unnest($3::text[]) AS name
     ON CONFLICT DO NOTHING`,
    [projectId, kind, newNames],
  );
  return true;
}

async function knownLabels(db: Db, projectId: string, kind: LabelKind): Promise<Set<string>> {
  const found = await rows<{ name: string }>(
    db,
    'known_labels',
    'SELECT name FROM project_labels WHERE project_id = $1 AND kind = $2',
    [projectId, kind],
  );
  return new Set(found.map(({ name }) => name));
}

/** Removes names that no subscriber has, except those about to be used. */
function dropUnused(db: Db, projectId: string, kind: LabelKind, inUse: string[]): Promise<number> {
  return change(
    db,
    `drop_unused_${kind}`,
    `DELETE FROM project_labels l WHERE l.project_id = $1 AND l.kind = '${kind}' AND NOT l.name = ANY ($2::text[])
       AND NOT EXISTS (SELECT 1 FROM subscribers s WHERE s.project_id = $1 AND s.${kind} @> ARRAY[l.name])`,
    [projectId, inUse],
  );
}
