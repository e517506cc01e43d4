import type { Channel } from '../../../base/contract/common';
import type { MessengerOptions } from '../messenger';
import { createUploadRecords } from '../queries/uploads';
import { createMediaUploads, type MediaUploads, type UploadRecords } from './uploads';

/** Without a database nothing is found, and every upload is forgotten. */
const noRecords: UploadRecords = {
  find: () => Promise.resolve(null),
  record: () => Promise.resolve(),
  forget: () => Promise.resolve(false),
};

export function createBotUploads(
  { pool, allowLocalMedia = false, log }: MessengerOptions,
  channel: Channel,
  botId: number,
): MediaUploads {
  const records = pool ? createUploadRecords(pool, channel, String(botId)) : noRecords;
  return createMediaUploads(records, { allowLocal: allowLocalMedia }, (err) =>
    log?.warn({ err, channel }, 'an upload of media could not be recorded'),
  );
}
