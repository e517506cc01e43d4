import type pg from 'pg';
import type { Config } from '../config';
import { withTransaction } from '../db/pool';
import { emitEvent } from '../events';
import { deliveryFailed } from './delivery-events';
import { lostMessage } from './lost';
import { lockAbandonedMessages, recordMessage } from './queries/messages';

/** Much longer than a request takes, and longer than a retry with the same Idempotency-Key would wait. */
const ABANDONED_AFTER_SECONDS = 15 * 60;
const BATCH = 100;

/** Fails messages whose process was killed, so that every message gets a result and its event. */
export async function failAbandonedMessages(
  pool: pg.Pool,
  config: Pick<Config, 'HERALD_SUBSCRIBER_ID_FORMAT'>,
): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await withTransaction(pool, async (db) => {
      const abandoned = await lockAbandonedMessages(db, ABANDONED_AFTER_SECONDS, BATCH);
      for (const message of abandoned) {
        const failure = lostMessage(message);
        const recorded = await recordMessage(db, message.id, failure);
        if (!recorded) continue;
        const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
        const data = deliveryFailed(message, failure, recorded.attemptedAt, format);
        await emitEvent(db, message.project_id, 'delivery.failed', data);
      }
      return abandoned.length;
    });
    total += count;
    if (count < BATCH) return total;
  }
}
