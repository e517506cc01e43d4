import { isRetryableReason, unsubscribes } from '../bots';
import type { Channel } from '../../base/contract/common';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import type { EventData, FailureReason } from '../events/contract';
import { isoTime } from '../../base/lib/iso-time';

/** The recipient of a message, as events name it. */
interface Recipient {
  subscriber_id: string;
  channel: Channel;
  external_id: string | null;
}

export function recipientFields(recipient: Recipient, format: SubscriberIdFormat) {
  return {
    subscriber_id: formatSubscriberId(recipient.subscriber_id, format),
    channel: recipient.channel,
    external_id: recipient.external_id,
  };
}

export function deliverySuccess(
  recipient: Recipient,
  messageId: string,
  at: Date,
  format: SubscriberIdFormat,
): EventData<'delivery.success'> {
  return { ...recipientFields(recipient, format), delivery_id: messageId, delivered_at: isoTime(at) };
}

export function deliveryFailed(
  recipient: Recipient,
  failure: { reason: FailureReason; error: string },
  at: Date,
  format: SubscriberIdFormat,
): EventData<'delivery.failed'> {
  return {
    ...recipientFields(recipient, format),
    reason: failure.reason,
    retryable: isRetryableReason(failure.reason),
    should_unsubscribe: unsubscribes(failure.reason),
    error: failure.error,
    attempted_at: isoTime(at),
  };
}
