import type { Channel } from '../../base/contract/common';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { ERASED_SUBSCRIBER_ID } from '../subscribers';
import type { BroadcastResult } from './contract';

/** As stored. */
export const recipientStatuses = ['queued', 'sending', 'sent', 'failed', 'skipped'] as const;
type RecipientStatus = (typeof recipientStatuses)[number];

/** A recipient whose call is in flight is `queued` to the caller. */
export function storedStatuses(status: BroadcastResult['status']): RecipientStatus[] {
  return status === 'queued' ? ['queued', 'sending'] : [status];
}

export interface ResultRow {
  id: string;
  subscriber_id: string;
  /** Empty for an entry of a batch without a subscriber. */
  channel: Channel | '';
  status: RecipientStatus;
}

/** What became of one recipient, without the reason. */
export function presentResult(
  { id, subscriber_id, channel, status }: ResultRow,
  format: SubscriberIdFormat,
): Omit<BroadcastResult, 'reason'> {
  const isKnown = subscriber_id !== ERASED_SUBSCRIBER_ID;
  return {
    subscriber_id: isKnown ? formatSubscriberId(subscriber_id, format) : null,
    channel: channel === '' ? null : channel,
    status: status === 'sending' ? 'queued' : status,
    delivery_id: channel === '' || status === 'skipped' ? null : id,
  };
}
