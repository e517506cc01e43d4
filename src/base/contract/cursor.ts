import { isUuid } from './ids';
import { AppError } from './errors';

/** A place in a list sorted by (time, id), newest first. Opaque to callers. */
export interface Cursor {
  /** UTC with microseconds, as `cursorTime` in db/ writes it: nothing is lost in the round trip. */
  at: string;
  id: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(`${cursor.at}|${cursor.id}`, 'utf8').toString('base64url');
}

export function decodeCursor(text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  const [at, id, ...rest] = Buffer.from(text, 'base64url').toString('utf8').split('|');
  if (at !== undefined && id !== undefined && rest.length === 0 && isUuid(id)) {
    if (TIME.test(at) && isDate(at)) return { at, id };
  }
  throw invalidCursor();
}

export function invalidCursor(): AppError {
  return new AppError(
    'validation_failed',
    'cursor: is not valid; use the next_cursor of an earlier response',
  );
}

/** `Date` takes the 31st of any month and the year 0, which PostgreSQL does not. */
function isDate(at: string): boolean {
  const date = new Date(at);
  return at >= '0001' && !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === at.slice(0, 19);
}

/**
 * Cuts a result of limit + 1 rows into a page; the extra row only tells that there is more. `scanEnd`: where the search for
 * rows has ended without having seen all; the next page goes on there.
 */
export function toPage<Row extends { cursor_at: string; id: string }, Item>(
  found: Row[],
  limit: number,
  present: (row: Row) => Item,
  scanEnd: Cursor | null = null,
): { data: Item[]; next_cursor: string | null } {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const more = found.length > limit && last !== undefined;
  return {
    data: shown.map(present),
    next_cursor: more ? encodeCursor({ at: last.cursor_at, id: last.id }) : scanEnd && encodeCursor(scanEnd),
  };
}
