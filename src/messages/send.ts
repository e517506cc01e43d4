import { AppError } from '../contract/errors';
import { formatSubscriberId } from '../contract/ids';
import { limits } from '../contract/limits';
import type { SendAnswer, SendDetail, SendReason, SendRequest } from './contract';
import { contentOf } from '../broadcasts/contract';
import { type SubscriberRecord, findSubscriber, findSubscribersByExternalId, uuidOf } from '../subscribers';
import { isBillingBlocked } from '../projects';
import { findMessages, insertMessages, type MessageResult, type MessageRow } from './queries/messages';
import { outgoing } from './buttons';
import { deliver, failure, recordResult, type DeliverDeps } from './deliver';
import { refuseLargeMedia } from './media-size';

/** An external_id names a handful of subscribers; this bounds what one request can hold of the bots. */
const CONCURRENT = 8;

/**
 * One request of /v1/send. A request that died in the middle is taken up by its id: what has a result keeps it, what
 * was never begun is sent now, and what was being sent is reported as `unknown`, because a second copy is worse.
 */
export async function sendMessages(
  deps: DeliverDeps,
  projectId: string,
  request: SendRequest,
  requestId: string,
): Promise<SendAnswer> {
  const begun = await findMessages(deps.pool, requestId);
  const messages = begun.length > 0 ? begun : await begin(deps, projectId, request, requestId);
  const isResumed = begun.length > 0;
  const waiting = [...messages.entries()];
  const details: SendDetail[] = [];
  await Promise.all(
    Array.from({ length: CONCURRENT }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [place, message] = next;
        details[place] = await settle(deps, projectId, request, message, isResumed);
      }
    }),
  );
  return {
    sent: details.filter((detail) => detail.status === 'sent').length,
    failed: details.filter((detail) => detail.status === 'failed').length,
    details,
  };
}

async function begin(
  deps: DeliverDeps,
  projectId: string,
  request: SendRequest,
  requestId: string,
): Promise<MessageRow[]> {
  const { pool, config, messengers } = deps;
  if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const recipients = await findRecipients(deps, projectId, request);
  if (request.media) await refuseLargeMedia(request.media, { allowLocal: config.allowLocalWebhooks });
  const messages = recipients.map((subscriber) => ({
    subscriberId: subscriber.id,
    channel: subscriber.channel,
    refused: refusalOf(subscriber, request),
  }));
  const tried = messages.filter(({ refused }) => refused === null);
  if (tried.length > 0 && tried.every(({ channel }) => messengers.get(channel) === null)) {
    throw new AppError('platform_busy');
  }
  return insertMessages(pool, { projectId, requestId, kind: 'send', content: contentOf(request) }, messages);
}

async function findRecipients(
  { pool }: DeliverDeps,
  projectId: string,
  { subscriber_id, external_id, channels }: SendRequest,
): Promise<SubscriberRecord[]> {
  const named =
    subscriber_id === undefined
      ? await findSubscribersByExternalId(pool, projectId, external_id ?? '', limits.sendRecipients + 1)
      : [await findSubscriber(pool, projectId, uuidOf(subscriber_id))];
  const wanted = named.filter(
    (subscriber): subscriber is SubscriberRecord =>
      subscriber !== null && (channels?.includes(subscriber.channel) ?? true),
  );
  if (wanted.length === 0) throw new AppError('subscriber_not_found');
  if (named.length > limits.sendRecipients) {
    throw new AppError(
      'validation_failed',
      `external_id: matches more than ${limits.sendRecipients} subscribers`,
    );
  }
  return wanted;
}

/** One who has blocked the bot gets a result of the specification's own; the others have none there. */
function refusalOf(subscriber: SubscriberRecord, { permission }: SendRequest): SendReason | null {
  if (!subscriber.active && !subscriber.blocked) return 'unsubscribed';
  if (permission !== undefined && !subscriber.permissions.includes(permission)) return 'permission_missing';
  return null;
}

async function settle(
  deps: DeliverDeps,
  projectId: string,
  request: SendRequest,
  message: MessageRow,
  isResumed: boolean,
): Promise<SendDetail> {
  if (message.status === 'sent' || message.status === 'failed') return detailOf(deps, message, message);
  const subscriber = await findSubscriber(deps.pool, projectId, message.subscriber_id);
  if (!subscriber) return detailOf(deps, message, failure('chat_not_found', 'The subscriber was removed.'));
  if (isResumed && message.status === 'sending') {
    const lost = failure(
      'unknown',
      'The service stopped while the message was being sent; it may have arrived.',
    );
    await recordResult(deps, message.id, subscriber, lost);
    return detailOf(deps, message, lost);
  }
  if (subscriber.blocked) {
    const known = failure('user_blocked_bot', 'The user has blocked the bot.');
    await recordResult(deps, message.id, subscriber, known);
    return detailOf(deps, message, known);
  }
  const result = await deliver(deps, message.id, subscriber, outgoing(contentOf(request), message.id));
  return detailOf(deps, message, result ?? failure('unknown', 'Another process has begun it.'));
}

function detailOf(
  { config }: DeliverDeps,
  { id, subscriber_id, channel }: MessageRow,
  result: MessageResult | MessageRow,
): SendDetail {
  const sent = result.status === 'sent';
  return {
    subscriber_id: formatSubscriberId(subscriber_id, config.HERALD_SUBSCRIBER_ID_FORMAT),
    channel,
    status: sent ? 'sent' : 'failed',
    delivery_id: id,
    ...(sent ? {} : { reason: result.reason ?? 'unknown' }),
  };
}
