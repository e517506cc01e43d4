import { BATCH_ROWS } from '../../../base/db/batches';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';

export type LabelKind = 'tags' | 'permissions';

/**
 * Registers names of tags or permissions with the project. Returns false, without registering any, if the project would
 * have more than `max`. The caller holds the project's row lock, so that the limit is exact under concurrency. `defined`:
 * they stay when no subscriber has them.
 */
export async function registerLabels(
  db: Db,
  projectId: string,
  kind: LabelKind,
  names: string[],
  max: number,
  defined = false,
): Promise<boolean> {
  const known = await knownLabels(db, projectId, kind);
  const newNames = names.filter((name) => !known.has(name));
  if (newNames.length === 0) {
    if (defined) await markDefined(db, projectId, kind, names);
    return true;
  }
  if (known.size + newNames.length > max) {
    await dropUnused(db, projectId, kind, names);
    const remaining = await knownLabels(db, projectId, kind);
    if (remaining.size + names.filter((name) => !remaining.has(name)).length > max) return false;
  }
  await change(
    db,
    'insert_labels',
    `INSERT INTO project_labels (project_id, kind, name, defined, created_at)
     SELECT $1, $2, name, $4, clock_timestamp() FROM unnest($3::text[]) AS name ON CONFLICT DO NOTHING`,
    [projectId, kind, newNames, defined],
  );
  if (defined) await markDefined(db, projectId, kind, names);
  return true;
}

function markDefined(db: Db, projectId: string, kind: LabelKind, names: string[]): Promise<number> {
  return change(
    db,
    'mark_labels_defined',
    `UPDATE project_labels SET defined = true
     WHERE project_id = $1 AND kind = $2 AND name = ANY ($3::text[]) AND NOT defined`,
    [projectId, kind, names],
  );
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

/** Removes names that no subscriber has and the project has not defined, except those about to be used. */
function dropUnused(db: Db, projectId: string, kind: LabelKind, inUse: string[]): Promise<number> {
  return change(
    db,
    `drop_unused_${kind}`,
    `DELETE FROM project_labels l WHERE l.project_id = $1 AND l.kind = '${kind}' AND NOT l.defined AND NOT l.name = ANY ($2::text[])
       AND NOT EXISTS (SELECT 1 FROM subscribers s WHERE s.project_id = $1 AND s.${kind} @> ARRAY[l.name])`,
    [projectId, inUse],
  );
}

/** A tag or a permission as the API shows it. Tags have no titles and no default. */
export interface LabelRow {
  name: string;
  title_en: string | null;
  title_ru: string | null;
  granted_by_default: boolean;
  subscribers: number;
  created_at: Date;
}

const LABEL = 'l.name, l.title_en, l.title_ru, l.granted_by_default, l.created_at';

/** Newest first. Their subscribers are counted in one pass over those of the project. */
export function listLabels(db: Db, projectId: string, kind: LabelKind): Promise<LabelRow[]> {
  return rows<LabelRow>(
    db,
    `list_${kind}`,
    `WITH counted AS (
       SELECT label AS name, count(*)::int AS subscribers FROM subscribers s, unnest(s.${kind}) AS label
       WHERE s.project_id = $1 GROUP BY label)
     SELECT ${LABEL}, coalesce(c.subscribers, 0) AS subscribers
     FROM project_labels l LEFT JOIN counted c ON c.name = l.name
     WHERE l.project_id = $1 AND l.kind = '${kind}' ORDER BY l.created_at DESC, l.name`,
    [projectId],
  );
}

/** With `formerName`, subscribers who still have that name count too. */
export function findLabel(
  db: Db,
  projectId: string,
  kind: LabelKind,
  name: string,
  formerName: string = name,
): Promise<LabelRow | null> {
  return row<LabelRow>(
    db,
    `find_${kind}`,
    `SELECT ${LABEL}, (SELECT count(*)::int FROM subscribers s
       WHERE s.project_id = $1 AND s.${kind} && ARRAY[$2::text, $3::text]) AS subscribers
     FROM project_labels l WHERE l.project_id = $1 AND l.kind = '${kind}' AND l.name = $2`,
    [projectId, name, formerName],
  );
}

/** Without the number of its subscribers, which takes too long to count under the project's row lock. */
export function readLabel(
  db: Db,
  projectId: string,
  kind: LabelKind,
  name: string,
): Promise<LabelValues | null> {
  return row<LabelValues & { created_at: Date }>(
    db,
    'read_label',
    `SELECT ${LABEL} FROM project_labels l WHERE l.project_id = $1 AND l.kind = $2 AND l.name = $3`,
    [projectId, kind, name],
  );
}

export interface LabelValues {
  name: string;
  title_en: string | null;
  title_ru: string | null;
  granted_by_default: boolean;
}

/** Changes a label that exists. The caller holds the project's row lock. */
export function updateLabel(
  db: Db,
  projectId: string,
  kind: LabelKind,
  name: string,
  values: LabelValues,
): Promise<number> {
  return change(
    db,
    'update_label',
    `UPDATE project_labels SET name = $4, title_en = $5, title_ru = $6, granted_by_default = $7, defined = true
     WHERE project_id = $1 AND kind = $2 AND name = $3`,
    [projectId, kind, name, values.name, values.title_en, values.title_ru, values.granted_by_default],
  );
}

export function deleteLabel(db: Db, projectId: string, kind: LabelKind, name: string): Promise<number> {
  return change(
    db,
    'delete_label',
    'DELETE FROM project_labels WHERE project_id = $1 AND kind = $2 AND name = $3',
    [projectId, kind, name],
  );
}

/** A label that was renamed or, with null, deleted. */
export interface LabelChange {
  project_id: string;
  kind: LabelKind;
  name: string;
  new_name: string | null;
}

/** Renames or removes a label on the next subscribers, `BATCH_ROWS` at most. Rows are locked in id order. */
export function replaceOnNext(db: Db, { project_id, kind, name, new_name }: LabelChange): Promise<number> {
  return change(
    db,
    `replace_${kind}_on_subscribers`,
    `WITH theirs AS (
       SELECT id FROM subscribers WHERE ${kind} @> ARRAY[$2::text] AND id = ANY (ARRAY(
         SELECT id FROM subscribers WHERE project_id = $1 AND ${kind} @> ARRAY[$2::text] LIMIT ${BATCH_ROWS}))
       ORDER BY id FOR NO KEY UPDATE)
     UPDATE subscribers s SET updated_at = now(), ${kind} = CASE WHEN $3::text IS NULL OR s.${kind} @> ARRAY[$3::text]
         THEN array_remove(s.${kind}, $2::text) ELSE array_replace(s.${kind}, $2::text, $3::text) END
     FROM theirs WHERE s.id = theirs.id`,
    [project_id, name, new_name],
  );
}

/** Returns its id. The caller holds the project's row lock. */
export async function insertLabelChange(
  db: Db,
  { project_id, kind, name, new_name }: LabelChange,
): Promise<string> {
  const [inserted] = await rows<{ id: string }>(
    db,
    'insert_label_change',
    'INSERT INTO label_changes (project_id, kind, name, new_name) VALUES ($1, $2, $3, $4) RETURNING id',
    [project_id, kind, name, new_name],
  );
  return inserted!.id;
}

/** Null if the change has ended. */
export function lockLabelChange(db: Db, id: string): Promise<LabelChange | null> {
  return row<LabelChange>(
    db,
    'lock_label_change',
    'SELECT project_id, kind, name, new_name FROM label_changes WHERE id = $1 FOR UPDATE',
    [id],
  );
}

export function deleteLabelChange(db: Db, id: string): Promise<number> {
  return change(db, 'delete_label_change', 'DELETE FROM label_changes WHERE id = $1', [id]);
}

/** The first of these names that subscribers are losing; with `gained` also one that they are getting. */
export async function findChangingLabel(
  db: Db,
  projectId: string,
  kind: LabelKind,
  names: string[],
  { gained }: { gained: boolean },
): Promise<string | null> {
  const found = await row<{ name: string }>(
    db,
    'find_changing_label',
    `SELECT changing.name FROM label_changes c CROSS JOIN LATERAL (
       VALUES (c.name), (CASE WHEN $4 THEN c.new_name END)) AS changing (name)
     WHERE c.project_id = $1 AND c.kind = $2 AND changing.name = ANY ($3::text[]) LIMIT 1`,
    [projectId, kind, names, gained],
  );
  return found?.name ?? null;
}

/** The permissions that the Mini App offers: those with a title. */
export function offeredPermissions(db: Db, projectId: string): Promise<Omit<LabelRow, 'subscribers'>[]> {
  return rows<Omit<LabelRow, 'subscribers'>>(
    db,
    'offered_permissions',
    `SELECT ${LABEL} FROM project_labels l
     WHERE l.project_id = $1 AND l.kind = 'permissions' AND (l.title_en IS NOT NULL OR l.title_ru IS NOT NULL)
     ORDER BY l.created_at, l.name`,
    [projectId],
  );
}
