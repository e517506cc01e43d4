import type { Channel } from '../../../base/contract/common';
import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';
import type { MediaReference, UploadRecords } from '../media/uploads';

/** A younger reference has not expired. Bounds how often media is uploaded again to a platform that keeps refusing it. */
const YOUNGEST_EXPIRED = '1 hour';

/** The uploads of one bot: a reference works only for the bot that uploaded the media. */
export function createUploadRecords(db: Db, channel: Channel, botId: string): UploadRecords {
  return {
    find: (key) =>
      row<MediaReference & { id: string }>(
        db,
        'find_media_upload',
        `SELECT reference AS id, type FROM media_uploads WHERE channel = $1 AND bot_id = $2 AND content_key = $3`,
        [channel, botId, key],
      ),

    async record(key, { id, type }) {
      await change(
        db,
        'record_media_upload',
        `INSERT INTO media_uploads (channel, bot_id, content_key, reference, type) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING`,
        [channel, botId, key, id, type],
      );
    },

    async forget(key, id) {
      await change(
        db,
        'forget_media_upload',
        `DELETE FROM media_uploads WHERE channel = $1 AND bot_id = $2 AND content_key = $3 AND reference = $4
           AND created_at < now() - interval '${YOUNGEST_EXPIRED}'`,
        [channel, botId, key, id],
      );
      // Also true if another process has uploaded the media again.
      return (await this.find(key))?.id !== id;
    },
  };
}
