import type pg from 'pg';
import { type OutgoingMessage, PlatformError, pauseChannel, type SendProgress, trackProgress } from '../bots';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { emitEvent } from '../events';
import type { FailureReason } from '../events/contract';
import { type SubscriberRecord, lockSubscriber, markBlocked } from '../subscribers';
import { deliveryFailed, deliverySuccess } from './delivery-events';
import { claimMessage, recordMediaSent, recordMessage, type MessageResult } from './queries/messages';

export type DeliverDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'log'>;

/** Runs in the transaction that records the result, under the subscriber's lock. */
export type OnResult = (db: pg.PoolClient, result: MessageResult, at: Date) => Promise<void>;

/**
 * Sends one message and records its result and event in one transaction. Returns null, without sending, if the row does
 * not exist or another process has claimed it.
 */
export async function deliver(
  deps: DeliverDeps,
  messageId: string,
  subscriber: SubscriberRecord,
  message: OutgoingMessage,
  onResult?: OnResult,
): Promise<MessageResult | null> {
  if (!(await claimMessage(deps.pool, messageId))) return null;
  const progress = trackProgress(false, (id) =>
    // Only for the record of a crash: without it the text follows all the same.
    recordMediaSent(deps.pool, messageId, id).catch((err: unknown) =>
      deps.log.warn({ err }, 'the media of a message could not be recorded as sent'),
    ),
  );
  const result = await call(deps, subscriber, message, progress);
  await recordResult(deps, messageId, subscriber, result, onResult);
  return result;
}

async function call(
  deps: DeliverDeps,
  subscriber: SubscriberRecord,
  message: OutgoingMessage,
  progress: SendProgress,
): Promise<MessageResult> {
  const { channel } = subscriber;
  const messenger = deps.messengers.get(channel);
  if (!messenger) return failure('platform_unavailable', `The bot of ${channel} is not connected.`);
  try {
    const { messageId } = await messenger.send(subscriber.chat_id, message, { progress });
    return { status: 'sent', platformMessageId: messageId };
  } catch (error) {
    if (!(error instanceof PlatformError)) {
      deps.log.error({ err: error, channel }, 'sending a message failed unexpectedly');
      return failure('unknown', 'Internal error.');
    }
    // Throttle broadcasts of the same bot too.
    if (error.reason === 'rate_limited') await pauseChannel(deps.pool, channel, error.retryAfterMs ?? 1_000);
    return failure(error.reason, error.platformText);
  }
}

export function failure(reason: FailureReason, error: string): MessageResult {
  return { status: 'failed', reason, error };
}

/** Records a result once; a second call changes nothing and emits nothing. */
export async function recordResult(
  { pool, config }: Pick<Core, 'pool' | 'config'>,
  messageId: string,
  subscriber: SubscriberRecord,
  result: MessageResult,
  onResult?: OnResult,
): Promise<void> {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const recipient = { ...subscriber, subscriber_id: subscriber.id };
  const endsSubscription = result.status === 'failed' && result.reason === 'user_blocked_bot';
  await withTransaction(pool, async (db) => {
    // Lock order: the subscriber before its messages, as when a subscriber is removed.
    if (endsSubscription || onResult) await lockSubscriber(db, subscriber.project_id, subscriber.id);
    const at = await recordMessage(db, messageId, result);
    if (!at) return;
    if (result.status === 'sent') {
      await emitEvent(
        db,
        subscriber.project_id,
        'delivery.success',
        deliverySuccess(recipient, messageId, at, format),
      );
    } else {
      await emitEvent(
        db,
        subscriber.project_id,
        'delivery.failed',
        deliveryFailed(recipient, result, at, format),
      );
    }
    if (endsSubscription) await markBlocked(db, subscriber.channel, subscriber.platform_user_id, format);
    await onResult?.(db, result, at);
  });
}
