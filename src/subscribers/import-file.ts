import type pg from 'pg';
import { AppError } from '../contract/errors';
import { KIB, limits } from '../contract/limits';
import { allowBulk, withTransaction } from '../db/pool';
import type { Work } from '../http/idempotency';
import { CsvError, parseCsv, type CsvRow } from '../lib/csv';
import { createTurns } from '../lib/turns';
import { checkColumns } from './import-row';
import { countOpenImports, findImport, insertChunks, insertImport, type Chunk } from './queries/imports';

/** Rows that are changed in one transaction. */
const CHUNK_ROWS = 100;
/** Characters that are encoded at once: a few milliseconds. */
const LENGTH_AT_ONCE = 256 * KIB;

/** Stores a file. The relay starts its workflow after the commit. The import's id is the work's id. */
export async function acceptImport(
  pool: pg.Pool,
  projectId: string,
  { file, dryRun }: { file: string; dryRun: boolean },
  work: Work,
): Promise<{ import_id: string; rows: number }> {
  const earlier = work.resumed ? await findImport(pool, projectId, work.id) : null;
  if (earlier) return { import_id: earlier.id, rows: earlier.rows };
  const { columns, chunks, rows } = await readImportFile(file);
  await withTransaction(pool, async (db) => {
    if ((await countOpenImports(db, projectId)) >= limits.openImports) {
      throw new AppError('conflict', `A project can have up to ${limits.openImports} imports at a time.`);
    }
    await insertImport(db, { id: work.id, project_id: projectId, dry_run: dryRun, columns, rows });
    await allowBulk(db);
    for (const group of atOnce(chunks)) await insertChunks(db, work.id, group);
  });
  return { import_id: work.id, rows };
}

interface ImportFile {
  columns: string[];
  chunks: Chunk[];
  rows: number;
}

/** Other requests get their turn every few milliseconds: a large file takes a while. */
export async function readImportFile(file: string): Promise<ImportFile> {
  const lines = checked(file);
  const header = lines.next();
  if (header.done) throw new AppError('validation_failed', 'body: has no header row');
  const columns = header.value.cells.map((name) => name.trim());
  checkColumns(columns);
  const chunks: Chunk[] = [];
  let rows = 0;
  let pending: CsvRow[] = [];
  let pendingLength = 0;
  const finishChunk = () => {
    if (pending.length > 0) {
      chunks.push({ first_row: rows - pending.length + 1, rows: JSON.stringify(pending) });
    }
    pending = [];
    pendingLength = 0;
  };
  const turn = createTurns();
  for (const { row, cells } of lines) {
    rows += 1;
    if (rows > limits.importRows) {
      throw new AppError('validation_failed', `body: can have up to ${limits.importRows} rows`);
    }
    // One more cell than there are columns tells that the row is wrong.
    pending.push({ row, cells: cells.slice(0, columns.length + 1) });
    for (const cell of cells) pendingLength += cell.length;
    if (pending.length === CHUNK_ROWS || pendingLength > LENGTH_AT_ONCE) finishChunk();
    await turn();
  }
  finishChunk();
  return { columns, chunks, rows };
}

function* checked(file: string): Generator<CsvRow, undefined> {
  try {
    yield* parseCsv(file, { columns: limits.importColumns, bytes: limits.importRowBytes });
  } catch (error) {
    if (error instanceof CsvError) {
      throw new AppError('validation_failed', `body: is not valid CSV: ${error.message}`);
    }
    throw error;
  }
}

/** Chunks that one statement writes. */
function* atOnce(chunks: Chunk[]): Generator<Chunk[]> {
  let group: Chunk[] = [];
  let length = 0;
  for (const chunk of chunks) {
    group.push(chunk);
    length += chunk.rows.length;
    if (length < LENGTH_AT_ONCE) continue;
    yield group;
    group = [];
    length = 0;
  }
  if (group.length > 0) yield group;
}
