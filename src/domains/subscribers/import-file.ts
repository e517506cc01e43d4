import type pg from 'pg';
import { AppError } from '../../base/contract/errors';
import { KIB, limits } from '../../base/contract/limits';
import { inTurn } from '../../base/db/batches';
import { withoutCommitHook, withTransaction, type Db } from '../../base/db/pool';
import { SHARE_WAIT_MS } from '../../base/db/project-share';
import type { Work } from '../../base/http/idempotency';
import type { TextReader } from '../../base/http/json-body';
import { CsvError, CsvReader, type CsvRow } from '../../base/lib/csv';
import { createPauses } from '../../base/lib/pauses';
import { checkColumns } from './import-row';
import {
  completeImport,
  countOpenImports,
  findImport,
  insertImport,
  removeIncompleteImport,
  storeChunks,
  type Chunk,
} from './queries/imports';

/** Rows that are changed in one transaction. */
const CHUNK_ROWS = 100;
/** Characters that are encoded at once: a few milliseconds. */
const LENGTH_AT_ONCE = 256 * KIB;

/**
 * Stores a file, one part in each transaction; the agenda starts its workflow after the last one. The import's id is the work's
 * id. Parts that a crash leaves are not an import yet: the request with the same key completes them, or retention removes them.
 */
export async function acceptImport(
  pool: pg.Pool,
  projectId: string,
  { file, dryRun }: { file: ImportFile; dryRun: boolean },
  work: Work,
): Promise<{ import_id: string; rows: number }> {
  const earlier = work.resumed ? await findImport(pool, projectId, work.id) : null;
  if (earlier?.is_stored) return { import_id: earlier.id, rows: earlier.rows };
  const { columns, chunks, rows } = file;
  const begin = async (db: Db) => {
    if ((await countOpenImports(db, projectId)) >= limits.openImports) {
      throw new AppError('conflict', `A project can have up to ${limits.openImports} imports at a time.`);
    }
    await insertImport(db, { id: work.id, project_id: projectId, dry_run: dryRun, columns, rows });
  };
  const complete = async (db: Db) => {
    if (await completeImport(db, { id: work.id, project_id: projectId }, chunks.length)) return;
    const found = await findImport(db, projectId, work.id);
    if (!found?.is_stored) throw new Error('another request has taken over the import');
  };
  const [first = [], ...further] = atOnce(chunks);
  if (!earlier && further.length === 0) {
    await withTransaction(pool, async (db) => {
      await begin(db);
      await storeChunks(db, work.id, first);
      await complete(db);
    });
  } else {
    // The change that the audit log tells of is made by the last transaction.
    await withoutCommitHook(async () => {
      if (!earlier) await withTransaction(pool, begin);
      await storeInTurns(pool, projectId, work.id, [first, ...further]);
    });
    await withTransaction(pool, complete);
  }
  return { import_id: work.id, rows };
}

async function storeInTurns(pool: pg.Pool, projectId: string, id: string, groups: Chunk[][]): Promise<void> {
  try {
    for (const group of groups) {
      await inTurn(projectId, () => storeChunks(pool, id, group), { waitMs: SHARE_WAIT_MS });
    }
  } catch (error) {
    // A request without a key cannot complete it, and it would count as open for a while.
    await removeIncompleteImport(pool, id).catch(() => undefined);
    throw error;
  }
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
