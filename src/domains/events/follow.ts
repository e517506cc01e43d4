import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { FollowedList } from '../../base/contract/followed-lists';
import { onChanges } from '../../base/db/changes';
import { notifyChannels, type Notifications } from '../../base/db/notify';
import { createAnnouncer } from './followers';
import { readStream, type StreamedEvent, type StreamPlace } from './queries/stream';

const PAGE = 100;
/** Notifications can be lost, and an event can wait for an earlier transaction of its project, which may roll back. */
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

export interface FollowedEvents {
  events: StreamedEvent[];
  /** After these events and those that were left out by their names. */
  place: StreamPlace;
}

/**
 * The events of a project as they commit, in groups; an empty group about once a second, so that the caller can send a
 * keep-alive.
 */
export async function* followEvents(
  { pool, notifications }: { pool: pg.Pool; notifications: Notifications },
  { projectId, after, names, signal }: Followed,
): AsyncGenerator<FollowedEvents, void> {
  const wakeUp = createWakeUp((wake) => notifications.on(notifyChannels.events, wake), signal);
  const announce = createAnnouncer(pool);
  try {
    for (let place = after; !signal.aborted;) {
      const began = performance.now();
      wakeUp.reset();
      announce();
      const events = await readStream(pool, projectId, place, PAGE);
      const last = events.at(-1);
      if (last) place = last.seq;
      // Filtered here, so that the place moves past events of other names.
      yield { events: names ? events.filter(({ name }) => names.includes(name)) : events, place };
      if (events.length === PAGE) continue;
      await wakeUp.woken(POLL_MS);
      const restMs = Math.max(0, REST_MS - (performance.now() - began));
      await sleep(restMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    wakeUp.stop();
  }
}

/** At most one hint in this time. */
const HINT_MS = 1_000;
/** A notification is lost if its process dies: after this time without one, every list is named again. */
const RECHECK_MS = 60_000;

/**
 * Names of lists of a project that may have changed, in groups: all of them at the beginning, so that the caller reads
 * what changed before; an empty group about once a second, so that the caller can send a keep-alive.
 */
export async function* followChanges(
  { notifications }: { notifications: Notifications },
  { projectId, lists, signal }: { projectId: string; lists: FollowedList[]; signal: AbortSignal },
): AsyncGenerator<FollowedList[], void> {
  const changed = new Set<FollowedList>(lists);
  const wakeUp = createWakeUp(
    (wake) =>
      onChanges(notifications, projectId, (names) => {
        for (const name of names) if (lists.includes(name)) changed.add(name);
        wake();
      }),
    signal,
  );
  let hintedAt = performance.now();
  try {
    while (!signal.aborted) {
      if (performance.now() - hintedAt > RECHECK_MS) for (const name of lists) changed.add(name);
      const group = [...changed];
      changed.clear();
      if (group.length > 0) hintedAt = performance.now();
      wakeUp.reset();
      yield group;
      const restMs = group.length > 0 ? HINT_MS : 0;
      await sleep(restMs, undefined, { signal }).catch(() => {});
      if (changed.size === 0) await wakeUp.woken(POLL_MS);
    }
  } finally {
    wakeUp.stop();
  }
}

/** `woken` waits for a notification since `reset`, or for the given time. */
function createWakeUp(subscribe: (wake: () => void) => () => void, signal: AbortSignal) {
  let isAwake = false;
  let resume = () => {};
  const wake = () => {
    isAwake = true;
    resume();
  };
  const off = subscribe(wake);
  signal.addEventListener('abort', wake, { once: true });
  return {
    reset: () => (isAwake = signal.aborted),
    async woken(ms: number): Promise<void> {
      if (isAwake) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    stop(): void {
      off();
      signal.removeEventListener('abort', wake);
    },
  };
}
