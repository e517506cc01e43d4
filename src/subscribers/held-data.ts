import { Readable } from 'node:stream';
import type pg from 'pg';
import { formatSubscriberId, type SubscriberIdFormat } from '../contract/ids';
import { withCancellation } from '../db/cancellable';
import { endedBy } from '../lib/ended-by';
import { isoTime } from '../lib/iso-time';
import { heldTables, publicIdsOf } from './personal-data';
import { readHeld, type HeldRow } from './queries/personal-data';
import type { SubscriberRecord } from './record';

/** Rows that are in memory at once. */
const PAGE_ROWS = 500;

/**
 * Everything that is held on a subscriber, as a JSON object with a list for each table, read page by page until `access`
 * aborts.
 */
export function heldData(
  pool: pg.Pool,
  subscriber: SubscriberRecord,
  format: SubscriberIdFormat,
  access: AbortSignal,
): Readable {
  return endedBy(access, Readable.from(jsonParts(pool, subscriber, format, access), { objectMode: false }));
}

async function* jsonParts(
  pool: pg.Pool,
  subscriber: SubscriberRecord,
  format: SubscriberIdFormat,
  access: AbortSignal,
): AsyncGenerator<string> {
  const person = { ...subscriber, public_ids: publicIdsOf(subscriber.id) };
  for (const [n, table] of heldTables().entries()) {
    yield `${n === 0 ? '{' : ',\n'}${JSON.stringify(table.as)}:${table.single ? '' : '['}`;
    let last: HeldRow | null = null;
    for (;;) {
      const page: HeldRow[] = await withCancellation(pool, access, (db) =>
        readHeld(db, table, person, last, PAGE_ROWS),
      );
      const shown = page.map(({ at: _, key: __, ...row }) =>
        JSON.stringify(presented(row, format), withIsoTimes),
      );
      yield (last && page.length > 0 ? ',' : '') + shown.join(',\n');
      last = page.at(-1) ?? last;
      if (page.length < PAGE_ROWS) break;
    }
    // The subscriber was removed a moment ago.
    if (table.single && !last) yield 'null';
    yield table.single ? '' : ']';
  }
  yield '}\n';
}

function presented(row: Record<string, unknown>, format: SubscriberIdFormat): Record<string, unknown> {
  const { subscriber_id: id } = row;
  return typeof id === 'string' ? { ...row, subscriber_id: formatSubscriberId(id, format) } : row;
}

/** `JSON.stringify` passes a Date as its text, so the value is taken from the object. */
function withIsoTimes(this: unknown, key: string, value: unknown): unknown {
  const given = (this as Record<string, unknown>)[key];
  return given instanceof Date ? isoTime(given) : value;
}
