import type { Db } from '../../db/pool';
import { change } from '../../db/query';
import { BATCH, inBatches } from './in-batches';

/** Long enough for most broadcasts; media that is sent after that is uploaded once more. */
const DAYS = 7;

/** Deletes references to uploaded media. */
export function removeOldMediaUploads(db: Db): Promise<number> {
  return inBatches(() =>
    change(
      db,
      'remove_old_media_uploads',
      `DELETE FROM media_uploads WHERE (channel, bot_id, content_key) IN (
         SELECT channel, bot_id, content_key FROM media_uploads
         WHERE created_at < now() - make_interval(days => $1) LIMIT $2)`,
      [DAYS, BATCH],
    ),
  );
}
