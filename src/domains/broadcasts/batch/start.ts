import { AppError } from '../../../base/contract/errors';
import type { SubscriberIdFormat } from '../../../base/contract/ids';
import { KIB, limits } from '../../../base/contract/limits';
import type { Core } from '../../../base/core';
import { BATCH_ROWS, inTurn } from '../../../base/db/batches';
import { withTransaction, type Db } from '../../../base/db/pool';
import { SHARE_WAIT_MS } from '../../../base/db/project-share';
import { emitEvents } from '../../events';
import type { Work } from '../../../base/http/idempotency';
import { createPauses } from '../../../base/lib/pauses';
import { BLOCKED, deliveryFailed, skipReasonOf, storeContents } from '../../messages';
import { contentOf } from '../../messages/contract';
import { isBillingBlocked } from '../../projects';
import {
  findSubscribers,
  findSubscribersByExternalIds,
  ERASED_SUBSCRIBER_ID,
  publicIdOf,
  type SubscriberRecord,
} from '../../subscribers';
import type { BatchMessage } from './contract';
import {
  completeBatch,
  findStoredBatch,
  insertBatch,
  insertBatchRecipients,
  lockBatchFrom,
  type NewBatchRecipient,
  type StoredMessage,
} from './queries';

export interface StartedBatch {
  batch_id: string;
  status: 'queued';
  total: number;
}

/** Characters of messages that one statement writes: encoding them takes a few milliseconds. */
const LENGTH_AT_ONCE = 256 * KIB;

/**
 * Stores a batch with one row for each message and subscriber, a thousand in a transaction; its workflow is started
 * after the last one. The batch's id is the work's id. What a crash leaves is not a batch yet: the request with the same
 * key completes it, and otherwise retention removes it. Templates are rendered when a message is sent.
 */
export async function startBatch(
  { pool, config }: Pick<Core, 'pool' | 'config'>,
  projectId: string,
  messages: BatchMessage[],
  work: Work,
): Promise<StartedBatch> {
  const earlier = work.resumed ? await findStoredBatch(pool, projectId, work.id) : null;
  if (earlier?.isWhole) return { batch_id: work.id, status: 'queued', total: earlier.total };
  if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const { contents, templates } = await storeContents(pool, projectId, messages.map(contentOf), {
    allowLocal: config.allowLocalWebhooks,
  });
  const subscribersOf = await findRecipients({ pool }, projectId, messages);
  const pause = createPauses();
  const recipients: Recipient[][] = [];
  const stored: StoredMessage[] = [];
  for (const [position, message] of messages.entries()) {
    recipients.push(recipientsOf(message, position, subscribersOf(message)));
    stored.push({
      position,
      ref: message.ref ?? null,
      permission: message.permission ?? null,
      content: JSON.stringify(contents[position]),
    });
    await pause();
  }
  const total = recipients.reduce((sum, each) => sum + each.length, 0);
  if (total > limits.batchRecipients) {
    throw new AppError(
      'validation_failed',
      `messages: a batch can reach up to ${limits.batchRecipients} subscribers; split it`,
    );
  }
  if (!earlier) {
    await withTransaction(pool, (db) => insertBatch(db, projectId, work.id, { templates, total }));
  }
  for (const { from, to } of groupsOf(stored, recipients, earlier?.messages ?? 0)) {
    const group = recipients.slice(from, to).flat();
    const store = async (db: Db) => {
      await lockBatchFrom(db, work.id, from);
      await insertBatchRecipients(db, work.id, stored.slice(from, to), group, ERASED_SUBSCRIBER_ID);
      await emitBlocked(db, projectId, group, config.HERALD_SUBSCRIBER_ID_FORMAT);
    };
    await inTurn(projectId, () => withTransaction(pool, store), { waitMs: SHARE_WAIT_MS });
  }
  await withTransaction(pool, (db) => completeBatch(db, work.id));
  return { batch_id: work.id, status: 'queued', total };
}

/** Whole messages, of which one has up to a hundred recipients: one transaction stores about a thousand rows. */
function* groupsOf(
  stored: StoredMessage[],
  recipients: Recipient[][],
  first: number,
): Generator<{ from: number; to: number }> {
  let [from, rows, length] = [first, 0, 0];
  for (let to = first + 1; to <= stored.length; to += 1) {
    rows += recipients[to - 1]?.length ?? 0;
    length += stored[to - 1]?.content.length ?? 0;
    const isFull = rows + limits.sendRecipients > BATCH_ROWS || length > LENGTH_AT_ONCE;
    if (!isFull && to < stored.length) continue;
    yield { from, to };
    [from, rows, length] = [to, 0, 0];
  }
}

async function emitBlocked(
  db: Db,
  projectId: string,
  recipients: Recipient[],
  format: SubscriberIdFormat,
): Promise<void> {
  const at = new Date();
  const blocked = recipients.flatMap(({ subscriber, reason }) =>
    subscriber && reason === 'user_blocked_bot' ? [subscriber] : [],
  );
  await emitEvents(
    db,
    projectId,
    blocked.map((subscriber) => ({
      name: 'delivery.failed' as const,
      data: deliveryFailed(
        { ...subscriber, subscriber_id: subscriber.id },
        { reason: 'user_blocked_bot', error: BLOCKED },
        at,
        format,
      ),
    })),
    { bulk: true },
  );
}

type Recipient = NewBatchRecipient & { subscriber: SubscriberRecord | null };

/** A row for each subscriber of a message; one that says so if it has none. */
function recipientsOf(
  { permission }: BatchMessage,
  position: number,
  subscribers: SubscriberRecord[],
): Recipient[] {
  if (subscribers.length === 0) {
    const reason = 'subscriber_not_found' as const;
    const unknown = { subscriber: null, subscriber_id: null, channel: null };
    return [{ position, ...unknown, status: 'failed', reason, error: null }];
  }
  return subscribers.map((subscriber) => ({
    position,
    subscriber,
    subscriber_id: subscriber.id,
    channel: subscriber.channel,
    ...initialState(subscriber, permission),
  }));
}

/** What is known before anything is sent: the rules of /v1/send. */
function initialState(
  subscriber: SubscriberRecord,
  permission: string | undefined,
): Pick<NewBatchRecipient, 'status' | 'reason' | 'error'> {
  const reason = skipReasonOf(subscriber, permission);
  if (reason !== null) return { status: 'skipped', reason, error: null };
  if (subscriber.blocked) return { status: 'failed', reason: 'user_blocked_bot', error: BLOCKED };
  return { status: 'queued', reason: null, error: null };
}

/**
 * Of which each has up to a hundred subscribers. The socket gives a result of up to two mebibytes without a turn of the event
 * loop, and five hundred rows take a few milliseconds to read.
 */
const EXTERNAL_IDS_AT_ONCE = 5;

async function findRecipients(
  { pool }: Pick<Core, 'pool'>,
  projectId: string,
  messages: BatchMessage[],
): Promise<(message: BatchMessage) => SubscriberRecord[]> {
  const ids = messages.flatMap(({ subscriber_id }) => publicIdOf(subscriber_id) ?? []);
  const externalIds = [...new Set(messages.flatMap(({ external_id }) => external_id ?? []))];
  const byId = new Map((await findSubscribers(pool, projectId, ids)).map((found) => [found.id, found]));
  const byExternalId = new Map<string, SubscriberRecord[]>(externalIds.map((id) => [id, []]));
  for (let from = 0; from < externalIds.length; from += EXTERNAL_IDS_AT_ONCE) {
    const some = externalIds.slice(from, from + EXTERNAL_IDS_AT_ONCE);
    const found = await findSubscribersByExternalIds(pool, projectId, some, limits.sendRecipients + 1);
    for (const subscriber of found) byExternalId.get(subscriber.external_id ?? '')?.push(subscriber);
  }
  messages.forEach(({ external_id }, index) => {
    if ((byExternalId.get(external_id ?? '')?.length ?? 0) > limits.sendRecipients) {
      throw new AppError(
        'validation_failed',
        `messages[${index}].external_id: matches more than ${limits.sendRecipients} subscribers`,
      );
    }
  });
  return ({ subscriber_id, external_id, channels }) => {
    const id = publicIdOf(subscriber_id);
    const named = id === null ? undefined : byId.get(id);
    const found = external_id === undefined ? (named ? [named] : []) : (byExternalId.get(external_id) ?? []);
    return found.filter(({ channel }) => channels?.includes(channel) ?? true);
  };
}
