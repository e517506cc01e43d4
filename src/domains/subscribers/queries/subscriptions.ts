import type { Channel, Language } from '../../../base/contract/common';
import { formatSubscriberId, type SubscriberIdFormat } from '../../../base/contract/ids';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { JOIN_OWN_BOT, REACHING_BOT } from '../../bots';
import { emitEvent, emitEvents, type NewEvent } from '../../events';
import { isoTime } from '../../../base/lib/iso-time';
import { addedTags, onSubscriberChange, type Cause } from '../on-change';
import { presentSubscriber, type SubscriberRecord } from '../record';

export const SUBSCRIBER_COLUMNS = `id, project_id, channel, platform_user_id, chat_id, bot, external_id, first_name, username,
  lang, permissions, tags, active, blocked, timezone, properties, created_at`;

/** A messenger user, as described by an update. */
export interface MessengerUser {
  channel: Channel;
  platform_user_id: string;
  chat_id: string;
  /** The bot that they came to; null for the shared one. */
  bot: string | null;
  first_name: string;
  username: string | null;
  lang: Language;
}

/** A user of one bot. */
export interface BotUserRef {
  channel: Channel;
  /** The bot's key. */
  bot: string;
  platform_user_id: string;
}

/** What a subscriber gets besides the subscription. */
export interface Grants {
  tags?: string[];
  permissions?: string[];
  external_id?: string | null;
  /** The user has chosen among the titled permissions: a new subscriber gets only those defaults that have no title. */
  withoutTitledDefaults?: boolean;
}

export interface Subscribed {
  subscriber: SubscriberRecord;
  /** New or reactivated. */
  isNew: boolean;
  /** False if the user was active and had everything. */
  isChanged: boolean;
}

/**
 * Subscribes a user, in the caller's transaction. A subscriber of another bot of the project moves to this one. Emits
 * `subscription.created` only if the subscription is new or reactivated; tags, permissions and external_id survive
 * unsubscribing. A new subscriber gets the default permissions of the project. Grants are added; if they change the
 * permissions of a known subscriber, that is an event too; `furtherEvents` of the same cause are written with them. Chains that
 * this triggers are entered in the same commit.
 */
export async function subscribe(
  db: Db,
  projectId: string,
  user: MessengerUser,
  format: SubscriberIdFormat,
  grants: Grants = {},
  furtherEvents: (subscriber: SubscriberRecord) => NewEvent[] = () => [],
): Promise<Subscribed> {
  const values = [
    projectId,
    user.channel,
    user.platform_user_id,
    user.chat_id,
    user.first_name,
    user.username,
    user.lang,
    user.bot,
    grants.tags ?? [],
    grants.permissions ?? [],
    grants.external_id ?? null,
  ];
  const inserted = await row<SubscriberRecord>(
    db,
    'insert_subscriber',
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, username, lang, bot, tags,
       permissions, external_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text[] || ARRAY(
       SELECT l.name FROM project_labels l
       WHERE l.project_id = $1 AND l.kind = 'permissions' AND l.granted_by_default
         AND (NOT $12::boolean OR (l.title_en IS NULL AND l.title_ru IS NULL)) AND l.name <> ALL ($10::text[])
       ORDER BY l.created_at, l.name), $11)
     ON CONFLICT (project_id, channel, platform_user_id) DO NOTHING RETURNING ${SUBSCRIBER_COLUMNS}`,
    [...values, grants.withoutTitledDefaults ?? false],
  );
  const existing = inserted ? null : await refreshSubscriber(db, values);
  const subscriber = inserted ?? existing?.subscriber;
  if (!subscriber) throw new Error('the subscriber was neither inserted nor found');
  const isNew = inserted !== null || existing?.wasReactivated === true;
  const events: NewEvent[] = [];
  if (isNew) events.push({ name: 'subscription.created', data: presentSubscriber(subscriber, format) });
  if (existing && existing.before.permissions.length !== subscriber.permissions.length) {
    const data = {
      subscriber_id: formatSubscriberId(subscriber.id, format),
      channel: subscriber.channel,
      external_id: subscriber.external_id,
      permissions: subscriber.permissions,
      previous: existing.before.permissions,
      occurred_at: isoTime(new Date()),
    };
    events.push({ name: 'subscription.permission_changed', data });
  }
  await emitEvents(db, projectId, [...events, ...furtherEvents(subscriber)]);
  const causes: Cause[] = isNew ? [{ type: 'subscription', subscriberId: subscriber.id }] : [];
  causes.push(...addedTags(subscriber.id, existing?.before.tags ?? [], subscriber.tags));
  await onSubscriberChange(db, projectId, causes);
  return { subscriber, isNew, isChanged: isNew || !existing || gained(existing.before, subscriber) };
}

type Before = Pick<SubscriberRecord, 'tags' | 'permissions' | 'external_id'>;

/** Labels are only added here. */
function gained(before: Before, after: Before): boolean {
  return (
    before.tags.length !== after.tags.length ||
    before.permissions.length !== after.permissions.length ||
    before.external_id !== after.external_id
  );
}

async function refreshSubscriber(
  db: Db,
  values: unknown[],
): Promise<{ subscriber: SubscriberRecord; before: Before; wasReactivated: boolean } | null> {
  const updated = await row<
    SubscriberRecord & {
      was_active: boolean;
      old_tags: string[];
      old_permissions: string[];
      old_external_id: string | null;
    }
  >(
    db,
    'refresh_subscriber',
    `WITH before AS (
       SELECT id AS before_id, active AS was_active, tags AS old_tags, permissions AS old_permissions,
         external_id AS old_external_id FROM subscribers
       WHERE project_id = $1 AND channel = $2 AND platform_user_id = $3 FOR UPDATE)
     UPDATE subscribers SET chat_id = $4, first_name = $5, username = $6, lang = $7, bot = $8,
       tags = old_tags || ARRAY(SELECT name FROM unnest($9::text[]) AS name WHERE name <> ALL (old_tags)),
       permissions = old_permissions
         || ARRAY(SELECT name FROM unnest($10::text[]) AS name WHERE name <> ALL (old_permissions)),
       external_id = coalesce($11, old_external_id),
       active = true, blocked = false, ended_by_block = false, updated_at = now()
     FROM before WHERE id = before_id
     RETURNING ${SUBSCRIBER_COLUMNS}, was_active, old_tags, old_permissions, old_external_id`,
    values,
  );
  if (!updated) return null;
  const { was_active, old_tags, old_permissions, old_external_id, ...subscriber } = updated;
  return {
    subscriber,
    before: { tags: old_tags, permissions: old_permissions, external_id: old_external_id },
    wasReactivated: !was_active,
  };
}

/** SQL: the subscriptions of a user that a bot ($3) reaches; `$1` is the channel and `$2` the user. */
const OF_BOT = `SELECT s.id FROM subscribers s ${JOIN_OWN_BOT}
  WHERE s.channel = $1 AND s.platform_user_id = $2 AND ${REACHING_BOT} = $3`;

function ofBotUser({ channel, platform_user_id, bot }: BotUserRef): unknown[] {
  return [channel, platform_user_id, bot];
}

/** A user has opened a project's own bot: their subscription, if they have one, moves to it. */
export function moveToBot(
  db: Db,
  projectId: string,
  { channel, platform_user_id, bot }: Pick<MessengerUser, 'channel' | 'platform_user_id' | 'bot'>,
): Promise<number> {
  return change(
    db,
    'move_to_bot',
    `UPDATE subscribers SET bot = $4, updated_at = now()
     WHERE project_id = $1 AND channel = $2 AND platform_user_id = $3 AND bot IS DISTINCT FROM $4`,
    [projectId, channel, platform_user_id, bot],
  );
}

/** Ends all subscriptions of a user who blocked the bot, and emits each event once. */
export async function markBlocked(db: Db, user: BotUserRef, format: SubscriberIdFormat): Promise<void> {
  await rows(
    db,
    'block_inactive_subscribers',
    `UPDATE subscribers SET blocked = true, updated_at = now()
     WHERE id IN (${OF_BOT}) AND NOT active AND NOT blocked`,
    ofBotUser(user),
  );
  const ended = await rows<SubscriberRecord>(
    db,
    'block_active_subscribers',
    `UPDATE subscribers SET blocked = true, active = false, ended_by_block = true, updated_at = now()
     WHERE id IN (${OF_BOT}) AND active RETURNING ${SUBSCRIBER_COLUMNS}`,
    ofBotUser(user),
  );
  await reportEnded(db, ended, format);
}

async function reportEnded(db: Db, ended: SubscriberRecord[], format: SubscriberIdFormat): Promise<void> {
  for (const subscriber of ended) {
    const { id, project_id } = subscriber;
    await emitEvent(db, project_id, 'subscription.deleted', presentSubscriber(subscriber, format));
    await onSubscriberChange(db, project_id, [{ type: 'subscription_ended', subscriberId: id }]);
  }
}

export async function hasBlocked(db: Db, user: BotUserRef): Promise<boolean> {
  const found = await row(
    db,
    'has_blocked',
    `SELECT 1 FROM subscribers WHERE id IN (${OF_BOT}) AND blocked LIMIT 1`,
    ofBotUser(user),
  );
  return found !== null;
}

/** Reactivates the subscriptions that a block ended, but not those ended by /stop. */
export async function markUnblocked(db: Db, user: BotUserRef, format: SubscriberIdFormat): Promise<void> {
  const unblocked = await rows<SubscriberRecord & { reactivated: boolean }>(
    db,
    'unblock_subscribers',
    `WITH before AS (
       SELECT id AS before_id, ended_by_block AS reactivated FROM subscribers
       WHERE id IN (${OF_BOT}) AND blocked FOR UPDATE)
     UPDATE subscribers SET blocked = false, active = active OR ended_by_block, ended_by_block = false, updated_at = now()
     FROM before WHERE id = before_id RETURNING ${SUBSCRIBER_COLUMNS}, reactivated`,
    ofBotUser(user),
  );
  for (const { reactivated: wasReactivated, ...subscriber } of unblocked) {
    if (wasReactivated) {
      await emitEvent(
        db,
        subscriber.project_id,
        'subscription.created',
        presentSubscriber(subscriber, format),
      );
      const cause = { type: 'subscription', subscriberId: subscriber.id } as const;
      await onSubscriberChange(db, subscriber.project_id, [cause]);
    }
  }
}

export interface Subscription {
  project_id: string;
  project_name: string;
}

/** The active subscriptions of a user in a bot, oldest first. */
export function activeSubscriptions(db: Db, user: BotUserRef): Promise<Subscription[]> {
  return rows<Subscription>(
    db,
    'active_subscriptions',
    `SELECT s.project_id, p.name AS project_name FROM subscribers s JOIN projects p ON p.id = s.project_id
     WHERE s.id IN (${OF_BOT}) AND s.active ORDER BY s.created_at, s.id`,
    ofBotUser(user),
  );
}

/**
 * Ends active subscriptions of the user, of one project or of all, and returns the names of their projects. An update
 * that is handled again, because the reply to it could not be sent, gets the same names again.
 */
export async function unsubscribe(
  db: Db,
  user: BotUserRef,
  { projectId, updateId }: { projectId: string | null; updateId: number },
  format: SubscriberIdFormat,
): Promise<string[]> {
  const values = [...ofBotUser(user), projectId, updateId];
  const ended = await rows<SubscriberRecord>(
    db,
    'unsubscribe',
    `UPDATE subscribers SET active = false, ended_by_update = $5, updated_at = now()
     WHERE id IN (${OF_BOT}) AND active AND ($4::uuid IS NULL OR project_id = $4)
     RETURNING ${SUBSCRIBER_COLUMNS}`,
    values,
  );
  await reportEnded(db, ended, format);
  const projects = await rows<{ name: string }>(
    db,
    'unsubscribed_projects',
    `SELECT p.name FROM subscribers s JOIN projects p ON p.id = s.project_id
     WHERE s.channel = $1 AND s.platform_user_id = $2 AND s.ended_by_update = $3 AND NOT s.active
     ORDER BY s.created_at, s.id`,
    [user.channel, user.platform_user_id, updateId],
  );
  return projects.map(({ name }) => name);
}
