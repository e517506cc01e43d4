import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { change } from '../../db/query';
import { BATCH, inBatches } from './in-batches';

/** Deletes messages, ended broadcasts and button clicks past their retention. */
export async function removeOldMessages(db: Db, days: number): Promise<number> {
  const messages = await inBatches(() =>
    change(
      db,
      'remove_old_messages',
      `DELETE FROM messages WHERE id IN (
         SELECT id FROM messages WHERE created_at < now() - make_interval(days => $1)
           AND status IN ('sent', 'failed') LIMIT $2)`,
      [days, BATCH],
    ),
  );
  // Recipients first, in batches: a broadcast has up to 100,000 of them, which its deletion would cascade to.
  await inBatches(() =>
    change(
      db,
      'remove_old_recipients',
      `DELETE FROM broadcast_recipients WHERE id IN (
         SELECT r.id FROM broadcasts b JOIN broadcast_recipients r ON r.broadcast_id = b.id
         WHERE b.ended_at < now() - make_interval(days => $1) LIMIT $2)`,
      [days, BATCH],
    ),
  );
  const broadcasts = await change(
    db,
    'remove_old_broadcasts',
    `DELETE FROM broadcasts WHERE ended_at < now() - make_interval(days => $1)`,
    [days],
  );
  await change(
    db,
    'remove_old_clicks',
    `DELETE FROM button_clicks WHERE clicked_at < now() - make_interval(days => $1)`,
    [days],
  );
  return messages + broadcasts;
}

/** Deletes expired idempotency keys and one-time codes. */
export async function removeExpiredKeysAndCodes(db: Db): Promise<void> {
  await inBatches(() =>
    change(
      db,
      'remove_old_idempotency_keys',
      `DELETE FROM idempotency_keys WHERE (project_id, key) IN (
         SELECT project_id, key FROM idempotency_keys
         WHERE created_at < now() - interval '${limits.idempotencyHours} hours'
           AND (leased_until IS NULL OR leased_until < now()) LIMIT $1)`,
      [BATCH],
    ),
  );
  await inBatches(() =>
    change(
      db,
      'remove_old_otp_codes',
      `DELETE FROM otp_codes WHERE id IN (
         SELECT id FROM otp_codes WHERE created_at < now() - interval '1 day' LIMIT $1)`,
      [BATCH],
    ),
  );
}
