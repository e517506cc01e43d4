import type pg from 'pg';
import { AppError } from '../contract/errors';
import {
  formatSubscriberId,
  parseSubscriberId,
  subscriberIdFormats,
  type SubscriberIdFormat,
} from '../contract/ids';
import { limits } from '../contract/limits';
import type { Core } from '../core';
import { withTransaction, type Db } from '../db/pool';
import type { EventData } from '../events/contract';
import { emitEvent, eraseDueEvents, markEventsForErasure } from '../events';
import { rewriteRecordedResponses } from '../http/idempotency';
import { lockProject } from '../projects';
import { workflowIds } from '../temporal/names';
import { wakeOrphanedWorkflows } from '../temporal/wake-orphaned-workflows';
import type { Properties, PropertyValue, SubscriberChanges } from './contract';
import { maxLabels } from './labels';
import { addedTags, onSubscriberChange } from './on-change';
import {
  ERASED_CONTENT,
  erasePersonLinks,
  erasePersonMessages,
  erasePersonPlans,
  erasePersonRequests,
  erasePersonSessions,
  erasePersonUpdates,
  ERASED_SUBSCRIBER_ID,
  openEnrolmentsOf,
  ownExternalId,
  recentPlansOf,
  recentRequestsOf,
  requestsOf,
} from './queries/erasure';
import { registerLabels, type LabelKind } from './queries/labels';
import { erasePersonalTables } from './queries/personal-data';
import {
  deleteSubscriber,
  findSubscriber,
  lockSubscriber,
  updateSubscriber,
  type SubscriberValues,
} from './queries/records';
import { presentSubscriber, type SubscriberRecord } from './record';

/** Finds a subscriber by either public form of its id. Throws the same error for an unknown and a malformed id. */
export async function requireSubscriber(
  db: Db,
  projectId: string,
  publicId: string,
): Promise<SubscriberRecord> {
  return orNotFound(await findSubscriber(db, projectId, uuidOf(publicId)));
}

export function uuidOf(publicId: string): string {
  const id = parseSubscriberId(publicId);
  if (id === null) throw new AppError('subscriber_not_found');
  return id;
}

/** The UUID of either public form; null if the text is neither, or there is none. */
export function publicIdOf(publicId: string | undefined): string | null {
  return publicId === undefined ? null : parseSubscriberId(publicId);
}

function orNotFound(subscriber: SubscriberRecord | null): SubscriberRecord {
  if (!subscriber) throw new AppError('subscriber_not_found');
  return subscriber;
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
    const before = orNotFound(await lockSubscriber(db, projectId, uuidOf(publicId)));
    const after = await updateSubscriber(db, before.id, changedValues(before, changes));
    for (const kind of ['tags', 'permissions'] as const) await register(db, projectId, kind, changes[kind]);
    const event = permissionChange(before, after, format);
    if (event) await emitEvent(db, projectId, 'subscription.permission_changed', event);
    await onSubscriberChange(db, projectId, addedTags(after.id, before.tags, after.tags));
    return after;
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
  if (!names || (await registerLabels(db, projectId, kind, names, maxLabels[kind]))) return;
  throw new AppError('conflict', `${kind}: a project can have up to ${maxLabels[kind]} different ${kind}`);
}

/**
 * Removes a subscriber and everything that is held about them. Events of theirs that are still to be delivered, this
 * removal's among them, are erased when their last delivery has ended. Lock order: project, then subscriber.
 */
export async function removeSubscriber(
  { pool, cipher, client, log }: Pick<Core, 'pool' | 'cipher' | 'client' | 'log'>,
  projectId: string,
  publicId: string,
  format: SubscriberIdFormat,
): Promise<void> {
  const enrolmentIds = await withTransaction(pool, async (db) => {
    await lockProject(db, projectId);
    const person = orNotFound(await lockSubscriber(db, projectId, uuidOf(publicId)));
    const publicIds = subscriberIdFormats.map((form) => formatSubscriberId(person.id, form));
    const ownId = await ownExternalId(db, person);
    // Responses stay, so that a repeated request sends nothing again; they no longer name the subscriber.
    await rewriteRecordedResponses(db, cipher, await recentRequestsOf(db, person), (text) =>
      publicIds.reduce((rest, id) => rest.replaceAll(id, ERASED_SUBSCRIBER_ID), text),
    );
    await rewriteRecordedResponses(db, cipher, await recentPlansOf(db, person, ownId), withoutMessage);
    const open = await openEnrolmentsOf(db, person);
    await erasePersonalTables(db, person, publicIds);
    await erasePersonMessages(db, person);
    const requestIds = await requestsOf(db, person);
    await erasePersonPlans(db, person, ownId);
    await deleteSubscriber(db, projectId, person.id);
    await erasePersonSessions(db, person);
    await erasePersonRequests(db, person, requestIds);
    await erasePersonUpdates(db, person);
    const linkIds = await erasePersonLinks(db, person, ownId);
    await rewriteRecordedResponses(db, cipher, linkIds, withoutExternalId);
    const data = { ...presentSubscriber(person, format), active: false };
    const event = person.active ? await emitEvent(db, projectId, 'subscription.deleted', data) : null;
    await markEventsForErasure(db, projectId, person.id, publicIds, event?.id ?? null);
    await eraseDueEvents(db);
    return open;
  });
  wakeOrphanedWorkflows({ client, log }, enrolmentIds.map(workflowIds.drip));
}

/** The view of a scheduled message, as it is after the removal of its recipient. */
function withoutMessage(view: string): string {
  const erased = { name: null, subscriber_id: null, external_id: null, content: ERASED_CONTENT };
  return JSON.stringify({ ...(JSON.parse(view) as object), ...erased });
}

/** The view of a subscribe link, as it is after the removal of the person whom it names. */
function withoutExternalId(view: string): string {
  return JSON.stringify({ ...(JSON.parse(view) as object), external_id: null });
}

function sameSet(one: string[], other: string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}
