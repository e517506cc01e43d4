import { createHash } from 'node:crypto';
import type pg from 'pg';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../base/contract/durations';
import { AppError } from '../../../base/contract/errors';
import { formatSubscriberId, parseSubscriberId, type SubscriberIdFormat } from '../../../base/contract/ids';
import { limits } from '../../../base/contract/limits';
import { inRequestTurn } from '../../../base/db/batches';
import { type Db, withTransaction } from '../../../base/db/pool';
import { SHARE_WAIT_MS } from '../../../base/db/project-share';
import { workUuid, writePublished } from '../../events';
import { eventBody } from '../../events/contract';
import type { Work } from '../../../base/http/idempotency';
import { describeIssues } from '../../../base/http/validate';
import { isoTime } from '../../../base/lib/iso-time';
import { currentTraceparent } from '../../../base/lib/tracing';
import { onSubscriberChange, type Cause } from '..';
import type { TrackRequest, TrackResult } from './contract';
import { insertTracked, lockTrackedPeople, type TrackedEvent, type TrackedPerson } from './queries';

export interface TrackDeps {
  pool: pg.Pool;
  config: { HERALD_SUBSCRIBER_ID_FORMAT: SubscriberIdFormat };
}

/** A request with so many events costs others something. */
const LARGE = 10;

/** An event of the request, with the subscribers that it names. */
interface Named {
  given: TrackRequest['events'][number];
  eventId: string;
  index: number;
  people: TrackedPerson[];
}

/**
 * Tracks the events of one request: one transaction for the events, their deliveries and what follows from them. The
 * subscribers are locked before the ids are claimed, in every request.
 */
export function trackEvents(
  { pool, config }: TrackDeps,
  projectId: string,
  request: TrackRequest,
  work: Work,
): Promise<TrackResult[]> {
  const track = () =>
    withTransaction(pool, (db) => trackIn(db, config.HERALD_SUBSCRIBER_ID_FORMAT, projectId, request, work));
  const isLarge = request.events.length >= LARGE;
  return isLarge ? inRequestTurn(projectId, track, { waitMs: SHARE_WAIT_MS }) : track();
}

/** As `trackEvents`, in the caller's transaction. */
export async function trackIn(
  db: Db,
  format: SubscriberIdFormat,
  projectId: string,
  { events }: TrackRequest,
  work: Work,
): Promise<TrackResult[]> {
  const named = await findPeople(db, projectId, events, work);
  refuseOutOfRange(named, work);
  const rows = withoutRepeatedIds(named).flatMap((event) =>
    event.people.map((person) => ({ event, person, tracked: trackedOf(event, person, work) })),
  );
  const traceparent = currentTraceparent();
  const written = await writePublished(
    db,
    rows.map(({ event, person, tracked }) => ({
      id: tracked.id,
      projectId,
      name: 'event.tracked',
      body: bodyOf(tracked, person, format),
      publishedId: event.given.event_id === undefined ? null : claimedId(event.given.event_id),
      subscriberId: person.id,
      traceparent,
    })),
  );
  const accepted = rows.filter(({ tracked }) => written.has(tracked.id));
  const tracked = accepted.map((each) => each.tracked);
  await insertTracked(db, projectId, tracked);
  await onSubscriberChange(db, projectId, tracked.map(causeOf));
  const acceptedEvents = new Set(accepted.map(({ event }) => event));
  return named.map((event) => ({ event_id: event.eventId, status: statusOf(event, acceptedEvents) }));
}

const OUT_OF_RANGE = `must be between ${limits.trackedDaysBack} days ago and ${limits.trackedMinutesAhead} minutes ahead`;

/**
 * Refuses events that occurred too long ago or too far ahead. Here and not in the schema: a repeated request with the same
 * Idempotency-Key gets its response, however late it comes.
 */
function refuseOutOfRange(events: Named[], work: Work): void {
  // Without a subscriber nothing is written: the clock of the process is good enough.
  const now = events.flatMap(({ people }) => people)[0]?.now ?? new Date();
  const issues = events.flatMap(({ given: { occurred_at }, index }) => {
    if (occurred_at === undefined) return [];
    if (isInRange(new Date(occurred_at), now, work)) return [];
    return [
      {
        code: 'custom' as const,
        path: ['events', index, 'occurred_at'],
        message: OUT_OF_RANGE,
        input: occurred_at,
      },
    ];
  });
  if (issues.length > 0) throw new AppError('validation_failed', describeIssues(issues));
}

export function isInRange(occurredAt: Date, now: Date, { resumed }: Pick<Work, 'resumed'>): boolean {
  const age = now.getTime() - occurredAt.getTime();
  // The request that this one resumes may have been in time, and have written the events.
  const resumedMs = resumed ? limits.idempotencyHours * HOUR_MS : 0;
  return age <= limits.trackedDaysBack * DAY_MS + resumedMs && -age <= limits.trackedMinutesAhead * MINUTE_MS;
}

function statusOf(event: Named, accepted: ReadonlySet<Named>): TrackResult['status'] {
  if (event.people.length === 0) return 'subscriber_not_found';
  return accepted.has(event) ? 'accepted' : 'duplicate';
}

async function findPeople(
  db: Db,
  projectId: string,
  events: TrackRequest['events'],
  work: Work,
): Promise<Named[]> {
  const uuids = events.map(({ subscriber_id }) =>
    subscriber_id === undefined ? null : parseSubscriberId(subscriber_id),
  );
  const limit = limits.sendRecipients;
  const people = await lockTrackedPeople(db, projectId, {
    ids: uuids.flatMap((uuid) => uuid ?? []),
    externalIds: [...new Set(events.flatMap(({ external_id }) => external_id ?? []))],
    limit: limit + 1,
  });
  const byId = new Map(people.map((person) => [person.id, person]));
  const byExternalId = new Map<string, TrackedPerson[]>();
  for (const person of people) {
    if (person.external_id === null) continue;
    const same = byExternalId.get(person.external_id);
    if (same) same.push(person);
    else byExternalId.set(person.external_id, [person]);
  }
  const named = events.map((given, index) => {
    const one = byId.get(uuids[index] ?? '');
    const found =
      given.external_id === undefined ? (one ? [one] : []) : (byExternalId.get(given.external_id) ?? []);
    if (found.length > limit) {
      const text = `events[${index}].external_id: matches more than ${limit} subscribers`;
      throw new AppError('validation_failed', text);
    }
    return { given, index, people: found, eventId: given.event_id ?? workUuid(work, index) };
  });
  if (named.reduce((sum, event) => sum + event.people.length, 0) > limits.trackedPeople) {
    const text = `events: can name up to ${limits.trackedPeople} subscribers together; split the request`;
    throw new AppError('validation_failed', text);
  }
  return named;
}

/** An id that occurs twice in one request is a duplicate from its second occurrence on. */
function withoutRepeatedIds(events: Named[]): Named[] {
  const seen = new Set<string>();
  return events.filter(({ eventId, people }) => {
    if (people.length === 0 || seen.has(eventId)) return false;
    seen.add(eventId);
    return true;
  });
}

function trackedOf({ given, eventId, index }: Named, person: TrackedPerson, work: Work): TrackedEvent {
  return {
    id: workUuid(work, index, person.id),
    eventId,
    subscriberId: person.id,
    name: given.name,
    properties: given.properties ?? {},
    occurredAt: given.occurred_at === undefined ? person.now : new Date(given.occurred_at),
  };
}

function causeOf({ subscriberId, name, properties }: TrackedEvent): Cause {
  return { type: 'event', subscriberId, name, properties };
}

function bodyOf(event: TrackedEvent, person: TrackedPerson, format: SubscriberIdFormat): string {
  return eventBody('event.tracked', {
    event_id: event.eventId,
    name: event.name,
    subscriber_id: formatSubscriberId(person.id, format),
    channel: person.channel,
    external_id: person.external_id,
    properties: event.properties,
    received_at: isoTime(person.now),
    occurred_at: isoTime(event.occurredAt),
  });
}

/**
 * The id under which a tracked event is claimed: not one that a publisher uses, and nothing of a person in it, because it
 * outlives the removal of a subscriber.
 */
function claimedId(eventId: string): string {
  return `tracked ${createHash('sha256').update(eventId).digest('hex')}`;
}
