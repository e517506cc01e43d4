import { notifyAfterCommit, notifyChannels, type Notifications } from '../../base/db/notify';
import type { Db } from '../../base/db/pool';

/*
 * Events wake streams only while there are any: a stream says so again and again, and every process that writes events hears
 * it. One that has not heard it yet costs the stream its poll of a second.
 */

const ANNOUNCE_MS = 10_000;
const HEARD_FOR_MS = 2.5 * ANNOUNCE_MS;

let followedUntil = -Infinity;

/** In every process that writes events. */
export function hearFollowers(notifications: Notifications): void {
  notifications.on(notifyChannels.followers, (payload) => {
    if (payload !== null) followedUntil = performance.now() + HEARD_FOR_MS;
  });
}

/** Wakes the streams once the events of this transaction are committed. */
export function wakeFollowers(db: Db): void {
  if (performance.now() < followedUntil) notifyAfterCommit(db, notifyChannels.events);
}

/** For a stream, before each of its reads. */
export function createAnnouncer(db: Db): () => void {
  let announcedAt = -Infinity;
  return () => {
    if (performance.now() - announcedAt < ANNOUNCE_MS) return;
    announcedAt = performance.now();
    notifyAfterCommit(db, notifyChannels.followers);
  };
}
