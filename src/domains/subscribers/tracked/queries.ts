import type { Channel } from '../../../base/contract/common';
import type { Cursor } from '../../../base/contract/cursor';
import { limits } from '../../../base/contract/limits';
import { BATCH_ROWS } from '../../../base/db/batches';
import { cursorTime } from '../../../base/db/cursor-time';
import type { PersonalData } from '../../../base/db/personal-data';
import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import type { Retention } from '../../../base/db/retention';
import { createRegistry } from '../../../base/lib/registry';
import type { Properties } from '../contract';

/** A subscriber whom events name. */
export interface TrackedPerson {
  id: string;
  channel: Channel;
  external_id: string | null;
  /** The time of the transaction: that of every event in it. */
  now: Date;
}

/**
 * Finds the subscribers that events name, up to `limit` of each external id, and keeps them from being removed until the
 * events are written. They are locked in id order, as everywhere.
 */
export function lockTrackedPeople(
  db: Db,
  projectId: string,
  { ids, externalIds, limit }: { ids: string[]; externalIds: string[]; limit: number },
): Promise<TrackedPerson[]> {
  return rows<TrackedPerson>(
    db,
    'lock_tracked_people',
    `SELECT s.id, s.channel, s.external_id, now() AS now FROM subscribers s
     WHERE s.project_id = $1 AND s.id = ANY (ARRAY(
       SELECT unnest($2::uuid[])
       UNION
       SELECT found.id FROM unnest($3::text[]) AS given (external_id)
       CROSS JOIN LATERAL (
         SELECT o.id FROM subscribers o WHERE o.project_id = $1 AND o.external_id = given.external_id
         ORDER BY o.created_at, o.id LIMIT $4) found))
     ORDER BY s.id FOR KEY SHARE`,
    [projectId, ids, externalIds, limit],
  );
}

/** One event of one subscriber. */
export interface TrackedEvent {
  /** Of the row, and of the row in `events`. */
  id: string;
  /** The project's own id, or the one that Herald chose. */
  eventId: string;
  subscriberId: string;
  name: string;
  properties: Properties;
  occurredAt: Date;
}

/** `received_at` is the time of the transaction. */
export async function insertTracked(db: Db, projectId: string, events: TrackedEvent[]): Promise<void> {
  if (events.length === 0) return;
  await change(
    db,
    'insert_tracked_events',
    `INSERT INTO tracked_events (id, project_id, subscriber_id, event_id, name, properties, occurred_at, received_at)
     SELECT g.id, $1, g.subscriber_id, g.event_id, g.name, g.properties, g.occurred_at, now()
     FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::timestamptz[])
       AS g (id, subscriber_id, event_id, name, properties, occurred_at)`,
    [
      projectId,
      events.map(({ id }) => id),
      events.map(({ subscriberId }) => subscriberId),
      events.map(({ eventId }) => eventId),
      events.map(({ name }) => name),
      events.map(({ properties }) => JSON.stringify(properties)),
      events.map(({ occurredAt }) => occurredAt),
    ],
  );
}

export interface TrackedRow {
  id: string;
  event_id: string;
  name: string;
  subscriber_id: string;
  channel: Channel;
  external_id: string | null;
  properties: Properties;
  occurred_at: Date;
  received_at: Date;
  cursor_at: string;
}

interface TrackedFilter {
  subscriberId: string | null;
  name: string | null;
  since: string | null;
  before: Cursor | null;
  limit: number;
}

/** Returns one row more than the limit if there is another page. Each set of filters is a statement with its own plan. */
export function listTracked(db: Db, projectId: string, filter: TrackedFilter): Promise<TrackedRow[]> {
  const { subscriberId, name, since, before, limit } = filter;
  const kind = (subscriberId === null ? 0 : 1) + (name === null ? 0 : 2) + (since === null ? 0 : 4);
  return rows<TrackedRow>(
    db,
    `list_tracked_events_${kind}`,
    `SELECT t.id, t.event_id, t.name, t.subscriber_id, s.channel, s.external_id, t.properties, t.occurred_at, t.received_at,
       ${cursorTime('t.received_at')} AS cursor_at
     FROM tracked_events t JOIN subscribers s ON s.id = t.subscriber_id
     WHERE t.project_id = $1
       AND ${subscriberId === null ? '$2::uuid IS NULL' : 't.subscriber_id = $2::uuid'}
       AND ${name === null ? '$3::text IS NULL' : 't.name = $3::text'}
       -- No event occurs later than a few minutes after it was received: that bounds the scan of the index.
       AND ${
         since === null
           ? '$4::timestamptz IS NULL'
           : `t.occurred_at >= $4::timestamptz
       AND t.received_at >= $4::timestamptz - interval '${limits.trackedMinutesAhead} minutes'`
       }
       AND (t.received_at, t.id) < (coalesce($5::timestamptz, 'infinity'), coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY t.received_at DESC, t.id DESC LIMIT $7`,
    [projectId, subscriberId, name, since, before?.at ?? null, before?.id ?? null, limit + 1],
  );
}

export const personalData: PersonalData = {
  tables: {
    tracked_events: {
      held: {
        as: 'tracked_events',
        columns: 't.event_id, t.name, t.properties, t.occurred_at, t.received_at',
        from: 'tracked_events t',
        where: 't.subscriber_id = person.id',
        order: ['t.received_at', 't.id'],
      },
      removal: { with: 'subscribers' },
    },
  },
  eraseNext: (pool, { id }) =>
    change(
      pool,
      'erase_next_tracked_events',
      `DELETE FROM tracked_events WHERE id IN (
         SELECT id FROM tracked_events WHERE subscriber_id = $1 LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)`,
      [id],
    ),
};

/** Which of these events a rule may still look back to. */
export const trackedEventUses =
  createRegistry<(db: Db, ids: string[]) => Promise<string[]>>('trackedEventUses');

export const retention = (days: number): Retention => ({
  tracked_events: { age: 'received_at', after: `${days} days`, remove: removeUnusedEvents },
});

async function removeUnusedEvents(db: Db, ids: string[]): Promise<number> {
  const used = await Promise.all(trackedEventUses.entries().map((inUse) => inUse(db, ids)));
  return change(
    db,
    'remove_old_tracked_events',
    `DELETE FROM tracked_events WHERE id IN (
       SELECT id FROM tracked_events WHERE id = ANY ($1::uuid[]) AND id <> ALL ($2::uuid[]) FOR UPDATE SKIP LOCKED)`,
    [ids, used.flat()],
  );
}
