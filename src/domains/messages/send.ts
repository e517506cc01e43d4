import { isRenderable, type GivenContent, type InlineContent } from '../../base/contract/content';
import { AppError } from '../../base/contract/errors';
import { formatSubscriberId } from '../../base/contract/ids';
import { isBillingBlocked } from '../projects';
import { type SubscriberRecord, findSubscriber, findSubscribers, requireNamed } from '../subscribers';
import type { Properties } from '../subscribers/contract';
import { faultOf, renderFor, resolveTemplate, type ResolvedTemplate } from '../templates';
import {
  contentOf,
  type MessageContent,
  type SendResponse,
  type SendDetail,
  type SendReason,
  type SendRequest,
} from './contract';
import {
  deliver,
  failure,
  recordResult,
  type DeliverDeps,
  type MayStillSend,
  type OnResult,
} from './deliver';
import { lostMessage } from './lost';
import { checkEachMedia, mediaField } from './media-facts';
import { prepareMessage } from './prepare';
import {
  findMessages,
  insertMessages,
  type MessageOrigin,
  type MessageResult,
  type MessageRow,
  type MessageWithContent,
  skipMessage,
} from './queries/messages';
import { BLOCKED, skipReasonOf } from './send-result';

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
  const { pool, config } = deps;
  const content = contentOf(request);
  const existing = await findMessages(pool, requestId);
  if (existing.length === 0) {
    if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
      throw new AppError('billing_blocked');
    }
    // An unknown template is reported before an unknown recipient: it is the project's own mistake.
    if (isRenderable(content)) await resolveTemplate(pool, projectId, content);
  }
  const recipients = await recipientsOf(deps, projectId, request, existing);
  const { permission } = request;
  const details = await sendTo(
    deps,
    projectId,
    { source: 'send', content, permission },
    recipients,
    requestId,
  );
  const count = (status: SendDetail['status']) => details.filter((detail) => detail.status === status).length;
  return { sent: count('sent'), failed: count('failed'), skipped: count('skipped'), details };
}

/**
 * Sends one message to each of these subscribers, under the id of a request that may have other recipients too. Returns
 * a result for each, in the given order. A repeated call resumes.
 */
export async function sendTo(
  deps: DeliverDeps,
  projectId: string,
  request: OneMessage,
  recipients: SubscriberRecord[],
  requestId: string,
): Promise<SendDetail[]> {
  const { permission, mayStillSend, isPatient = false } = request;
  const ours = { projectId, requestId, permission, mayStillSend, isPatient };
  const ids = new Set(recipients.map(({ id }) => id));
  const isOurs = ({ subscriber_id }: MessageWithContent) => ids.has(subscriber_id);
  const existing = (await findMessages(deps.pool, requestId)).filter(isOurs);
  const known = new Set(existing.map(({ subscriber_id }) => subscriber_id));
  const fresh = recipients.filter(({ id }) => !known.has(id));
  const sendable = fresh.filter((subscriber) => skipReasonOf(subscriber, permission) === null);
  const created =
    sendable.length > 0
      ? (await createMessages(deps, projectId, request, sendable, requestId)).filter(
          (message) => isOurs(message) && !known.has(message.subscriber_id),
        )
      : [];
  const details = [
    ...(await sendAll(deps, ours, existing, true)),
    ...(await sendAll(deps, ours, created, false)),
  ];
  const messages = [...existing, ...created];
  return recipients.map((subscriber) => {
    const index = messages.findIndex(({ subscriber_id }) => subscriber_id === subscriber.id);
    return (
      details[index] ?? skipped(deps, subscriber, skipReasonOf(subscriber, permission) ?? 'unsubscribed')
    );
  });
}

/**
 * Sends the message that another domain has queued in its own transaction, under the id of its request. A repeated call
 * resumes. Null if there is none.
 */
export async function sendQueued(
  deps: DeliverDeps,
  request: Pick<Request, 'projectId' | 'requestId' | 'isAnswer' | 'onResult'>,
  { isResumed }: { isResumed: boolean },
): Promise<SendDetail | null> {
  const [message] = await findMessages(deps.pool, request.requestId);
  if (!message) return null;
  return sendOrResume(deps, { ...request, permission: undefined, isPatient: false }, message, isResumed);
}

/** Whose messages are sent, and how. */
interface Request {
  projectId: string;
  requestId: string;
  permission: string | undefined;
  mayStillSend?: MayStillSend | undefined;
  isPatient: boolean;
  /** The answer to something that the recipient has asked: they get it although they have unsubscribed. */
  isAnswer?: boolean;
  onResult?: OnResult | undefined;
}

async function sendAll(
  deps: DeliverDeps,
  request: Request,
  messages: MessageWithContent[],
  isResumed: boolean,
): Promise<SendDetail[]> {
  const pending = [...messages.entries()];
  const details: SendDetail[] = [];
  const senders = await Promise.allSettled(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let next = pending.shift(); next; next = pending.shift()) {
        const [index, message] = next;
        details[index] = await sendOrResume(deps, request, message, isResumed);
      }
    }),
  );
  // Only now: a caller that resumes must not find a message of this call that is still being sent.
  const failed = senders.find((sender) => sender.status === 'rejected');
  if (failed) throw failed.reason;
  return details;
}

export interface OneMessage extends MessageOrigin {
  content: GivenContent;
  permission: string | undefined;
  /** In a chain: what its templates show as `event.`. */
  event?: Properties | undefined;
  /** Asked in the transaction of each claim. */
  mayStillSend?: MayStillSend;
  /**
   * Throws `platform_busy`, and leaves the message queued, where no turn is free or the platform certainly did not take
   * it.
   */
  isPatient?: boolean;
}

async function createMessages(
  deps: DeliverDeps,
  projectId: string,
  { content, event, source, sourceId }: OneMessage,
  recipients: SubscriberRecord[],
  requestId: string,
): Promise<MessageWithContent[]> {
  const { pool, messengers } = deps;
  const further = event ? (['event'] as const) : [];
  const template = isRenderable(content)
    ? await resolveTemplate(pool, projectId, content, '', further)
    : null;
  const given = template ?? (content as InlineContent);
  const field = mediaField(content);
  const contents = await contentsFor(deps, projectId, recipients, given, { event, field });
  const prepared = recipients.map((subscriber, index) => ({
    subscriberId: subscriber.id,
    channel: subscriber.channel,
    ...(template && contents[index] && { content: contents[index] }),
  }));
  const bots = await Promise.all(recipients.map((subscriber) => messengers.reaching(subscriber)));
  if (bots.every((bot) => bot === null)) throw new AppError('platform_busy');
  const shared = template ? null : (contents[0] ?? null);
  return insertMessages(
    pool,
    { projectId, requestId, source, ...(sourceId !== undefined && { sourceId }), content: shared },
    prepared,
  );
}

/** The message of each recipient, with what is known about its media. */
async function contentsFor(
  { config }: DeliverDeps,
  projectId: string,
  recipients: SubscriberRecord[],
  content: InlineContent | ResolvedTemplate,
  { event, field }: { event: Properties | undefined; field: string },
): Promise<MessageContent[]> {
  const contents = recipients.map((recipient): InlineContent => {
    if (!('compiled' in content)) return content;
    const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
    return renderFor(content, recipient, { format, event });
  });
  const given = contents.flatMap(({ media }) => (media ? [{ ...media, field }] : []));
  const factsOf = await checkEachMedia(given, projectId, { allowLocal: config.allowLocalWebhooks });
  return contents.map((each) =>
    each.media ? { ...each, media: { ...each.media, ...factsOf(each.media) } } : each,
  );
}

/** Those whom the request names; one that is taken up again also has those of its messages, whatever has changed since. */
async function recipientsOf(
  deps: DeliverDeps,
  projectId: string,
  request: SendRequest,
  existing: MessageRow[],
): Promise<SubscriberRecord[]> {
  if (existing.length === 0) return findRecipients(deps, projectId, request);
  const named = await findRecipients(deps, projectId, request).catch((error: unknown) => {
    if (error instanceof AppError) return [];
    throw error;
  });
  const ids = new Set(named.map(({ id }) => id));
  const others = existing.map(({ subscriber_id }) => subscriber_id).filter((id) => !ids.has(id));
  return [...named, ...(await findSubscribers(deps.pool, projectId, others))];
}

function findRecipients(
  { pool }: DeliverDeps,
  projectId: string,
  request: SendRequest,
): Promise<SubscriberRecord[]> {
  const isWanted = ({ channel }: SubscriberRecord) => request.channels?.includes(channel) ?? true;
  return requireNamed(pool, projectId, request, isWanted);
}

async function sendOrResume(
  deps: DeliverDeps,
  { projectId, requestId, permission, mayStillSend, isPatient, isAnswer, onResult }: Request,
  message: MessageWithContent,
  isResumed: boolean,
): Promise<SendDetail> {
  if (message.status === 'sent' || message.status === 'failed') return detailOf(deps, message, message);
  if (message.status === 'skipped') {
    return skipped(deps, { ...message, id: message.subscriber_id }, message.reason ?? 'unsubscribed');
  }
  const subscriber = await findSubscriber(deps.pool, projectId, message.subscriber_id);
  if (!subscriber || !message.content) {
    return detailOf(deps, message, failure('chat_not_found', 'The subscriber was removed.'));
  }
  const settle = async (result: MessageResult) => {
    await recordResult(deps, message.id, subscriber, result, onResult);
    return detailOf(deps, message, result);
  };
  if (isResumed && message.status === 'sending') return settle(lostMessage(message));
  // The subscriber may have unsubscribed, or withdrawn the permission, while the message waited.
  const reason = isAnswer ? null : skipReasonOf(subscriber, permission);
  // Its chain ends for a subscriber who has left; the next activity of its workflow finds that.
  if (reason === 'unsubscribed' && isPatient) throw new AppError('platform_busy');
  if (reason !== null) {
    const isSkipped = await skipMessage(deps.pool, message.id, reason);
    return isSkipped ? skipped(deps, subscriber, reason) : begunElsewhere();
  }
  if (subscriber.blocked) return settle(failure('user_blocked_bot', BLOCKED));
  const fault = faultOf(message.content);
  if (fault !== null) return settle(failure('invalid_message', fault));
  const prepared = prepareMessage(message.content, { projectId, id: requestId });
  const outgoing = prepared.to(subscriber.channel, message.id);
  const result = await deliver(deps, message.id, subscriber, outgoing, {
    mayStillSend,
    isPatient,
    ...(onResult && { onResult }),
  });
  return result ? detailOf(deps, message, result) : begunElsewhere();

  function begunElsewhere(): SendDetail {
    // Another process sends it; the next activity of the workflow finds the result.
    if (isPatient) throw new AppError('platform_busy');
    return detailOf(deps, message, failure('unknown', 'Another process has begun it.'));
  }
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

/** Nothing was attempted, so there is no message, and nothing has failed. */
function skipped(
  { config }: DeliverDeps,
  { id, channel }: Pick<SubscriberRecord, 'id' | 'channel'>,
  reason: SendReason,
): SendDetail {
  const subscriber_id = formatSubscriberId(id, config.HERALD_SUBSCRIBER_ID_FORMAT);
  return { subscriber_id, channel, status: 'skipped', delivery_id: null, reason };
}
