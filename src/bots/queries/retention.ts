import type { Db } from '../../db/pool';
import {
  BATCH,
  removeWalking,
  repeated,
  repeatedDelete,
  type NextBatch,
  type Retention,
} from '../../db/retention';
import { pruneBotUpdates } from './updates';

/** Media that is sent after that is uploaded once more. */
const MEDIA_UPLOAD_DAYS = 7;

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  media_uploads: { after: `${MEDIA_UPLOAD_DAYS} days`, remove: removeOldMediaUploads },
  bot_updates: {
    after: '48 hours, or 30 days if it was set aside',
    remove: (db) => repeated(() => pruneBotUpdates(db, BATCH)),
  },
  chat_pace: { after: '1 minute after the chat is free', remove: removeOldChatPace },
  bot_turns: { after: '1 minute after the wait', remove: removeOldTurns },
  project_bots: { bounded: 'A project has at most one bot in each channel.' },
  bot_offsets: { bounded: 'One row for each bot, deleted with an own bot.' },
  bot_webhooks: { bounded: 'One row for each bot, deleted with an own bot.' },
  bot_pace: { bounded: 'One row for each bot, deleted with an own bot.' },
};

/** References to uploaded media. */
function removeOldMediaUploads(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_media_uploads',
    `DELETE FROM media_uploads WHERE (channel, bot_id, content_key) IN (
       SELECT channel, bot_id, content_key FROM media_uploads WHERE created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [MEDIA_UPLOAD_DAYS],
  );
}

/** The pace of chats that are free again. */
function removeOldChatPace(db: Db): NextBatch {
  return removeWalking(db, {
    table: 'chat_pace',
    key: 'chat',
    type: 'bigint',
    where: "t.next_at < now() - interval '1 minute'",
  });
}

/** The turns of processes that died. */
function removeOldTurns(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_turns',
    `DELETE FROM bot_turns WHERE (bot, urgent, project_id) IN (
       SELECT bot, urgent, project_id FROM bot_turns WHERE waiting_until < now() - interval '1 minute'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
