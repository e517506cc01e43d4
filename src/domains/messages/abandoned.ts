import type pg from 'pg';
import type { Config } from '../../base/config';
import type { Cursor } from '../../base/contract/cursor';
import { withTransaction, type Db } from '../../base/db/pool';
import { emitEvent } from '../events';
import { createRegistry } from '../../base/lib/registry';
import { deliveryFailed } from './delivery-events';
import { lostMessage } from './lost';
import { listOldMessages, lockUnfinishedMessages, recordMessage, type OldMessage } from './queries/messages';

/** Much longer than a request takes, and longer than a retry with the same Idempotency-Key would wait. */
const ABANDONED_AFTER_SECONDS = 15 * 60;
const BATCH = 100;

type FormatConfig = Pick<Config, 'HERALD_SUBSCRIBER_ID_FORMAT'>;

/** Finds the requests among these whose messages another domain will still send, however late. */
type FindResumable = (db: Db, requestIds: string[]) => Promise<string[]>;

export const resumableRequests = createRegistry<FindResumable>('resumableRequests');

async function resumableOf(db: Db, requestIds: string[]): Promise<Set<string>> {
  const found: string[] = [];
  for (const find of resumableRequests.entries()) found.push(...(await find(db, requestIds)));
  return new Set(found);
}

/** Fails messages whose process was killed, so that every message gets a result and its event. */
export async function failAbandonedMessages(pool: pg.Pool, config: FormatConfig): Promise<number> {
  let total = 0;
  let after: Cursor | null = null;
  for (;;) {
    const old: OldMessage[] = await listOldMessages(pool, ABANDONED_AFTER_SECONDS, after, BATCH);
    // Only the rest is locked: messages that will still be sent may be many, and wait for days.
    const resumable = await resumableOf(pool, [...new Set(old.map(({ request_id }) => request_id))]);
    const abandoned = old.filter(({ request_id }) => !resumable.has(request_id));
    if (abandoned.length > 0) {
      total += await failMessages(
        pool,
        config,
        abandoned.map(({ id }) => id),
      );
    }
    const last = old.at(-1);
    if (!last || old.length < BATCH) return total;
    after = { at: last.cursor_at, id: last.id };
  }
}

function failMessages(pool: pg.Pool, config: FormatConfig, ids: string[]): Promise<number> {
  return withTransaction(pool, async (db) => {
    const unfinished = await lockUnfinishedMessages(db, ids);
    for (const message of unfinished) {
      const failure = lostMessage(message);
      const recorded = await recordMessage(db, message.id, failure);
      if (!recorded) continue;
      const { HERALD_SUBSCRIBER_ID_FORMAT: format } = config;
      const data = deliveryFailed(message, failure, recorded.attemptedAt, format);
      await emitEvent(db, message.project_id, 'delivery.failed', data);
    }
    return unfinished.length;
  });
}
