import type { Channel, Language } from '../../contract/common';
import { formatSubscriberId, type SubscriberIdFormat } from '../../contract/ids';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';
import { emitEvent } from '../../events';
import { presentSubscriber, type SubscriberRecord } from '../record';

export const SUBSCRIBER_COLUMNS = `id, project_id, channel, platform_user_id, chat_id, external_id, first_name, username,
  lang, permissions, tags, active, blocked, timezone, properties, created_at`;

/** A messenger user, as described by an update. */
export interface MessengerUser {
  channel: Channel;
  platform_user_id: string;
  chat_id: string;
  first_name: string;
  username: string | null;
  lang: Language;
}

/** What a subscriber gets besides the subscription. */
export interface Grants {
  tags?: string[];
  permissions?: string[];
  external_id?: string | null;
  /** The user has chosen: a new subscriber does not get the default permissions of the project. */
  withoutDefaults?: boolean;
}

export interface Subscription {
  subscriber: SubscriberRecord;
  /** New or reactivated. */
  isNew: boolean;
  /** False if the user was active and had everything. */
  isChanged: boolean;
}

/**
 * Subscribes a user, in the caller's transaction. Emits `subscription.created` only if the subscription is new or
 * reactivated; tags, permissions and external_id survive unsubscribing. A new subscriber gets the default permissions of
 * the project. Grants are added; if they change the permissions of a known subscriber, that is an event too.
 */
export async function subscribe(
  db: Db,
  projectId: string,
  user: MessengerUser,
  format: SubscriberIdFormat,
  grants: Grants = {},
): Promise<Subscription> {
  const values = [
    projectId,
    user.channel,
    user.platform_user_id,
    user.chat_id,
    user.first_name,
    user.username,
    user.lang,
    grants.tags ?? [],
    grants.permissions ?? [],
    grants.external_id ?? null,
  ];
  const inserted = await row<SubscriberRecord>(
    db,
    'insert_subscriber',
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, username, lang, tags, permissions,
       external_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text[] || ARRAY(
       SELECT l.name FROM project_labels l
       WHERE l.project_id = $1 AND l.kind = 'permissions' AND l.granted_by_default AND NOT $11::boolean
         AND l.name <> ALL ($9::text[])
       ORDER BY l.created_at, l.name), $10)
     ON CONFLICT (project_id, channel, platform_user_id) DO NOTHING RETURNING ${SUBSCRIBER_COLUMNS}`,
    [...values, grants.withoutDefaults ?? false],
  );
  const existing = inserted ? null : await refreshSubscriber(db, values);
  const subscriber = inserted ?? existing?.subscriber;
  if (!subscriber) throw new Error('the subscriber was neither inserted nor found');
  const isNew = inserted !== null || existing?.wasReactivated === true;
  if (isNew) await emitEvent(db, projectId, 'subscription.created', presentSubscriber(subscriber, format));
  if (existing && existing.before.permissions.length !== subscriber.permissions.length) {
    await emitEvent(db, projectId, 'subscription.permission_changed', {
      subscriber_id: formatSubscriberId(subscriber.id, format),
      channel: subscriber.channel,
      external_id: subscriber.external_id,
      permissions: subscriber.permissions,
      previous: existing.before.permissions,
    });
  }
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
     UPDATE subscribers SET chat_id = $4, first_name = $5, username = $6, lang = $7,
       tags = old_tags || ARRAY(SELECT name FROM unnest($8::text[]) AS name WHERE name <> ALL (old_tags)),
       permissions = old_permissions
         || ARRAY(SELECT name FROM unnest($9::text[]) AS name WHERE name <> ALL (old_permissions)),
       external_id = coalesce($10, old_external_id),
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

/** Ends all subscriptions of a user who blocked the bot, and emits each event once. */
export async function markBlocked(
  db: Db,
  channel: Channel,
  platformUserId: string,
  format: SubscriberIdFormat,
): Promise<void> {
  await rows(
    db,
    'block_inactive_subscribers',
    `UPDATE subscribers SET blocked = true, updated_at = now()
     WHERE channel = $1 AND platform_user_id = $2 AND NOT active AND NOT blocked`,
    [channel, platformUserId],
  );
  const ended = await rows<SubscriberRecord>(
    db,
    'block_active_subscribers',
    `UPDATE subscribers SET blocked = true, active = false, ended_by_block = true, updated_at = now()
     WHERE channel = $1 AND platform_user_id = $2 AND active RETURNING ${SUBSCRIBER_COLUMNS}`,
    [channel, platformUserId],
  );
  for (const subscriber of ended) {
    await emitEvent(db, subscriber.project_id, 'subscription.deleted', presentSubscriber(subscriber, format));
  }
}

/** Reactivates the subscriptions that a block ended, but not those ended by /stop. */
export async function markUnblocked(
  db: Db,
  channel: Channel,
  platformUserId: string,
  format: SubscriberIdFormat,
): Promise<void> {
  const unblocked = await rows<SubscriberRecord & { reactivated: boolean }>(
    db,
    'unblock_subscribers',
    `WITH before AS (
       SELECT id AS before_id, ended_by_block AS reactivated FROM subscribers
       WHERE channel = $1 AND platform_user_id = $2 AND blocked FOR UPDATE)
     UPDATE subscribers SET blocked = false, active = active OR ended_by_block, ended_by_block = false, updated_at = now()
     FROM before WHERE id = before_id RETURNING ${SUBSCRIBER_COLUMNS}, reactivated`,
    [channel, platformUserId],
  );
  for (const { reactivated: wasReactivated, ...subscriber } of unblocked) {
    if (wasReactivated) {
      await emitEvent(
        db,
        subscriber.project_id,
        'subscription.created',
        presentSubscriber(subscriber, format),
      );
    }
  }
}

/** `/stop`: ends all active subscriptions of the user and returns the names of their projects. */
export async function unsubscribeAll(
  db: Db,
  channel: Channel,
  platformUserId: string,
  format: SubscriberIdFormat,
): Promise<string[]> {
  const ended = await rows<SubscriberRecord & { project_name: string }>(
    db,
    'unsubscribe_all',
    `UPDATE subscribers s SET active = false, updated_at = now() FROM projects p
     WHERE p.id = s.project_id AND s.channel = $1 AND s.platform_user_id = $2 AND s.active
     RETURNING ${SUBSCRIBER_COLUMNS.split(',')
       .map((column) => `s.${column.trim()}`)
       .join(', ')}, p.name AS project_name`,
    [channel, platformUserId],
  );
  for (const { project_name: _, ...subscriber } of ended) {
    await emitEvent(db, subscriber.project_id, 'subscription.deleted', presentSubscriber(subscriber, format));
  }
  return ended.map((entry) => entry.project_name);
}
