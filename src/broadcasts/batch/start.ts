import { AppError } from '../../contract/errors';
import type { InlineContent } from '../../contract/content';
import { limits } from '../../contract/limits';
import type { Core } from '../../core';
import { withTransaction } from '../../db/pool';
import { emitBulkEvents } from '../../events';
import type { Work } from '../../http/idempotency';
import { createTurns } from '../../lib/turns';
import { checkEachMedia, deliveryFailed, mediaField, skipReasonOf } from '../../messages';
import { contentOf, type MessageContent } from '../../messages/contract';
import { isBillingBlocked } from '../../projects';
import {
  findSubscribers,
  findSubscribersByExternalIds,
  ERASED_SUBSCRIBER_ID,
  publicIdOf,
  type SubscriberRecord,
} from '../../subscribers';
import { type ResolvedTemplate, renderFor, resolveTemplates } from '../../templates';
import { findJob } from '../queries/broadcasts';
import type { BatchMessage } from './contract';
import { insertBatch, insertBatchRecipients, type NewBatchRecipient } from './queries';

export interface StartedBatch {
  batch_id: string;
  status: 'queued';
  total: number;
}

/** Rows that one statement writes: encoding them takes a few milliseconds. */
const INSERTED_AT_ONCE = 100;
const BLOCKED = 'The user has blocked the bot.';

/**
 * Stores a batch with one row for each message and subscriber; the relay starts its workflow after the commit. The
 * batch's id is the work's id.
 */
export async function startBatch(
  { pool, config }: Pick<Core, 'pool' | 'config'>,
  projectId: string,
  messages: BatchMessage[],
  work: Work,
): Promise<StartedBatch> {
  const earlier = work.resumed ? await findJob(pool, projectId, 'batch', work.id) : null;
  if (earlier) return { batch_id: earlier.id, status: 'queued', total: earlier.total };
  if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const contents = messages.map(contentOf);
  const templates = await resolveTemplates(pool, projectId, contents, (index) => `messages[${index}].`);
  const subscribersOf = await findRecipients({ pool }, projectId, messages);
  // Before anything is rendered for them.
  const recipients = messages.reduce((sum, each) => sum + Math.max(1, subscribersOf(each).length), 0);
  if (recipients > limits.batchRecipients) {
    throw new AppError(
      'validation_failed',
      `messages: a batch can reach up to ${limits.batchRecipients} subscribers; split it`,
    );
  }
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const turn = createTurns();
  const prepared: Prepared[] = [];
  for (const [position, message] of messages.entries()) {
    const found = subscribersOf(message);
    // Rendering for ten thousand subscribers takes long, and each has a row.
    for (const subscriber of found.length > 0 ? found : [null]) {
      prepared.push(
        prepare(message, position, subscriber, (recipient) =>
          contentTo(templates[position] ?? null, contents[position], (template) =>
            renderFor(template, recipient, { format }),
          ),
        ),
      );
      await turn();
    }
  }
  const media = prepared.flatMap(({ content, position }) => {
    const given = contents[position];
    return content?.media && given
      ? [{ ...content.media, field: mediaField(given, `messages[${position}].`) }]
      : [];
  });
  const factsOf = await checkEachMedia(media, projectId, { allowLocal: config.allowLocalWebhooks });
  const rows = prepared.map((each) =>
    each.content?.media
      ? {
          ...each,
          content: { ...each.content, media: { ...each.content.media, ...factsOf(each.content.media) } },
        }
      : each,
  );
  await withTransaction(pool, async (db) => {
    await insertBatch(db, projectId, work.id, rows.length);
    for (let from = 0; from < rows.length; from += INSERTED_AT_ONCE) {
      await insertBatchRecipients(
        db,
        work.id,
        rows.slice(from, from + INSERTED_AT_ONCE),
        ERASED_SUBSCRIBER_ID,
      );
    }
    const at = new Date();
    const failures = rows.flatMap(({ subscriber, reason }) =>
      subscriber && reason === 'user_blocked_bot' ? [subscriber] : [],
    );
    await emitBulkEvents(
      db,
      projectId,
      failures.map((subscriber) => ({
        name: 'delivery.failed' as const,
        data: deliveryFailed(
          { ...subscriber, subscriber_id: subscriber.id },
          { reason: 'user_blocked_bot', error: BLOCKED },
          at,
          format,
        ),
      })),
    );
  });
  return { batch_id: work.id, status: 'queued', total: rows.length };
}

type Prepared = NewBatchRecipient & { subscriber: SubscriberRecord | null };

/** The row of a message for one of its subscribers; one that says so if it has none. */
function prepare(
  { ref, permission }: BatchMessage,
  position: number,
  subscriber: SubscriberRecord | null,
  contentFor: (subscriber: SubscriberRecord) => MessageContent,
): Prepared {
  const common = { position, ref: ref ?? null };
  if (subscriber === null) {
    const reason = 'subscriber_not_found' as const;
    const unknown = { subscriber: null, subscriber_id: null, channel: null, content: null };
    return { ...common, ...unknown, status: 'failed', reason, error: null };
  }
  return {
    ...common,
    subscriber,
    subscriber_id: subscriber.id,
    channel: subscriber.channel,
    content: contentFor(subscriber),
    ...initialState(subscriber, permission),
  };
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

function contentTo(
  template: ResolvedTemplate | null,
  content: object | undefined,
  render: (template: ResolvedTemplate) => MessageContent,
): MessageContent {
  return template ? render(template) : (content as InlineContent);
}

/** Two queries for the whole batch. */
async function findRecipients(
  { pool }: Pick<Core, 'pool'>,
  projectId: string,
  messages: BatchMessage[],
): Promise<(message: BatchMessage) => SubscriberRecord[]> {
  const ids = messages.flatMap(({ subscriber_id }) => publicIdOf(subscriber_id) ?? []);
  const externalIds = messages.flatMap(({ external_id }) => external_id ?? []);
  const byId = new Map((await findSubscribers(pool, projectId, ids)).map((found) => [found.id, found]));
  const byExternalId = new Map<string, SubscriberRecord[]>();
  for (const found of await findSubscribersByExternalIds(
    pool,
    projectId,
    [...new Set(externalIds)],
    limits.sendRecipients + 1,
  )) {
    const key = found.external_id ?? '';
    byExternalId.set(key, [...(byExternalId.get(key) ?? []), found]);
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
