import type pg from 'pg';
import { type OutgoingMessage, PlatformError, pauseChannel } from '../bots';
import type { FailureReason } from '../events/contract';
import { type SubscriberRecord, lockSubscriber, markBlocked } from '../subscribers';
import type { Core } from '../core';
import { emitEvent } from '../events';
import { beginMessage, recordMessage, type MessageResult } from './queries/messages';
import { withTransaction } from '../db/pool';
import { deliveryFailed, deliverySuccess } from './delivery-events';

export type DeliverDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'log'>;

/** Runs in the transaction that records the result, under the subscriber's lock. */
export type WithResult = (db: pg.PoolClient, result: MessageResult, at: Date) => Promise<void>;

/**
 * Sends one message whose row is there, and records what came of it, with its event, in one transaction. Null where
 * the row was not there to begin with, or somebody else has begun it: then nothing was sent by us.
 */
export async function deliver(
  deps: DeliverDeps,
  messageId: string,
  subscriber: SubscriberRecord,
  message: OutgoingMessage,
  withResult?: WithResult,
): Promise<MessageResult | null> {
  if (!(await beginMessage(deps.pool, messageId))) return null;
  const result = await call(deps, subscriber, message);
  await recordResult(deps, messageId, subscriber, result, withResult);
  return result;
}

async function call(
  deps: DeliverDeps,
  subscriber: SubscriberRecord,
  message: OutgoingMessage,
): Promise<MessageResult> {
  const { channel } = subscriber;
  const messenger = deps.messengers.get(channel);
  if (!messenger) return failure('platform_unavailable', `The bot of ${channel} is not connected.`);
  try {
    const { messageId } = await messenger.send(subscriber.chat_id, message);
    return { status: 'sent', platformMessageId: messageId };
  } catch (error) {
    if (!(error instanceof PlatformError)) {
      deps.log.error({ err: error, channel }, 'sending a message failed unexpectedly');
      return failure('unknown', 'Internal error.');
    }
    // Broadcasts on the same bot hold still, too.
    if (error.reason === 'rate_limited') await pauseChannel(deps.pool, channel, error.retryAfterMs ?? 1_000);
    return failure(error.reason, error.platformText);
  }
}

export function failure(reason: FailureReason, error: string): MessageResult {
  return { status: 'failed', reason, error };
}

/** A result is recorded once; who comes second changes nothing and emits nothing. */
export async function recordResult(
  { pool, config }: Pick<Core, 'pool' | 'config'>,
  messageId: string,
  subscriber: SubscriberRecord,
  result: MessageResult,
  withResult?: WithResult,
): Promise<void> {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const recipient = { ...subscriber, subscriber_id: subscriber.id };
  const endsSubscription = result.status === 'failed' && result.reason === 'user_blocked_bot';
  await withTransaction(pool, async (db) => {
    // Before the message's own row, like a removal of the subscriber does it.
    if (endsSubscription || withResult) await lockSubscriber(db, subscriber.project_id, subscriber.id);
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
    await withResult?.(db, result, at);
  });
}
