import type { LocalPolicy } from '../../../base/outbound/addresses';
import type { MediaType, OutgoingMedia } from '../messenger';
import { uploadSlots } from './slots';
import { type MediaSource, MediaSourceError, withMediaSource } from './source';

/** Media that a platform holds: Telegram's file_id, MAX's token. Valid for the bot that uploaded it. */
export interface MediaReference {
  id: string;
  /** As what the platform holds it; a large photo is a document. */
  type: MediaType;
}

/** The references of one bot. */
export interface UploadRecords {
  find(key: string): Promise<MediaReference | null>;
  record(key: string, reference: MediaReference): Promise<void>;
  /** Returns false if the reference is too new to have expired: the platform refused it for another reason. */
  forget(key: string, id: string): Promise<boolean>;
}

/** How a platform sends uploaded media. `T` is what a send returns. */
interface UploadSteps<T> {
  send(reference: MediaReference): Promise<T>;
  /** `sent` if the upload was a message itself. */
  upload(source: MediaSource, signal: AbortSignal): Promise<Uploaded<T>>;
  /** Whether the platform no longer accepts a reference. */
  isRefusedReference(error: unknown): boolean;
}

export interface Uploaded<T> {
  /** Null if the platform did not return one. */
  reference: MediaReference | null;
  sent?: T;
}

export interface MediaUploads {
  send<T>(media: OutgoingMedia, steps: UploadSteps<T>): Promise<T>;
  isRecorded(media: OutgoingMedia): Promise<boolean>;
}

const UPLOAD_LIMIT_MS = 60_000;
/** While media cannot be fetched, its recipients fail at once instead of each waiting for the server. */
const FAILURE_MS = 30_000;

/**
 * Uploads media once and sends it by its reference from then on. Concurrent sends of the same media wait for the first
 * one. Two processes may each upload it once; the first to record its reference wins.
 */
export function createMediaUploads(
  records: UploadRecords,
  policy: LocalPolicy,
  onError: (error: unknown) => void,
): MediaUploads {
  const running = new Map<string, Promise<MediaReference | null>>();
  const failures = new Map<string, { error: MediaSourceError; until: number }>();

  function upload<T>(media: OutgoingMedia, steps: UploadSteps<T>): Promise<Uploaded<T>> {
    return uploadSlots.run(media.owner ?? '', () => {
      const signal = AbortSignal.timeout(UPLOAD_LIMIT_MS);
      return withMediaSource(media, policy, signal, (source) => steps.upload(source, signal));
    });
  }

  async function uploadAndRecord<T>(
    key: string,
    media: OutgoingMedia,
    steps: UploadSteps<T>,
  ): Promise<Uploaded<T>> {
    const found = await records.find(key);
    if (found) return { reference: found };
    const failed = failures.get(key);
    if (failed && failed.until > performance.now()) throw failed.error;
    try {
      const uploaded = await upload(media, steps);
      // The message may have been sent, so a failure to record only costs another upload.
      if (uploaded.reference) await records.record(key, uploaded.reference).catch(onError);
      return uploaded;
    } catch (error) {
      if (error instanceof MediaSourceError) rememberFailure(key, error);
      throw error;
    }
  }

  function rememberFailure(key: string, error: MediaSourceError): void {
    const now = performance.now();
    for (const [each, { until }] of failures) if (until <= now) failures.delete(each);
    failures.set(key, { error, until: now + FAILURE_MS });
  }

  /** Finds or uploads the media; senders that come meanwhile get its reference. */
  async function obtain<T>(key: string, media: OutgoingMedia, steps: UploadSteps<T>): Promise<Uploaded<T>> {
    for (let other = running.get(key); other; other = running.get(key)) {
      const reference = await other.catch((error: unknown) => {
        // Another failure may be that of the first recipient: try with this one.
        if (error instanceof MediaSourceError) throw error;
        return null;
      });
      if (reference) return { reference };
    }
    const mine = uploadAndRecord(key, media, steps);
    const reference = mine.then((uploaded) => uploaded.reference);
    running.set(key, reference);
    const done = () => running.delete(key);
    reference.then(done, done);
    return mine;
  }

  async function sendObtained<T>(uploaded: Uploaded<T>, steps: UploadSteps<T>): Promise<T> {
    if (uploaded.sent !== undefined) return uploaded.sent;
    if (uploaded.reference) return steps.send(uploaded.reference);
    throw new Error('the platform returned no reference for an upload');
  }

  return {
    async send(media, steps) {
      const { key } = media;
      if (key === undefined) return sendObtained(await upload(media, steps), steps);
      for (;;) {
        const uploaded = await obtain(key, media, steps);
        try {
          return await sendObtained(uploaded, steps);
        } catch (error) {
          if (!uploaded.reference || !steps.isRefusedReference(error)) throw error;
          if (!(await records.forget(key, uploaded.reference.id))) throw error;
        }
      }
    },

    async isRecorded({ key }) {
      return key !== undefined && (await records.find(key)) !== null;
    },
  };
}
