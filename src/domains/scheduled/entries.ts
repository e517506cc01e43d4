import { AppError, orNotFound } from '../../base/contract/errors';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { lockProject } from '../projects';
import type { Project } from '../projects/contract';
import {
  findSubscriber,
  findSubscribersByExternalId,
  ERASED_SUBSCRIBER_ID,
  requireSubscriber,
  type SubscriberRecord,
} from '../subscribers';
import {
  checkContentNow,
  checkTemplate,
  readProject,
  requireRoomForEntry,
  zonesOfAudience,
} from '../broadcasts';
import { RECIPIENT, type NewScheduled, type ScheduledChanges, type ScheduledView } from './contract';
import {
  cancelScheduled,
  changeScheduled,
  findScheduled,
  insertScheduled,
  lockScheduled,
  type ScheduledRow,
  type ScheduledValues,
} from './queries/scheduled';
import { earliestOf, isMoment, refuseOutOfRange, whenOf } from './when';

export type ScheduledDeps = Pick<Core, 'pool' | 'config'>;

export async function createScheduled(
  deps: ScheduledDeps,
  projectId: string,
  request: NewScheduled,
  work: Work,
): Promise<ScheduledRow> {
  const { pool } = deps;
  const earlier = work.resumed ? await findScheduled(pool, projectId, work.id) : null;
  if (earlier) return earlier;
  const project = await readProject(pool, projectId);
  const when = whenOf(request.scheduled_at, request.timezone, project.timezone);
  refuseOutOfRange(when);
  await checkContentNow(deps, project.id, request.content);
  return withTransaction(pool, async (db) => {
    // Locks the project: what the entry names is not removed meanwhile.
    await requireRoomForEntry(db, project.id);
    await checkTemplate(db, project.id, request.content);
    const subscriber =
      request.subscriber_id === undefined
        ? null
        : await requireSubscriber(db, project.id, request.subscriber_id);
    const values = {
      ...when,
      name: request.name ?? null,
      content: request.content,
      subscriber_id: subscriber?.id ?? null,
      external_id: request.external_id ?? null,
      audience: request.audience ?? null,
      channels: request.channels ?? null,
      permission: request.permission ?? null,
    };
    const next_at = await firstMoment(db, project, values);
    return insertScheduled(db, project.id, work.id, { ...values, next_at });
  });
}

export async function patchScheduled(
  deps: ScheduledDeps,
  projectId: string,
  id: string,
  changes: ScheduledChanges,
): Promise<ScheduledRow> {
  const { pool } = deps;
  const found = orNotFound(await findScheduled(pool, projectId, id));
  refuseUnlessWaiting(found);
  if (changes.content) await checkContentNow(deps, projectId, changes.content);
  return withTransaction(pool, async (db) => {
    // Templates, tags, permissions and subscribers that the entry names are not removed under this lock.
    const project = await lockProject(db, projectId);
    if (changes.content) await checkTemplate(db, project.id, changes.content);
    const subscriber =
      changes.subscriber_id === undefined
        ? null
        : await requireSubscriber(db, project.id, changes.subscriber_id);
    const before = orNotFound(await lockScheduled(db, id));
    refuseUnlessWaiting(before);
    refuseOtherKind(before, changes);
    const when = changedWhen(before, changes, project.timezone);
    if (changes.scheduled_at !== undefined || changes.timezone !== undefined) refuseOutOfRange(when);
    const values = {
      ...when,
      name: changes.name === undefined ? before.name : changes.name,
      content: changes.content ?? before.content,
      subscriber_id: subscriber?.id ?? before.subscriber_id,
      external_id: changes.external_id ?? before.external_id,
      audience: changes.audience ?? before.audience,
      channels: changes.channels === undefined ? before.channels : changes.channels,
      permission: changes.permission === undefined ? before.permission : changes.permission,
    };
    return changeScheduled(db, id, { ...values, next_at: await firstMoment(db, project, values) });
  });
}

function refuseUnlessWaiting({ status }: ScheduledRow): void {
  if (status === 'scheduled') return;
  throw new AppError('conflict', `The message is ${status} and can no longer be changed.`);
}

function changedWhen(before: ScheduledRow, changes: ScheduledChanges, projectZone: string) {
  const scheduledAt = changes.scheduled_at ?? before.scheduled_at;
  // A new local time keeps the zone of the old one; a new moment has none.
  const timezone = changes.timezone ?? (isMoment(scheduledAt) ? undefined : (before.timezone ?? undefined));
  return whenOf(scheduledAt, timezone, projectZone);
}

/** A message to a subscriber cannot become a broadcast, nor the other way round. */
function refuseOtherKind(before: ScheduledRow, changes: ScheduledChanges): void {
  for (const field of ['subscriber_id', 'external_id', 'audience'] as const) {
    if (changes[field] === undefined || before[field] !== null) continue;
    throw new AppError('validation_failed', `${field}: the kind of recipient cannot be changed`);
  }
  if (before.audience === null) return;
  for (const field of ['channels', 'permission'] as const) {
    if (changes[field] === undefined || changes[field] === null) continue;
    throw new AppError('validation_failed', `${field}: cannot be combined with audience`);
  }
}

/** Exact: 200 means that nothing was sent and nothing will be. */
export function cancelEntry(
  { pool }: Pick<ScheduledDeps, 'pool'>,
  projectId: string,
  id: string,
): Promise<ScheduledRow> {
  // A refusal rolls the transaction back, so that it has no entry in the audit log.
  return withTransaction(pool, async (db) => {
    const cancelled = await cancelScheduled(db, projectId, id);
    if (cancelled) return cancelled;
    const found = orNotFound(await findScheduled(db, projectId, id));
    // Of an entry whose broadcast was cancelled, some messages may have been sent.
    if (found.status === 'cancelled' && found.job_id === null) return found;
    throw new AppError('conflict', `The message is ${found.status} and can no longer be cancelled.`);
  });
}

async function firstMoment(
  db: Db,
  project: Project,
  values: Omit<ScheduledValues, 'next_at'>,
): Promise<Date> {
  if (values.timezone !== RECIPIENT) return earliestOf(values, [], project.timezone);
  const zones = values.audience
    ? await zonesOfAudience(db, project.id, values.audience)
    : (await recipientsOf(db, project.id, values)).map(({ timezone }) => timezone);
  return earliestOf(values, zones, project.timezone);
}

/** The subscribers of an entry without an audience, as they are now; of an external_id the oldest ones. */
export async function recipientsOf(
  db: Db,
  projectId: string,
  {
    subscriber_id,
    external_id,
    channels,
  }: Pick<ScheduledValues, 'subscriber_id' | 'external_id' | 'channels'>,
): Promise<SubscriberRecord[]> {
  const found =
    subscriber_id === null
      ? await findSubscribersByExternalId(db, projectId, external_id ?? '', limits.scheduledRecipients)
      : [await findSubscriber(db, projectId, subscriber_id)];
  return found.filter(
    (each): each is SubscriberRecord => each !== null && (channels?.includes(each.channel) ?? true),
  );
}

export function presentScheduled(entry: ScheduledRow, format: SubscriberIdFormat): ScheduledView {
  const { id, subscriber_id, next_at, ended_at } = entry;
  const isKnown = subscriber_id !== null && subscriber_id !== ERASED_SUBSCRIBER_ID;
  return {
    scheduled_id: id,
    name: entry.name,
    content: entry.content,
    subscriber_id: isKnown ? formatSubscriberId(subscriber_id, format) : null,
    external_id: entry.external_id,
    audience: entry.audience,
    channels: entry.channels,
    permission: entry.permission,
    scheduled_at: entry.scheduled_at,
    timezone: entry.timezone,
    status: entry.status,
    reason: entry.reason,
    next_at: isoTimeOrNull(next_at),
    job_id: entry.job_id,
    created_at: isoTime(entry.created_at),
    updated_at: isoTime(entry.updated_at),
    ended_at: isoTimeOrNull(ended_at),
  };
}
