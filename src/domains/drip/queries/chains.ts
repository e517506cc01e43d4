import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { ChainDefinition, ChainStatus, Step, Trigger } from '../contract';
import type { Rules } from '../rules/contract';

export interface ChainValues extends ChainDefinition {
  name: string;
  reentry: 'once' | 'again';
  status: ChainStatus;
  version: number;
}

export interface ChainRow extends ChainValues {
  id: string;
  project_id: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `c.id, c.project_id, c.name, c.trigger, c.reentry, c.status, c.version, c.created_at, c.updated_at,
  v.exit_on, v.steps`;
/** Their names, of what a subquery has selected. */
const NAMES = COLUMNS.replaceAll(/[cv]\./g, '');
const CHAINS = 'drip_chains c JOIN drip_versions v ON v.drip_id = c.id AND v.version = c.version';

/** The caller holds the project's lock, under which chains are counted. */
export async function insertChain(
  db: Db,
  projectId: string,
  id: string,
  values: ChainValues,
): Promise<ChainRow> {
  await change(
    db,
    'insert_drip_chain',
    `INSERT INTO drip_chains (id, project_id, name, trigger, reentry, status) VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, projectId, values.name, JSON.stringify(values.trigger), values.reentry, values.status],
  );
  await insertVersion(db, id, values);
  const inserted = await findChain(db, projectId, id);
  if (!inserted) throw new Error('the chain was not inserted');
  return inserted;
}

/** The caller holds the row's lock. */
export async function changeChain(
  db: Db,
  { id, project_id }: Pick<ChainRow, 'id' | 'project_id'>,
  values: ChainValues,
  isNewVersion: boolean,
): Promise<ChainRow> {
  await change(
    db,
    'change_drip_chain',
    `UPDATE drip_chains SET name = $2, trigger = $3, reentry = $4, status = $5, version = $6, updated_at = now()
     WHERE id = $1`,
    [id, values.name, JSON.stringify(values.trigger), values.reentry, values.status, values.version],
  );
  if (isNewVersion) await insertVersion(db, id, values);
  const changed = await findChain(db, project_id, id);
  if (!changed) throw new Error('the chain disappeared while it was locked');
  return changed;
}

function insertVersion(
  db: Db,
  id: string,
  { version, steps, exit_on }: Pick<ChainValues, 'version' | 'steps' | 'exit_on'>,
): Promise<number> {
  return change(
    db,
    'insert_drip_version',
    'INSERT INTO drip_versions (drip_id, version, steps, exit_on) VALUES ($1, $2, $3, $4)',
    [id, version, JSON.stringify(steps), exit_on === null ? null : JSON.stringify(exit_on)],
  );
}

/** Versions that no enrolment is kept of. The newest one stays, and one that enrolments move to. */
export function removeUnusedVersions(db: Db, id: string): Promise<number> {
  return change(
    db,
    'remove_unused_drip_versions',
    `DELETE FROM drip_versions v USING drip_chains c
     WHERE v.drip_id = $1 AND c.id = v.drip_id AND v.version <> c.version
       AND NOT EXISTS (SELECT 1 FROM drip_syncs s WHERE s.drip_id = v.drip_id AND s.migrate_version = v.version)
       AND NOT EXISTS (SELECT 1 FROM drip_enrolments e WHERE e.drip_id = v.drip_id AND e.version = v.version)`,
    [id],
  );
}

export function findChain(db: Db, projectId: string, id: string): Promise<ChainRow | null> {
  return row<ChainRow>(
    db,
    'find_drip_chain',
    `SELECT ${COLUMNS} FROM ${CHAINS} WHERE c.id = $2 AND c.project_id = $1 AND c.deleted_at IS NULL`,
    [projectId, id],
  );
}

/*
 * Locked first and then read: a statement that had to wait for the lock would join the new row of the chain with the
 * version that it had before, and find nothing.
 */

/** For a change: nothing is enrolled and no step is run meanwhile. */
export async function lockChain(db: Db, projectId: string, id: string): Promise<ChainRow | null> {
  await row(
    db,
    'lock_drip_chain',
    'SELECT id FROM drip_chains WHERE id = $2 AND project_id = $1 FOR UPDATE',
    [projectId, id],
  );
  return findChain(db, projectId, id);
}

/** For an enrolment or a step: the chain is not changed meanwhile. */
export async function shareChain(db: Db, projectId: string, id: string): Promise<ChainRow | null> {
  await row(
    db,
    'share_drip_chain',
    'SELECT id FROM drip_chains WHERE id = $2 AND project_id = $1 FOR SHARE',
    [projectId, id],
  );
  return findChain(db, projectId, id);
}

export interface ListedChains {
  /** One more than the limit if there is another page. */
  chains: (ChainRow & { cursor_at: string })[];
  /** Where the next page begins, of one that ends early. */
  cutAt: Cursor | null;
}

/** A chain can have 50 messages, so a page ends with the chain whose steps make it larger than `maxBytes`. */
export async function listChains(
  db: Db,
  projectId: string,
  { before, limit, maxBytes }: { before: Cursor | null; limit: number; maxBytes: number },
): Promise<ListedChains> {
  const found = await rows<ChainRow & { cursor_at: string; found: number }>(
    db,
    'list_drip_chains',
    `SELECT ${NAMES}, cursor_at, found FROM (
       SELECT ${NAMES}, cursor_at, count(*) OVER () AS found,
         sum(bytes) OVER (ORDER BY created_at DESC, id DESC) - bytes AS bytes_before
       FROM (
         SELECT ${COLUMNS}, v.steps_bytes AS bytes, ${cursorTime('c.created_at')} AS cursor_at FROM ${CHAINS}
         WHERE c.project_id = $1 AND c.deleted_at IS NULL
           AND (c.created_at, c.id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
         ORDER BY c.created_at DESC, c.id DESC LIMIT $4
       ) page
     ) sized WHERE bytes_before < $5 ORDER BY created_at DESC, id DESC`,
    [projectId, before?.at ?? null, before?.id ?? null, limit + 1, maxBytes],
  );
  const last = found.at(-1);
  const isCut = last !== undefined && found.length < last.found;
  return { chains: found, cutAt: isCut ? { at: last.cursor_at, id: last.id } : null };
}

/** They share the limit of scheduled entries. */
export async function countChains(db: Db, projectId: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_drip_chains',
    'SELECT count(*) AS count FROM drip_chains WHERE project_id = $1 AND deleted_at IS NULL',
    [projectId],
  );
  return counted?.count ?? 0;
}

/** The caller holds the row's lock. */
export function deleteChain(db: Db, id: string): Promise<number> {
  return change(
    db,
    'delete_drip_chain',
    `UPDATE drip_chains SET deleted_at = clock_timestamp(), updated_at = now() WHERE id = $1`,
    [id],
  );
}

export async function findVersion(db: Db, id: string, version: number): Promise<Step[] | null> {
  const found = await row<{ steps: Step[] }>(
    db,
    'find_drip_version',
    'SELECT steps FROM drip_versions WHERE drip_id = $1 AND version = $2',
    [id, version],
  );
  return found?.steps ?? null;
}

export interface OpenDefinitionRow {
  name: string;
  trigger: Trigger;
  steps: Step[];
  exit_on: Rules | null;
}

/** The newest version of each chain, and the earlier ones that active enrolments go by or are being moved to. */
export function findDefinitionsInUse(db: Db, projectId: string): Promise<OpenDefinitionRow[]> {
  return rows<OpenDefinitionRow>(
    db,
    'find_drip_definitions',
    `SELECT c.name, c.trigger, v.steps, v.exit_on
     FROM drip_chains c JOIN drip_versions v ON v.drip_id = c.id LEFT JOIN drip_syncs s ON s.drip_id = c.id
     WHERE c.project_id = $1 AND c.deleted_at IS NULL AND (v.version IN (c.version, s.migrate_version) OR EXISTS (
       SELECT 1 FROM drip_enrolments e WHERE e.drip_id = c.id AND e.version = v.version AND e.ended_at IS NULL))`,
    [projectId],
  );
}
