import type pg from 'pg';
import type { Db } from '../../base/db/pool';
import { AppError } from '../../base/contract/errors';
import { issueText } from '../../base/contract/issues';
import { inRequestTurn } from '../../base/db/batches';
import { SHARE_WAIT_MS } from '../../base/db/project-share';
import type { Work } from '../../base/http/idempotency';
import { describeIssues } from '../../base/http/validate';
import { createBatcher } from '../../base/lib/batch';
import { createRegistry } from '../../base/lib/registry';
import { currentTraceparent } from '../../base/lib/tracing';
import { eventNames, eventRegistry, isPublished, type PublishRequest, type PublishResult } from './contract';
import { subscriberOf } from './queries/emit';
import { writePublished, type PublishedEvent } from './queries/publish';
import { workUuid } from './work-uuid';

/** A request with so many events costs others something. */
const LARGE = 10;

/** Requests with one event that share a statement at most. */
const SHARED_ROWS = 100;

export interface Refusal<N extends string> {
  names: N[];
  /** After a name. */
  why: string;
}

/** Which of these events a project may not publish now; null if it may. Registered by the rooms whose events they are. */
export type RefusePublished = <N extends string>(
  db: Db,
  projectId: string,
  names: readonly N[],
) => Promise<Refusal<N> | null>;

export const publishRefusals = createRegistry<RefusePublished>('publishRefusals');

async function refuseConflicting(db: Db, projectId: string, events: PublishedEvent[]): Promise<void> {
  const names = [...new Set(events.map(({ name }) => name))];
  for (const refuse of publishRefusals.entries()) {
    const refusal = await refuse(db, projectId, names);
    if (refusal) throw new AppError('conflict', `${refusal.names[0]} ${refusal.why}`);
  }
}

/** Those that only Herald emits in this project, among the events that can be published. */
export async function refusedNames(db: Db, projectId: string): Promise<Set<string>> {
  const names = eventNames.filter(isPublished);
  const refusals = await Promise.all(publishRefusals.entries().map((refuse) => refuse(db, projectId, names)));
  return new Set(refusals.flatMap((refusal) => refusal?.names ?? []));
}

export type Publish = (projectId: string, request: PublishRequest, work: Work) => Promise<PublishResult[]>;

/**
 * Publishes the events of one request in one commit: all of them, or none where one is invalid. Results are in the order
 * of the request. Requests with one event share a statement with those that arrive while another is in flight.
 */
export function createPublish(pool: pg.Pool): Publish {
  const insert = (events: PublishedEvent[]) => writePublished(pool, withoutRepeatedIds(events));
  const single = createBatcher(
    async (events: PublishedEvent[]) => {
      const written = await insert(events);
      return events.map(({ id }) => written.get(id));
    },
    { size: SHARED_ROWS },
  );

  const publishAll = async (projectId: string, events: PublishRequest['events'], work: Work) => {
    const given = checkedEvents(projectId, events, work);
    await refuseConflicting(pool, projectId, given);
    const [first] = given;
    const written =
      first && given.length === 1 ? new Map([[first.id, await single.write(first)]]) : await insert(given);
    return given.map(({ id, publishedId }) => {
      const deliveries = written.get(id);
      return {
        event_id: publishedId ?? id,
        status: deliveries === undefined ? ('duplicate' as const) : ('accepted' as const),
        deliveries: deliveries ?? 0,
      };
    });
  };

  return (projectId, { events }, work) => {
    const publish = () => publishAll(projectId, events, work);
    return events.length < LARGE ? publish() : inRequestTurn(projectId, publish, { waitMs: SHARE_WAIT_MS });
  };
}

function checkedEvents(projectId: string, events: PublishRequest['events'], work: Work): PublishedEvent[] {
  events.forEach(({ event }, index) => {
    if (isPublished(event)) return;
    throw new AppError('forbidden', `events[${index}].event: ${event} cannot be published`);
  });
  events.forEach(checkData);
  const traceparent = currentTraceparent();
  return events.map(({ event, data, event_id }, index) => {
    return {
      id: workUuid(work, index),
      projectId,
      name: event,
      // The bytes that receivers get. `data` is sent as given: the schema has checked it and changes nothing.
      body: JSON.stringify({ event, data }),
      publishedId: event_id ?? null,
      subscriberId: subscriberOf(data),
      traceparent,
    };
  });
}

function checkData({ event, data }: PublishRequest['events'][number], index: number): void {
  const { error } = eventRegistry[event].schema.safeParse(data, { error: issueText });
  if (!error) return;
  const issues = error.issues.map((issue) => ({ ...issue, path: ['events', index, 'data', ...issue.path] }));
  throw new AppError('validation_failed', describeIssues(issues));
}

/** An id of a project that occurs twice is a duplicate from its second occurrence on. */
function withoutRepeatedIds(events: PublishedEvent[]): PublishedEvent[] {
  const seen = new Set<string>();
  return events.filter(({ projectId, publishedId }) => {
    if (publishedId === null) return true;
    const id = `${projectId}/${publishedId}`;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
