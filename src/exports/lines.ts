import type pg from 'pg';
import type { z } from 'zod';
import { withCancellation } from '../db/cancellable';
import { csvLine } from '../lib/csv';
import type { ExportedRow, ReadPage } from './source';

/** Rows that are in memory at once. Those of subscribers with the longest properties take 50 KB each. */
const PAGE_ROWS = 500;

/** How rows are written. */
export interface RowFormat {
  header: string;
  line(view: ExportedRow['view']): string;
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

/**
 * The header and the lines of a list, page by page: no snapshot and no connection is held while a slow client reads.
 * Rows that are added meanwhile are newer than the first page, so they are not part of it.
 */
export async function openLines(
  pool: pg.Pool,
  { format, readPage, signal }: { format: RowFormat; readPage: ReadPage; signal: AbortSignal },
): Promise<AsyncGenerator<string>> {
  const pageAfter = (last: ExportedRow | undefined) =>
    withCancellation(pool, signal, (db) => readPage(db, last?.cursor ?? null, PAGE_ROWS));
  // Before the response begins, so that a failure still has its status.
  const first = await pageAfter(undefined);
  return (async function* () {
    if (format.header !== '') yield format.header;
    for (let page = first; page.length > 0; page = await pageAfter(page.at(-1))) {
      yield page.map(({ view }) => format.line(view)).join('');
      if (page.length < PAGE_ROWS) return;
    }
  })();
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join('|');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
