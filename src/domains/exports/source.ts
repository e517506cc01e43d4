import type { z } from 'zod';
import type { Cursor } from '../../base/contract/cursor';
import type { ErrorCode } from '../../base/contract/errors';
import type { Db } from '../../base/db/pool';

/** A row of a list, with its place in the list. */
export interface ExportedRow {
  cursor: Cursor;
  /** The row as the API shows it. */
  view(): RowView;
}

export type RowView = Record<string, unknown>;

/** A page of a list after `before`, newest first. */
export type ReadPage = (db: Db, before: Cursor | null, limit: number) => Promise<ExportedRow[]>;

/** A list that can be exported. */
export interface ExportSource<Query extends z.ZodType = z.ZodType> {
  /** The last part of the path. */
  kind: string;
  summary: string;
  tag: string;
  /** The filters of the list. */
  query: Query;
  /** A row as the list shows it; its fields are the columns, in their order. */
  row: z.ZodObject;
  errors: ErrorCode[];
  /** Checks the filters, and throws as the list would. */
  open(db: Db, projectId: string, filter: z.output<Query>): Promise<ReadPage>;
}

/** For sources whose list returns rows with `cursor_at` and `id`, one more than the limit. */
export function exportedRows<Row extends { cursor_at: string; id: string }>(
  found: Row[],
  limit: number,
  present: (row: Row) => RowView,
): ExportedRow[] {
  return found
    .slice(0, limit)
    .map((row) => ({ cursor: { at: row.cursor_at, id: row.id }, view: () => present(row) }));
}
