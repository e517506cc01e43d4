import type { FailureReason } from '../events/contract';
import type { MessageRow } from './queries/messages';

/** The result of a message whose process died: whether it arrived is unknown, so it is not sent again. */
export function lostMessage({ status, media_message_id }: Pick<MessageRow, 'status' | 'media_message_id'>): {
  status: 'failed';
  reason: FailureReason;
  error: string;
} {
  return { status: 'failed', reason: 'unknown', error: whatHappened(status, media_message_id !== null) };
}

function whatHappened(status: MessageRow['status'], mediaArrived: boolean): string {
  if (status !== 'sending') return 'The service stopped before the message was sent.';
  return mediaArrived
    ? 'The service stopped between the media, which has arrived, and the text, which may have.'
    : 'The service stopped while the message was being sent; it may have arrived.';
}
