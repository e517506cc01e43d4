import type pg from 'pg';
import { AppError } from '../contract/errors';
import { KIB, limits } from '../contract/limits';
import { allowBulk, withTransaction } from '../db/pool';
import type { Work } from '../http/idempotency';
import type { TextReader } from '../http/json-body';
import { CsvError, CsvReader, type CsvRow } from '../lib/csv';
import { createPauses } from '../lib/pauses';
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
  { file, dryRun }: { file: ImportFile; dryRun: boolean },
  work: Work,
): Promise<{ import_id: string; rows: number }> {
  const earlier = work.resumed ? await findImport(pool, projectId, work.id) : null;
  if (earlier) return { import_id: earlier.id, rows: earlier.rows };
  const { columns, chunks, rows } = file;
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

export interface ImportFile {
  columns: string[];
  chunks: Chunk[];
  rows: number;
}

/** Reads a file while it arrives. Other requests get their turn every few milliseconds: a large file takes a while. */
export function createImportReader(): TextReader<ImportFile> {
  const csv = new CsvReader({ columns: limits.importColumns, bytes: limits.importRowBytes });
  const pause = createPauses();
  let columns: string[] | null = null;
  const chunks: Chunk[] = [];
  let rows = 0;
  let pending: CsvRow[] = [];
  let pendingLength = 0;

  function finishChunk(): void {
    if (pending.length > 0) {
      chunks.push({ first_row: rows - pending.length + 1, rows: JSON.stringify(pending) });
    }
    pending = [];
    pendingLength = 0;
  }

  function take({ row, cells }: CsvRow): void {
    if (columns === null) {
      columns = cells.map((name) => name.trim());
      checkColumns(columns);
      return;
    }
    rows += 1;
    if (rows > limits.importRows) {
      throw new AppError('validation_failed', `body: can have up to ${limits.importRows} rows`);
    }
    // One more cell than there are columns tells that the row is wrong.
    pending.push({ row, cells: cells.slice(0, columns.length + 1) });
    for (const cell of cells) pendingLength += cell.length;
    if (pending.length === CHUNK_ROWS || pendingLength > LENGTH_AT_ONCE) finishChunk();
  }

  async function takeAll(found: Iterable<CsvRow>): Promise<void> {
    try {
      for (const row of found) {
        take(row);
        await pause();
      }
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      throw new AppError('validation_failed', `body: is not valid CSV: ${error.message}`);
    }
  }

  return {
    read: (part) => takeAll(csv.read(part)),
    async end() {
      await takeAll(csv.end());
      if (columns === null) throw new AppError('validation_failed', 'body: has no header row');
      finishChunk();
      return { columns, chunks, rows };
    },
  };
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
