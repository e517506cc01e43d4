import type pg from 'pg';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Work } from '../../base/http/idempotency';
import { createEarlyCounts, createRateLimiters, retryAfterSeconds } from '../../base/http/rate-limiter';
import { deliveriesOfEvents } from './fan-out';

/** Refuses the events of a request that the project may not send now. Not for events that Herald emits itself. */
export type AdmitEvents = (
  project: { id: string; events_per_minute: number | null; queued_deliveries: number | null },
  events: number,
  work: Pick<Work, 'resumed'>,
) => Promise<void>;

/**
 * How long a project's queue counts as full or not: counting 100,000 rows for each request would cost more than
 * the request. Within this time a project at its limit of events adds a hundredth of the queue's limit per endpoint.
 */
const COUNTED_FOR_MS = 2_000;
/** Below this limit, which two seconds could exceed many times over, a count that admits a request is not used again. */
const SMALL_QUEUE = 10_000;
const QUEUE_RETRY_SECONDS = 10;
/** With this many events left in the minute, a request is admitted before its events are counted. */
const FAR_FROM_LIMIT = 5_000;
const MAX_COUNTED_PROJECTS = 1_000;

export function createAdmission(pool: pg.Pool): AdmitEvents {
  const counterFor = createRateLimiters(pool, { name: 'events', seconds: 60 });
  const counts = createEarlyCounts({ far: FAR_FROM_LIMIT });
  const queues = new Map<string, { isFull: Promise<boolean>; until: number }>();

  function isQueueFull(id: string, max: number): Promise<boolean> {
    const known = queues.get(id);
    if (known && known.until > performance.now()) return known.isFull;
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

  return async (project, events, { resumed }) => {
    // Its events may be stored already: a refusal would forget the request, and a repetition would store them again.
    if (resumed) return;
    const maxQueued = project.queued_deliveries ?? limits.queuedDeliveries;
    if (await isQueueFull(project.id, maxQueued)) {
      throw new AppError('rate_limit_queue', undefined, { retryAfter: QUEUE_RETRY_SECONDS });
    }
    if (maxQueued < SMALL_QUEUE) queues.delete(project.id);
    const points = project.events_per_minute ?? limits.eventsPerMinute;
    const limited = { key: project.id, points, count: counterFor(points) };
    if (counts.later(limited, events)) return;
    const counted = await counts.now(limited, events);
    if (counted.allowed) return;
    throw new AppError('rate_limit_events', undefined, { retryAfter: retryAfterSeconds(counted) });
  };
}
