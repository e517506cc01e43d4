import type { SendProgress } from './messenger';

/** The progress of one message, for as many sends as it takes. `record` commits before the text follows its media. */
export function trackProgress(
  mediaSent: boolean,
  record: (messageId: string) => Promise<void>,
): SendProgress {
  const progress: SendProgress = {
    mediaSent,
    recordMedia(messageId) {
      progress.mediaSent = true;
      return record(messageId);
    },
  };
  return progress;
}
