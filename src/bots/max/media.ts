import type { Api } from '@maxhub/max-bot-api';
import type { AttachmentRequest } from '@maxhub/max-bot-api/types';
import { limits } from '../../contract/limits';
import type { LocalPolicy } from '../../outbound/addresses';
import { fetchMedia } from '../fetch-media';
import type { OutgoingMessage } from '../messenger';

type Media = NonNullable<OutgoingMessage['media']>;

const UPLOAD_LIMIT_MS = 60_000;

/** MAX accepts a photo by URL; a video or a document must be uploaded first. */
export function createMaxMedia(api: Api, policy: LocalPolicy) {
  return async ({ type, url }: Media): Promise<AttachmentRequest> => {
    if (type === 'photo') return { type: 'image', payload: { url } };
    const source = await fetchMedia(url, limits.videoOrDocumentBytes, policy);
    const upload = { source, timeout: UPLOAD_LIMIT_MS };
    const attachment = type === 'video' ? await api.uploadVideo(upload) : await api.uploadFile(upload);
    return attachment.toJson() as AttachmentRequest;
  };
}
