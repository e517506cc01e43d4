import type pg from 'pg';
import type { Config } from '../config';
import { emitEvent } from '../events';
import { lockAbandonedMessages, recordMessage } from './queries/messages';
import { withTransaction } from '../db/pool';
import { deliveryFailed } from './delivery-events';

/** Far longer than any request lives, and than its Idempotency-Key would wait to be taken up again. */
const ABANDONED_AFTER_SECONDS = 15 * 60;
const BATCH = 100;

/** Every message gets its result and its event, also one whose process was killed and whose caller never came back. */
export async function settleAbandonedMessages(
  pool: pg.Pool,
  config: Pick<Config, 'HERALD_SUBSCRIBER_ID_FORMAT'>,
): Promise<number> {
  let settled = 0;
  for (;;) {
    const some = await withTransaction(pool, async (db) => {
      const abandoned = await lockAbandonedMessages(db, ABANDONED_AFTER_SECONDS, BATCH);
      for (const message of abandoned) {
        const error =
          message.status === 'sending'
            ? 'The service stopped while the message was being sent; it may have arrived.'
            : 'The service stopped before the message was sent.';
        const failure = { status: 'failed', reason: 'unknown', error } as const;
        const at = await recordMessage(db, message.id, failure);
        const data = deliveryFailed(message, failure, at ?? new Date(), config.HERALD_SUBSCRIBER_ID_FORMAT);
        await emitEvent(db, message.project_id, 'delivery.failed', data);
      }
      return abandoned.length;
    });
    settled += some;
    if (some < BATCH) return settled;
  }
}
