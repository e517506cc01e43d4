import type { SubscriberRecord } from '../subscribers';
import type { SendDetail, SkipReason } from './contract';

/** The result of a message as scheduled messages and chains count it. */
export interface SendResult {
  status: 'sent' | 'failed' | 'skipped';
  reason: string | null;
  deliveryId: string | null;
}

/** What the messenger would say of a block that is known. */
export const BLOCKED = 'The user has blocked the bot.';

/**
 * Why no message is sent to a subscriber; null if one is. A subscriber who blocked the bot is not skipped: that is a
 * failure with a reason of the specification.
 */
export function skipReasonOf(
  subscriber: Pick<SubscriberRecord, 'active' | 'blocked' | 'permissions'>,
  permission: string | undefined,
): SkipReason | null {
  if (!subscriber.active && !subscriber.blocked) return 'unsubscribed';
  if (permission !== undefined && !subscriber.permissions.includes(permission)) return 'permission_missing';
  return null;
}

export function sendResultOf({ status, reason, delivery_id: deliveryId }: SendDetail): SendResult {
  return { status, reason: reason ?? null, deliveryId };
}

/** Of something for which there is no message. */
export function notSent(status: 'failed' | 'skipped', reason: string): SendResult {
  return { status, reason, deliveryId: null };
}
