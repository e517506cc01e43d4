import type pg from 'pg';
import type { z } from 'zod';
import { inReadTurn } from '../../base/db/batches';
import { withCancellation } from '../../base/db/cancellable';
import { SHARE_WAIT_MS } from '../../base/db/project-share';
import { csvLine } from '../../base/lib/csv';
import { createPauses } from '../../base/lib/pauses';
import type { ExportedRow, ReadPage, RowView } from './source';

/** Rows that are in memory at once. Those of subscribers with the longest properties take 50 KB each. */
const PAGE_ROWS = 500;

/** How rows are written. */
interface RowFormat {
  header: string;
  line(view: RowView): string;
}

export function csvRows({ shape }: z.ZodObject): RowFormat {
  const fields = Object.keys(shape);
  return {
    header: csvLine(fields),
    line: (view) => csvLine(fields.map((field) => cellText(view[field]))),
  };
}

/** An object in each line. */
export const jsonRows = ({ shape }: z.ZodObject): RowFormat => ({
  header: '',
  line: (view) =>
    `${JSON.stringify(Object.fromEntries(Object.keys(shape).map((field) => [field, view[field] ?? null])))}\n`,
});

interface Lines {
  projectId: string;
  format: RowFormat;
  readPage: ReadPage;
  signal: AbortSignal;
}

/** A page as it is written. */
interface Page {
  text: string;
  /** Undefined after the last page. */
  last: ExportedRow | undefined;
}

/**
 * The header and the lines of a list, page by page: no snapshot and no connection is held while a slow client reads.
 * Rows that are added meanwhile are newer than the first page, so they are not part of it. Throws `ShareExceeded` if other
 * exports and searches leave the first page no turn.
 */
export async function openLines(
  pool: pg.Pool,
  { projectId, format, readPage, signal }: Lines,
): Promise<AsyncGenerator<string>> {
  const pageAfter = (before: ExportedRow | undefined, waitMs?: number) =>
    inReadTurn(
      projectId,
      async (): Promise<Page> => {
        const read = await withCancellation(pool, signal, (db) =>
          readPage(db, before?.cursor ?? null, PAGE_ROWS),
        );
        return {
          text: await linesOf(read, format),
          last: read.length < PAGE_ROWS ? undefined : read.at(-1),
        };
      },
      waitMs === undefined ? {} : { waitMs },
    );
  // Before the response begins, so that a failure still has its status.
  const first = await pageAfter(undefined, SHARE_WAIT_MS);
  return (async function* () {
    if (format.header !== '') yield format.header;
    for (let page = first; ; page = await pageAfter(page.last)) {
      if (page.text !== '') yield page.text;
      if (!page.last) return;
    }
  })();
}

/** Long properties make a page of many megabytes: other work has its turn meanwhile. */
async function linesOf(rows: ExportedRow[], format: RowFormat): Promise<string> {
  const pause = createPauses();
  let text = '';
  for (const row of rows) {
    text += format.line(row.view());
    await pause();
  }
  return text;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join('|');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
