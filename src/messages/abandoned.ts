import type pg from 'pg';
import type { Config } from '../config';
import type { Cursor } from '../contract/cursor';
import type { SubscriberIdFormat } from '../contract/ids';
import { withTransaction, type Db } from '../db/pool';
import { emitEvent } from '../events';
import { createRegistry } from '../lib/registry';
import { deliveryFailed } from './delivery-events';
import { lostMessage } from './lost';
import { lockOldMessages, recordMessage } from './queries/messages';

/** Much longer than a request takes, and longer than a retry with the same Idempotency-Key would wait. */
const ABANDONED_AFTER_SECONDS = 15 * 60;
const BATCH = 100;

/** Finds the requests among these whose messages another domain will still send, however late. */
export type FindResumable = (db: Db, requestIds: string[]) => Promise<string[]>;

export const resumableRequests = createRegistry<FindResumable>('resumableRequests');

async function resumableOf(db: Db, requestIds: string[]): Promise<Set<string>> {
  const found: string[] = [];
  for (const find of resumableRequests.entries()) found.push(...(await find(db, requestIds)));
  return new Set(found);
}

/** Fails messages whose process was killed, so that every message gets a result and its event. */
export async function failAbandonedMessages(
  pool: pg.Pool,
  config: Pick<Config, 'HERALD_SUBSCRIBER_ID_FORMAT'>,
): Promise<number> {
  let total = 0;
  let after: Cursor | null = null;
  do {
    const batch = await failBatch(pool, after, config.HERALD_SUBSCRIBER_ID_FORMAT);
    total += batch.failed;
    after = batch.last;
  } while (after);
  return total;
}

/** Returns the last message, from which the next batch goes on; null if there is none. */
function failBatch(
  pool: pg.Pool,
  after: Cursor | null,
  format: SubscriberIdFormat,
): Promise<{ failed: number; last: Cursor | null }> {
  return withTransaction(pool, async (db) => {
    const old = await lockOldMessages(db, ABANDONED_AFTER_SECONDS, after, BATCH);
    const resumable = await resumableOf(db, [...new Set(old.map(({ request_id }) => request_id))]);
    const abandoned = old.filter(({ request_id }) => !resumable.has(request_id));
    for (const message of abandoned) {
      const failure = lostMessage(message);
      const recorded = await recordMessage(db, message.id, failure);
      if (!recorded) continue;
      const data = deliveryFailed(message, failure, recorded.attemptedAt, format);
      await emitEvent(db, message.project_id, 'delivery.failed', data);
    }
    const last = old.length < BATCH ? undefined : old.at(-1);
    return { failed: abandoned.length, last: last ? { at: last.cursor_at, id: last.id } : null };
  });
}
