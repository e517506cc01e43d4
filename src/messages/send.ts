import { contentOf } from '../broadcasts/contract';
import { AppError } from '../contract/errors';
import { formatSubscriberId } from '../contract/ids';
import { limits } from '../contract/limits';
import { isBillingBlocked } from '../projects';
import { type SubscriberRecord, findSubscriber, findSubscribersByExternalId, uuidOf } from '../subscribers';
import type { MessageContent, SendResponse, SendDetail, SendReason, SendRequest } from './contract';
import { deliver, failure, recordResult, type DeliverDeps } from './deliver';
import { lostMessage } from './lost';
import { checkMedia, recheckMedia } from './media-facts';
import { type PreparedMessage, prepareMessage } from './prepare';
import { findMessages, insertMessages, type MessageResult, type MessageRow } from './queries/messages';

/** Bounds the messenger calls that one request has in flight; an external_id can name several subscribers. */
const CONCURRENCY = 8;

/**
 * Handles one /v1/send request. A request that was interrupted by a crash is resumed by its id: recorded results stay,
 * queued messages are sent, and messages that were being sent are reported as `unknown`, because that is better than
 * sending a second copy.
 */
export async function sendMessages(
  deps: DeliverDeps,
  projectId: string,
  request: SendRequest,
  requestId: string,
): Promise<SendResponse> {
  const existing = await findMessages(deps.pool, requestId);
  const isResumed = existing.length > 0;
  const { messages, content } = isResumed
    ? { messages: existing, content: await contentWith(deps, projectId, request, recheckMedia) }
    : await createMessages(deps, projectId, request, requestId);
  const prepared = prepareMessage(content, { projectId, id: requestId });
  const pending = [...messages.entries()];
  const details: SendDetail[] = [];
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let next = pending.shift(); next; next = pending.shift()) {
        const [index, message] = next;
        details[index] = await sendOrResume(deps, projectId, prepared, message, isResumed);
      }
    }),
  );
  return {
    sent: details.filter((detail) => detail.status === 'sent').length,
    failed: details.filter((detail) => detail.status === 'failed').length,
    details,
  };
}

async function createMessages(
  deps: DeliverDeps,
  projectId: string,
  request: SendRequest,
  requestId: string,
): Promise<{ messages: MessageRow[]; content: MessageContent }> {
  const { pool, config, messengers } = deps;
  if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const recipients = await findRecipients(deps, projectId, request);
  const content = await contentWith(deps, projectId, request, checkMedia);
  const planned = recipients.map((subscriber) => ({
    subscriberId: subscriber.id,
    channel: subscriber.channel,
    refused: refusalOf(subscriber, request),
  }));
  const sendable = recipients.filter((_, index) => planned[index]?.refused === null);
  const bots = await Promise.all(sendable.map((subscriber) => messengers.reaching(subscriber)));
  if (bots.length > 0 && bots.every((bot) => bot === null)) throw new AppError('platform_busy');
  const messages = await insertMessages(pool, { projectId, requestId, kind: 'send', content }, planned);
  return { messages, content };
}

async function contentWith(
  { config }: DeliverDeps,
  projectId: string,
  request: SendRequest,
  facts: typeof checkMedia,
): Promise<MessageContent> {
  const content = contentOf(request);
  if (!content.media) return content;
  const policy = { allowLocal: config.allowLocalWebhooks };
  return { ...content, media: { ...content.media, ...(await facts(content.media, projectId, policy)) } };
}

async function findRecipients(
  { pool }: DeliverDeps,
  projectId: string,
  { subscriber_id, external_id, channels }: SendRequest,
): Promise<SubscriberRecord[]> {
  const found =
    subscriber_id === undefined
      ? await findSubscribersByExternalId(pool, projectId, external_id ?? '', limits.sendRecipients + 1)
      : [await findSubscriber(pool, projectId, uuidOf(subscriber_id))];
  const recipients = found.filter(
    (subscriber): subscriber is SubscriberRecord =>
      subscriber !== null && (channels?.includes(subscriber.channel) ?? true),
  );
  if (recipients.length === 0) throw new AppError('subscriber_not_found');
  if (found.length > limits.sendRecipients) {
    throw new AppError(
      'validation_failed',
      `external_id: matches more than ${limits.sendRecipients} subscribers`,
    );
  }
  return recipients;
}

/** A subscriber who blocked the bot is not refused here: that is a failure with a reason of the specification. */
function refusalOf(subscriber: SubscriberRecord, { permission }: SendRequest): SendReason | null {
  if (!subscriber.active && !subscriber.blocked) return 'unsubscribed';
  if (permission !== undefined && !subscriber.permissions.includes(permission)) return 'permission_missing';
  return null;
}

async function sendOrResume(
  deps: DeliverDeps,
  projectId: string,
  prepared: PreparedMessage,
  message: MessageRow,
  isResumed: boolean,
): Promise<SendDetail> {
  if (message.status === 'sent' || message.status === 'failed') return detailOf(deps, message, message);
  const subscriber = await findSubscriber(deps.pool, projectId, message.subscriber_id);
  if (!subscriber) return detailOf(deps, message, failure('chat_not_found', 'The subscriber was removed.'));
  if (isResumed && message.status === 'sending') {
    const lost = lostMessage(message);
    await recordResult(deps, message.id, subscriber, lost);
    return detailOf(deps, message, lost);
  }
  if (subscriber.blocked) {
    const blocked = failure('user_blocked_bot', 'The user has blocked the bot.');
    await recordResult(deps, message.id, subscriber, blocked);
    return detailOf(deps, message, blocked);
  }
  const result = await deliver(deps, message.id, subscriber, prepared.to(subscriber.channel, message.id));
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
