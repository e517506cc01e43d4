import type pg from 'pg';
import { AppError, orNotFound } from '../../base/contract/errors';
import { formatSubscriberId, parseSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import { withTransaction, type Db } from '../../base/db/pool';
import type { EventData } from '../events/contract';
import { emitEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import { lockProject } from '../projects';
import type { Properties, PropertyValue, SubscriberChanges, Tagged, Tagging } from './contract';
import { labelKinds } from './labels';
import { addedTags, onSubscriberChange } from './on-change';
import { registerLabels, type LabelKind } from './queries/labels';
import {
  findSubscriber,
  lockSubscriber,
  lockSubscribers,
  updateSubscriber,
  updateSubscribers,
  type SubscriberValues,
} from './queries/records';
import type { SubscriberRecord } from './record';

/** Finds a subscriber by either public form of its id. Throws the same error for an unknown and a malformed id. */
export async function requireSubscriber(
  db: Db,
  projectId: string,
  publicId: string,
): Promise<SubscriberRecord> {
  return orNotFound(await findSubscriber(db, projectId, uuidOf(publicId)), 'subscriber_not_found');
}

/** The id of the subscriber by whom a list is filtered; null without one. Throws as `requireSubscriber`. */
export async function filteredSubscriberId(
  db: Db,
  projectId: string,
  publicId: string | undefined,
): Promise<string | null> {
  return publicId === undefined ? null : (await requireSubscriber(db, projectId, publicId)).id;
}

export function uuidOf(publicId: string): string {
  return orNotFound(parseSubscriberId(publicId), 'subscriber_not_found');
}

/** The UUID of either public form; null if the text is neither, or there is none. */
export function publicIdOf(publicId: string | undefined): string | null {
  return publicId === undefined ? null : parseSubscriberId(publicId);
}

/** Lock order: project, then subscriber. */
export function patchSubscriber(
  pool: pg.Pool,
  projectId: string,
  publicId: string,
  changes: SubscriberChanges,
  format: SubscriberIdFormat,
): Promise<SubscriberRecord> {
  return withTransaction(pool, async (db) => {
    if (changes.tags || changes.permissions) await lockProject(db, projectId);
    const before = orNotFound(await lockSubscriber(db, projectId, uuidOf(publicId)), 'subscriber_not_found');
    const after = await updateSubscriber(db, before.id, changedValues(before, changes));
    for (const kind of ['tags', 'permissions'] as const) await register(db, projectId, kind, changes[kind]);
    const event = permissionChange(before, after, format);
    if (event) await emitEvent(db, projectId, 'subscription.permission_changed', event);
    await onSubscriberChange(db, projectId, addedTags(after.id, before.tags, after.tags));
    return after;
  });
}

/**
 * Adds and removes tags of several subscribers, as a patch of each would, in one transaction: they are as many as a batch has.
 * A request that is resumed after a crash finds nothing left to change.
 */
export function tagSubscribers(
  pool: pg.Pool,
  projectId: string,
  { ids, add = [], remove = [] }: Tagging,
): Promise<Tagged> {
  return withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    const uuids = new Map(ids.map((id) => [id, parseSubscriberId(id)]));
    const given = [...new Set(uuids.values())].filter((id) => id !== null);
    const found = await lockSubscribers(db, projectId, given);
    const tagged = found.map((before) => ({
      before,
      after: {
        ...before,
        tags: [...new Set([...before.tags, ...add])].filter((tag) => !remove.includes(tag)),
      },
    }));
    const changed = tagged.filter(({ before, after }) => !sameSet(before.tags, after.tags));
    await updateSubscribers(
      db,
      changed.map(({ after }) => after),
    );
    // Tags that no subscriber has any more give way to new ones.
    if (found.length > 0) await register(db, projectId, 'tags', add);
    const causes = changed.flatMap(({ before, after }) => addedTags(after.id, before.tags, after.tags));
    await onSubscriberChange(db, projectId, causes);
    const foundIds = new Set<string | null>(found.map(({ id }) => id));
    const unknown = [...uuids].filter(([, uuid]) => !foundIds.has(uuid));
    return { updated: found.length, failed: unknown.map(([id]) => ({ id, code: 'subscriber_not_found' })) };
  });
}

/** The values of a subscriber after the changes. Throws if they have too many properties. */
export function changedValues(before: SubscriberRecord, changes: SubscriberChanges): SubscriberValues {
  return {
    external_id: changes.external_id === undefined ? before.external_id : changes.external_id,
    tags: changes.tags ?? before.tags,
    permissions: changes.permissions ?? before.permissions,
    timezone: changes.timezone === undefined ? before.timezone : changes.timezone,
    properties: mergedProperties(before.properties, changes.properties),
  };
}

/** The data of `subscription.permission_changed`, or null if they are the same. */
export function permissionChange(
  before: SubscriberRecord,
  after: SubscriberRecord,
  format: SubscriberIdFormat,
): EventData<'subscription.permission_changed'> | null {
  if (sameSet(before.permissions, after.permissions)) return null;
  return {
    subscriber_id: formatSubscriberId(after.id, format),
    channel: after.channel,
    external_id: after.external_id,
    permissions: after.permissions,
    previous: before.permissions,
    occurred_at: isoTime(new Date()),
  };
}

/** Null removes a property. The caller holds the subscriber's row lock, so that the limit is exact. */
function mergedProperties(before: Properties, changes: SubscriberChanges['properties']): Properties {
  const merged = Object.entries({ ...before, ...changes });
  const kept = merged.filter((entry): entry is [string, PropertyValue] => entry[1] !== null);
  if (kept.length > limits.properties) {
    throw new AppError('conflict', `A subscriber can have up to ${limits.properties} properties.`);
  }
  return Object.fromEntries(kept);
}

/** The caller holds the project's row lock. Throws if the project would have too many. */
export async function register(
  db: Db,
  projectId: string,
  kind: LabelKind,
  names: string[] | undefined,
): Promise<void> {
  if (!names || (await registerLabels(db, projectId, kind, names, labelKinds[kind].most))) return;
  throw new AppError(
    'conflict',
    `${kind}: a project can have up to ${labelKinds[kind].most} different ${kind}`,
  );
}

function sameSet(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
