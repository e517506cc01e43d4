import type pg from 'pg';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Work } from '../http/idempotency';
import { createRateLimiters, retryAfterSeconds, type Counted } from '../http/rate-limiter';
import type { Project } from '../projects/contract';
import { deliveriesOfEvents } from './fan-out';

/** Refuses the events of a request that the project may not send now. Not for events that Herald emits itself. */
export type AdmitEvents = (
  project: Pick<Project, 'id' | 'events_per_minute' | 'queued_deliveries'>,
  events: number,
  work: Pick<Work, 'resumed'>,
) => Promise<void>;

/**
 * How long a project's queue counts as full or not: counting 100,000 rows for each request would cost more than
 * the request. Within this time a project at its limit of events adds a hundredth of the queue's limit per endpoint.
 */
const COUNTED_FOR_MS = 2_000;
const QUEUE_RETRY_SECONDS = 10;
/** Events left in the minute that requests in flight do not use up: 50 of the largest. */
const FAR_FROM_LIMIT = 5_000;
const MAX_COUNTED_PROJECTS = 1_000;

export function createAdmission(pool: pg.Pool): AdmitEvents {
  const counterFor = createRateLimiters(pool, { name: 'events', seconds: 60 });
  const counts = new Map<string, { remaining: number; until: number }>();
  const queues = new Map<string, { isFull: Promise<boolean>; until: number }>();

  function isQueueFull({ id, queued_deliveries }: Parameters<AdmitEvents>[0]): Promise<boolean> {
    const known = queues.get(id);
    if (known && known.until > performance.now()) return known.isFull;
    const max = queued_deliveries ?? limits.queuedDeliveries;
    const isFull = deliveriesOfEvents
      .get()
      .countWaiting(pool, id, max + 1)
      .then((waiting) => waiting > max);
    if (queues.size >= MAX_COUNTED_PROJECTS) queues.clear();
    const counted = { isFull, until: performance.now() + COUNTED_FOR_MS };
    queues.set(id, counted);
    isFull.catch(() => queues.get(id) === counted && queues.delete(id));
    return isFull;
  }

  /** A request with this many left is admitted while it is counted. */
  function isFarFromLimit(id: string): boolean {
    const known = counts.get(id);
    return known !== undefined && known.until > performance.now() && known.remaining >= FAR_FROM_LIMIT;
  }

  function note(id: string, { remaining, msBeforeNext }: Counted): void {
    if (counts.size >= MAX_COUNTED_PROJECTS) counts.clear();
    counts.set(id, { remaining, until: performance.now() + msBeforeNext });
  }

  return async (project, events, { resumed }) => {
    // Its events may be stored already: a refusal would forget the request, and a repetition would store them again.
    if (resumed) return;
    if (await isQueueFull(project)) {
      throw new AppError('rate_limit_queue', undefined, { retryAfter: QUEUE_RETRY_SECONDS });
    }
    const counting = counterFor(project.events_per_minute ?? limits.eventsPerMinute)(project.id, events);
    if (isFarFromLimit(project.id)) {
      counting.then(
        (counted) => note(project.id, counted),
        () => {},
      );
      return;
    }
    const counted = await counting;
    note(project.id, counted);
    if (counted.allowed) return;
    throw new AppError('rate_limit_events', undefined, { retryAfter: retryAfterSeconds(counted) });
  };
}
