import { Readable } from 'node:stream';
import type pg from 'pg';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { inReadTurn } from '../../base/db/batches';
import { withCancellation } from '../../base/db/cancellable';
import { endedBy } from '../../base/lib/ended-by';
import { withIsoTimes } from '../../base/lib/iso-time';
import { createPauses } from '../../base/lib/pauses';
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
      const before: HeldRow | null = last;
      const { page, shown }: Shown = await inReadTurn(person.project_id, async () => {
        const read: HeldRow[] = await withCancellation(pool, access, (db) =>
          readHeld(db, table, person, before, PAGE_ROWS),
        );
        return { page: read, shown: await jsonOf(read, format) };
      });
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

interface Shown {
  page: HeldRow[];
  /** As JSON. */
  shown: string[];
}

async function jsonOf(page: HeldRow[], format: SubscriberIdFormat): Promise<string[]> {
  const pause = createPauses();
  const shown: string[] = [];
  for (const { at: _, key: __, ...row } of page) {
    shown.push(JSON.stringify(presented(row, format), withIsoTimes));
    await pause();
  }
  return shown;
}

function presented(row: Record<string, unknown>, format: SubscriberIdFormat): Record<string, unknown> {
  const { subscriber_id: id } = row;
  return typeof id === 'string' ? { ...row, subscriber_id: formatSubscriberId(id, format) } : row;
}
