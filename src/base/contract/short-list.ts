import { z } from 'zod';
import { invalidCursor } from './cursor';
import { limits } from './limits';

/** The query of a list that is read whole, because a project has few of its items. Without `limit` all are returned. */
export const shortListQuery = z.strictObject({
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(limits.pageSize.max).optional(),
});

/**
 * Cuts a page out of a whole list. The cursor has the key of the page's last item, and its place for the case that the
 * item is removed before the next page is read.
 */
export function shortPage<Item, View>(
  items: readonly Item[],
  { cursor, limit = items.length }: z.output<typeof shortListQuery>,
  keyOf: (item: Item) => string,
  present: (item: Item) => View,
): { data: View[]; next_cursor: string | null } {
  const start = cursor === undefined ? 0 : startAfter(items.map(keyOf), cursor);
  const shown = items.slice(start, start + limit);
  const [last, end] = [shown.at(-1), start + shown.length];
  const more = last !== undefined && end < items.length;
  return {
    data: shown.map(present),
    next_cursor: more ? Buffer.from(`${end}|${keyOf(last)}`, 'utf8').toString('base64url') : null,
  };
}

function startAfter(keys: string[], cursor: string): number {
  const [, end, key] = /^(\d{1,9})\|(.*)$/s.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (end === undefined || key === undefined) throw invalidCursor();
  const place = keys.indexOf(key);
  return place >= 0 ? place + 1 : Math.max(0, Number(end) - 1);
}
