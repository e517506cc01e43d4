import { MORE, reportNext, scheduleAt } from '../../../base/agenda';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { CsvRow } from '../../../base/lib/csv';
import type { ImportStatus } from '../contract';

export interface ImportRow {
  id: string;
  project_id: string;
  dry_run: boolean;
  columns: string[];
  status: ImportStatus;
  rows: number;
  updated: number;
  failed: number;
  errors: { row: number; code: string }[];
  next_row: number;
  created_at: Date;
  ended_at: Date | null;
  /** Whether the whole file is stored. */
  is_stored: boolean;
}

const COLUMNS =
  'id, project_id, dry_run, columns, status, rows, updated, failed, errors, next_row, created_at, ended_at, is_stored';

/** The kind of the agenda: it starts the workflow. */
export const IMPORT = 'importSubscribers';

/**
 * The number of the project's open imports, without those whose request died before the file was stored. No other import of the
 * project begins until the transaction has ended. The lock is advisory, because the project's row lock would delay logins.
 */
export async function countOpenImports(db: Db, projectId: string): Promise<number> {
  await rows(db, 'lock_imports', `SELECT pg_advisory_xact_lock(hashtextextended('import ' || $1, 0))`, [
    projectId,
  ]);
  const counted = await row<{ open: number }>(
    db,
    'count_open_imports',
    `SELECT count(*)::int AS open FROM imports WHERE project_id = $1 AND ended_at IS NULL
       AND (is_stored OR created_at > now() - interval '10 minutes')`,
    [projectId],
  );
  return counted?.open ?? 0;
}

/** Its workflow is not started before `completeImport`. */
export async function insertImport(
  db: Db,
  {
    id,
    project_id,
    dry_run,
    columns,
    rows: count,
  }: Pick<ImportRow, 'id' | 'project_id' | 'dry_run' | 'columns' | 'rows'>,
): Promise<void> {
  await change(
    db,
    'insert_import',
    `INSERT INTO imports (id, project_id, dry_run, columns, rows) VALUES ($1, $2, $3, $4, $5)`,
    [id, project_id, dry_run, columns, count],
  );
}

export interface Chunk {
  first_row: number;
  /** JSON: a list of rows, each with its cells and its place in the file. */
  rows: string;
}

export async function insertChunks(db: Db, importId: string, chunks: Chunk[]): Promise<void> {
  await change(
    db,
    'insert_import_chunks',
    `INSERT INTO import_chunks (import_id, first_row, rows)
     SELECT $1, first_row, rows::jsonb FROM unnest($2::int[], $3::text[]) AS given (first_row, rows)`,
    [importId, chunks.map(({ first_row }) => first_row), chunks.map(({ rows: cells }) => cells)],
  );
}

/** Stores a part of the file. Repeatable; it stores nothing once the import is complete, when chunks may have been taken. */
export async function storeChunks(db: Db, importId: string, chunks: Chunk[]): Promise<void> {
  await change(
    db,
    'store_import_chunks',
    `WITH incomplete AS MATERIALIZED (
       SELECT id FROM imports WHERE id = $1 AND ended_at IS NULL AND NOT is_stored FOR NO KEY UPDATE)
     INSERT INTO import_chunks (import_id, first_row, rows)
     SELECT id, first_row, rows::jsonb FROM incomplete, unnest($2::int[], $3::text[]) AS given (first_row, rows)
     ON CONFLICT DO NOTHING`,
    [importId, chunks.map(({ first_row }) => first_row), chunks.map(({ rows: cells }) => cells)],
  );
}

/** The agenda starts the workflow after this commits. Returns false unless every chunk is stored. Runs in a transaction. */
export async function completeImport(
  db: Db,
  { id, project_id }: Pick<ImportRow, 'id' | 'project_id'>,
  chunks: number,
): Promise<boolean> {
  const completed = await change(
    db,
    'complete_import',
    `UPDATE imports SET is_stored = true WHERE id = $1 AND ended_at IS NULL AND NOT is_stored
       AND (SELECT count(*) FROM import_chunks WHERE import_id = $1) = $2`,
    [id, chunks],
  );
  if (completed > 0) await scheduleAt(db, IMPORT, [{ id, project_id }]);
  return completed > 0;
}

/** Removes an import whose file is not stored whole. */
export function removeIncompleteImport(db: Db, id: string): Promise<number> {
  return change(
    db,
    'remove_incomplete_import',
    `DELETE FROM imports WHERE id = $1 AND ended_at IS NULL AND NOT is_stored`,
    [id],
  );
}

export function findImport(db: Db, projectId: string, id: string): Promise<ImportRow | null> {
  return row<ImportRow>(
    db,
    'find_import',
    `SELECT ${COLUMNS} FROM imports WHERE id = $2 AND project_id = $1`,
    [projectId, id],
  );
}

export function lockImport(db: Db, id: string): Promise<ImportRow | null> {
  return row<ImportRow>(db, 'lock_import', `SELECT ${COLUMNS} FROM imports WHERE id = $1 FOR NO KEY UPDATE`, [
    id,
  ]);
}

/** Removes the chunk from what is to do and returns its rows; null if there is none. */
export async function takeChunk(db: Db, importId: string, firstRow: number): Promise<CsvRow[] | null> {
  const taken = await row<{ rows: CsvRow[] }>(
    db,
    'take_import_chunk',
    'DELETE FROM import_chunks WHERE import_id = $1 AND first_row = $2 RETURNING rows',
    [importId, firstRow],
  );
  return taken?.rows ?? null;
}

/** Records the result of a chunk. The import's entry is due when no worker has recorded another chunk for two minutes. */
export async function recordChunk(
  db: Db,
  { id, project_id }: Pick<ImportRow, 'id' | 'project_id'>,
  { done, failed, errors }: { done: number; failed: number; errors: ImportRow['errors'] },
): Promise<void> {
  await change(
    db,
    'record_import_chunk',
    `UPDATE imports SET status = 'running', started_at = coalesce(started_at, clock_timestamp()),
       next_row = next_row + $2, updated = updated + $2 - $3, failed = failed + $3, errors = $4
     WHERE id = $1`,
    [id, done, failed, JSON.stringify(errors)],
  );
  await reportNext(db, IMPORT, { id, project_id }, MORE);
}

/** Ends an open import and removes its remaining rows. Returns null if it has ended before. Runs in a transaction. */
export async function endImport(
  db: Db,
  id: string,
  status: 'completed' | 'cancelled',
): Promise<ImportRow | null> {
  const ended = await row<ImportRow>(
    db,
    'end_import',
    `WITH ended AS (
       UPDATE imports SET status = $2, ended_at = clock_timestamp() WHERE id = $1 AND ended_at IS NULL
       RETURNING ${COLUMNS}),
     removed AS (DELETE FROM import_chunks WHERE import_id IN (SELECT id FROM ended))
     SELECT ${COLUMNS} FROM ended`,
    [id, status],
  );
  if (ended) await reportNext(db, IMPORT, ended, null);
  return ended;
}

/** Of any project. */
export function findAnyImport(db: Db, id: string): Promise<ImportRow | null> {
  return row<ImportRow>(db, 'find_any_import', `SELECT ${COLUMNS} FROM imports WHERE id = $1`, [id]);
}
