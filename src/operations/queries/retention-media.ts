import type { Db } from '../../db/pool';
import { BATCH, repeatedDelete, type NextBatch } from './removal';

/** Media that is sent after that is uploaded once more. */
export const MEDIA_UPLOAD_DAYS = 7;

/** References to uploaded media. */
export function removeOldMediaUploads(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_media_uploads',
    `DELETE FROM media_uploads WHERE (channel, bot_id, content_key) IN (
       SELECT channel, bot_id, content_key FROM media_uploads WHERE created_at < now() - make_interval(days => $1)
       ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [MEDIA_UPLOAD_DAYS],
  );
}
