import { AppError } from '../contract/errors';
import { issueText } from '../contract/issues';
import type { Db } from '../db/pool';
import type { Work } from '../http/idempotency';
import { describeIssues } from '../http/validate';
import { eventRegistry, isPublished, type PublishRequest, type PublishResult } from './contract';
import { insertPublished, type PublishedEvent } from './queries/publish';
import { workUuid } from './work-uuid';

/**
 * Publishes the events of one request: all of them, or none where one is invalid. Results are in the order of the
 * request.
 */
export async function publishEvents(
  db: Db,
  projectId: string,
  { events }: PublishRequest,
  work: Work,
): Promise<PublishResult[]> {
  events.forEach(({ event }, index) => {
    if (isPublished(event)) return;
    throw new AppError('forbidden', `events[${index}].event: ${event} cannot be published`);
  });
  events.forEach(checkData);
  const given = events.map(({ event, data, event_id }, index) => ({
    id: workUuid(work, index),
    name: event,
    // The bytes that receivers get. `data` is sent as given: the schema has checked it and changes nothing.
    body: JSON.stringify({ event, data }),
    publishedId: event_id ?? null,
  }));
  const written = await insertPublished(db, projectId, withoutRepeatedIds(given));
  return given.map(({ id, publishedId }) => {
    const deliveries = written.get(id);
    return {
      event_id: publishedId ?? id,
      status: deliveries === undefined ? 'duplicate' : 'accepted',
      deliveries: deliveries ?? 0,
    };
  });
}

function checkData({ event, data }: PublishRequest['events'][number], index: number): void {
  const { error } = eventRegistry[event].schema.safeParse(data, { error: issueText });
  if (!error) return;
  const issues = error.issues.map((issue) => ({ ...issue, path: ['events', index, 'data', ...issue.path] }));
  throw new AppError('validation_failed', describeIssues(issues));
}

/** An id that occurs twice in one request is a duplicate from its second occurrence on. */
function withoutRepeatedIds(events: PublishedEvent[]): PublishedEvent[] {
  const seen = new Set<string>();
  return events.filter(({ publishedId }) => {
    if (publishedId === null) return true;
    if (seen.has(publishedId)) return false;
    seen.add(publishedId);
    return true;
  });
}
