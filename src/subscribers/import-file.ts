import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import { allowBulk, withTransaction } from '../db/pool';
import type { Work } from '../http/idempotency';
import { CsvError, parseCsv } from '../lib/csv';
import { checkColumns } from './import-row';
import { countOpenImports, findImport, insertChunks, insertImport, type Chunk } from './queries/imports';

/** Rows that are changed in one transaction. */
const CHUNK_ROWS = 100;
/** Chunks that are written by one statement. */
const CHUNKS_AT_ONCE = 100;

/** Stores a file. The relay starts its workflow after the commit. The import's id is the work's id. */
export async function acceptImport(
  pool: pg.Pool,
  projectId: string,
  { file, dryRun }: { file: string; dryRun: boolean },
  work: Work,
): Promise<{ import_id: string; rows: number }> {
  const earlier = work.resumed ? await findImport(pool, projectId, work.id) : null;
  if (earlier) return { import_id: earlier.id, rows: earlier.rows };
  const { columns, chunks, rows } = await readFile(file);
  await withTransaction(pool, async (db) => {
    if ((await countOpenImports(db, projectId)) >= limits.openImports) {
      throw new AppError('conflict', `A project can have up to ${limits.openImports} imports at a time.`);
    }
    await insertImport(db, { id: work.id, project_id: projectId, dry_run: dryRun, columns, rows });
    await allowBulk(db);
    for (let n = 0; n < chunks.length; n += CHUNKS_AT_ONCE) {
      await insertChunks(db, work.id, chunks.slice(n, n + CHUNKS_AT_ONCE));
    }
  });
  return { import_id: work.id, rows };
}

interface ImportFile {
  columns: string[];
  chunks: Chunk[];
  rows: number;
}

/** Other requests get their turn between chunks: a large file takes a while. */
async function readFile(file: string): Promise<ImportFile> {
  const lines = checked(parseCsv(file));
  const header = lines.next();
  if (header.done) throw new AppError('validation_failed', 'body: has no header row');
  const columns = header.value.map((name) => name.trim());
  checkColumns(columns);
  const chunks: Chunk[] = [];
  let rows = 0;
  let pending: string[][] = [];
  const finishChunk = () => {
    if (pending.length > 0) {
      chunks.push({ first_row: rows - pending.length + 1, rows: JSON.stringify(pending) });
    }
    pending = [];
  };
  for (const cells of lines) {
    rows += 1;
    // One more cell than there are columns tells that the row is wrong.
    pending.push(cells.slice(0, columns.length + 1));
    if (pending.length < CHUNK_ROWS) continue;
    finishChunk();
    await nextTurn();
  }
  finishChunk();
  return { columns, chunks, rows };
}

function* checked(lines: Generator<string[]>): Generator<string[], undefined> {
  try {
    yield* lines;
  } catch (error) {
    if (error instanceof CsvError) {
      throw new AppError('validation_failed', `body: is not valid CSV: ${error.message}`);
    }
    throw error;
  }
}
