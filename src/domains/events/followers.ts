import { notifyAfterCommit, notifyChannels, type Notifications } from '../../base/db/notify';
import type { Db } from '../../base/db/pool';

/*
 * Events wake streams only while there are any. Each stream announces itself every ten seconds to the processes that write
 * events; until a process has heard it, the stream finds that process's events by its poll of a second.
 */

const ANNOUNCE_MS = 10_000;
const HEARD_FOR_MS = 2.5 * ANNOUNCE_MS;

let followedUntil = -Infinity;

/** Called in every process that writes events. */
export function hearFollowers(notifications: Notifications): void {
  notifications.on(notifyChannels.followers, (payload) => {
    if (payload !== null) followedUntil = performance.now() + HEARD_FOR_MS;
  });
}

/** Wakes the streams once the events of this transaction are committed. */
export function wakeFollowers(db: Db): void {
  if (performance.now() < followedUntil) notifyAfterCommit(db, notifyChannels.events);
}

/** Returns a function that a stream calls before each read, to announce itself when it is time. */
export function createAnnouncer(db: Db): () => void {
  let announcedAt = -Infinity;
  return () => {
    if (performance.now() - announcedAt < ANNOUNCE_MS) return;
    announcedAt = performance.now();
    notifyAfterCommit(db, notifyChannels.followers);
  };
}
