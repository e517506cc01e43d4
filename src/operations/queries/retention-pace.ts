import type { Db } from '../../db/pool';
import { BATCH, repeatedDelete, type NextBatch } from './removal';

/** Deletes the pace of chats that have long been free. */
export function removeFreeChats(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_free_chats',
    `DELETE FROM chat_pace WHERE chat = ANY (ARRAY(
       SELECT chat FROM chat_pace WHERE next_at < now() - interval '1 minute'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
}

/** Deletes the turns of processes that died while they waited. */
export function removeDeadTurns(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_dead_turns',
    `DELETE FROM bot_turns WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM bot_turns WHERE waiting_until < now() - interval '1 minute'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
}
