import type { Db } from '../../db/pool';
import { change } from '../../db/query';
import { BATCH, inBatches } from './in-batches';

/** Deletes the pace of chats that are free again, and the turns of processes that died. */
export async function removeOldPace(db: Db): Promise<void> {
  await inBatches(() =>
    change(
      db,
      'remove_old_chat_pace',
      `DELETE FROM chat_pace WHERE chat IN (
         SELECT chat FROM chat_pace WHERE next_at < now() - interval '1 minute' LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [BATCH],
    ),
  );
  await change(
    db,
    'remove_old_turns',
    `DELETE FROM bot_turns WHERE waiting_until < now() - interval '1 minute'`,
  );
}
