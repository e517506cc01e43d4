import type pg from 'pg';
import {
  type Messenger,
  type OutgoingMessage,
  PlatformError,
  type SendProgress,
  platformOf,
  recordThrottled,
  trackProgress,
} from '../bots';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { outsideProject } from '../../base/db/project-share';
import { emitEvent } from '../events';
import type { FailureReason } from '../events/contract';
import { projectMaySend } from '../projects';
import { type SubscriberRecord, lockSubscriber, markBlocked } from '../subscribers';
import { deliveryFailed, deliverySuccess } from './delivery-events';
import {
  claimMessage,
  recordMediaSent,
  recordMessage,
  unclaimMessage,
  type MessageResult,
} from './queries/messages';

export type DeliverDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log'>;

/** Runs in the transaction that records the result, under the subscriber's lock. */
export type OnResult = (db: pg.PoolClient, result: MessageResult, at: Date) => Promise<void>;

/**
 * Sends one message when its turn comes, and records its result and event in one transaction. Returns null, without
 * sending, if the row does not exist, another process has claimed it, or it may no longer be sent. Throws `project_inactive`,
 * and leaves the message queued, if its project is inactive.
 */
export async function deliver(
  deps: DeliverDeps,
  messageId: string,
  subscriber: SubscriberRecord,
  message: OutgoingMessage,
  {
    onResult,
    mayStillSend,
    isPatient = false,
  }: {
    onResult?: OnResult;
    mayStillSend?: MayStillSend | undefined;
    /**
     * Throws `platform_busy`, and leaves the message queued, where no turn is free or the platform certainly did not take
     * it.
     */
    isPatient?: boolean;
  } = {},
): Promise<MessageResult | null> {
  const deadline = performance.now() + limits.sendWaitSeconds * 1000;
  const messenger = await deps.messengers.reaching(subscriber);
  // Before the claim: a message that waits is not yet being sent if the process dies.
  const hasTurn =
    messenger !== null &&
    (await waitForTurn(
      deps,
      messenger,
      subscriber,
      platformOf(subscriber.channel).callsOf(message),
      deadline,
    ));
  if (isPatient && !hasTurn) throw new AppError('platform_busy');
  const progress = trackProgress(false, (id) =>
    // Only for the record of a crash: without it the text follows all the same.
    recordMediaSent(deps.pool, messageId, id).catch((err: unknown) =>
      deps.log.warn({ err }, 'the media of a message could not be recorded as sent'),
    ),
  );
  if (!(await claim(deps.pool, messageId, mayStillSend))) {
    if (await projectMaySend(deps.pool, subscriber.project_id)) return null;
    throw new AppError('project_inactive');
  }
  const { result, isUndelivered = false } =
    messenger && hasTurn
      ? await call(deps, messenger, subscriber, message, { progress, deadline })
      : { result: messenger ? NO_TURN : failure('platform_unavailable', notConnected(subscriber)) };
  if (isPatient && isUndelivered && !progress.mediaSent) {
    await unclaimMessage(deps.pool, messageId);
    throw new AppError('platform_busy');
  }
  // The platform has it: the result must not wait for other requests of the project.
  await outsideProject(() => recordResult(deps, messageId, subscriber, result, onResult, messenger?.bot));
  return result;
}

/** A question of the domain whose message it is, such as a chain that can be paused. It holds until `db` commits. */
export type MayStillSend = (db: Db) => Promise<boolean>;

export function claim(pool: pg.Pool, messageId: string, mayStillSend?: MayStillSend): Promise<boolean> {
  if (!mayStillSend) return claimMessage(pool, messageId);
  return withTransaction(pool, async (db) => (await mayStillSend(db)) && claimMessage(db, messageId));
}

const NO_TURN = failure('rate_limited', `The bot had no free turn within ${limits.sendWaitSeconds} seconds.`);

function notConnected({ channel }: SubscriberRecord): string {
  return `The bot of ${channel} is not connected.`;
}

interface CallOutcome {
  result: MessageResult;
  /** The failure is transient and the platform has certainly not taken the message. */
  isUndelivered?: boolean;
}

function waitForTurn(
  { turns }: DeliverDeps,
  { bot }: Messenger,
  subscriber: SubscriberRecord,
  calls: number,
  deadline: number,
): Promise<boolean> {
  return turns.wait({
    bot,
    projectId: subscriber.project_id,
    chatId: subscriber.chat_id,
    calls,
    deadline,
  });
}

/** Calls the platform, and again after a 429 if another turn comes in time. */
async function call(
  deps: DeliverDeps,
  messenger: Messenger,
  subscriber: SubscriberRecord,
  message: OutgoingMessage,
  { progress, deadline }: { progress: SendProgress; deadline: number },
): Promise<CallOutcome> {
  const { channel, chat_id: chatId } = subscriber;
  for (;;) {
    try {
      const { messageId } = await messenger.send(chatId, message, { failFast: true, progress });
      return { result: { status: 'sent', platformMessageId: messageId } };
    } catch (error) {
      if (!(error instanceof PlatformError)) {
        deps.log.error({ err: error, channel }, 'sending a message failed unexpectedly');
        return { result: failure('unknown', 'Internal error.') };
      }
      const { isUndelivered } = error;
      const failed = { result: failure(error.reason, error.platformText), isUndelivered };
      if (error.reason !== 'rate_limited') return failed;
      await recordThrottled(deps.pool, messenger.bot, chatId, error.retryAfterMs);
      const calls = progress.mediaSent ? 1 : platformOf(channel).callsOf(message);
      if (!(await waitForTurn(deps, messenger, subscriber, calls, deadline))) {
        return failed;
      }
    }
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
  /** The bot that sent; without one nothing was sent. */
  bot?: string,
): Promise<void> {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const recipient = { ...subscriber, subscriber_id: subscriber.id };
  const endsSubscription =
    bot !== undefined && result.status === 'failed' && result.reason === 'user_blocked_bot';
  await withTransaction(pool, async (db) => {
    // Lock order: the subscriber before its messages, as when a subscriber is removed.
    if (endsSubscription || onResult) await lockSubscriber(db, subscriber.project_id, subscriber.id);
    const recorded = await recordMessage(db, messageId, result);
    if (!recorded) return;
    if (result.status === 'sent') {
      await emitEvent(
        db,
        subscriber.project_id,
        'delivery.success',
        deliverySuccess(recipient, messageId, recorded.endedAt, format),
      );
    } else {
      await emitEvent(
        db,
        subscriber.project_id,
        'delivery.failed',
        deliveryFailed(recipient, result, recorded.attemptedAt, format),
      );
    }
    if (endsSubscription) await markBlocked(db, { ...subscriber, bot }, format);
    await onResult?.(db, result, recorded.endedAt);
  });
}
