import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { notifyChannels, type Notifications } from '../db/notify';
import { readStream, type StreamedEvent, type StreamPlace } from './queries/stream';

const PAGE = 100;
/** Notifications can be lost, and an event can wait for the end of an unrelated transaction, which sends no notification. */
const POLL_MS = 1_000;
/** A busy project notifies all the time; its events are read in groups. */
const REST_MS = 100;

export interface Followed {
  projectId: string;
  after: StreamPlace;
  /** Null: all. */
  names: string[] | null;
  signal: AbortSignal;
}

/** The events of a project as they commit, in groups; an empty group about once a second, so that the caller can act. */
export async function* followEvents(
  { pool, notifications }: { pool: pg.Pool; notifications: Notifications },
  { projectId, after, names, signal }: Followed,
): AsyncGenerator<StreamedEvent[], void> {
  const bell = createBell(notifications, signal);
  try {
    for (let place = after; !signal.aborted;) {
      const began = performance.now();
      bell.reset();
      const events = await readStream(pool, projectId, place, PAGE);
      place = events.at(-1) ?? place;
      // Filtered here, so that the place moves past events of other names.
      yield names ? events.filter(({ name }) => names.includes(name)) : events;
      if (events.length === PAGE) continue;
      await bell.rung(POLL_MS);
      const restMs = Math.max(0, REST_MS - (performance.now() - began));
      await sleep(restMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    bell.stop();
  }
}

/** Tells that events were committed since `reset`. */
function createBell(notifications: Notifications, signal: AbortSignal) {
  let hasRung = false;
  let wake = () => {};
  const ring = () => {
    hasRung = true;
    wake();
  };
  const off = notifications.on(notifyChannels.delivery, ring);
  signal.addEventListener('abort', ring, { once: true });
  return {
    reset: () => (hasRung = signal.aborted),
    async rung(ms: number): Promise<void> {
      if (hasRung) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    stop(): void {
      off();
      signal.removeEventListener('abort', ring);
    },
  };
}
