import type pg from 'pg';
import { followedLists, type FollowedList } from '../contract/followed-lists';
import { notifyChannels, type Notifications } from './notify';
import { afterCommit, type Db } from './pool';

/** The least time between two notifications of a process. */
const MIN_INTERVAL_MS = 1_000;
/** A payload has less than 8,000 bytes. */
const PER_PAYLOAD = 100;

/** What has changed since the last notification of this process, while it waits for the next one. */
const waiting = new WeakMap<pg.Pool, Set<string>>();

/**
 * Notes that a list of a project has changed, once the transaction of `db` has committed. It adds no statement to the
 * transaction: a process notifies at most once a second of everything that it has changed. A notification is lost if its
 * process dies, so streams also name every list once a minute.
 */
export function noteChange(db: Db, list: FollowedList, projectId: string): void {
  afterCommit(db, (pool) => note(pool, `${list}/${projectId}`));
}

function note(pool: pg.Pool, change: string): void {
  const later = waiting.get(pool);
  if (later) later.add(change);
  else notify(pool, [change]);
}

function notify(pool: pg.Pool, changes: string[]): void {
  waiting.set(pool, new Set());
  const payloads = [];
  for (let at = 0; at < changes.length; at += PER_PAYLOAD) {
    payloads.push(changes.slice(at, at + PER_PAYLOAD).join(' '));
  }
  pool
    .query({
      name: 'notify_changes',
      text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, payload)
             FROM unnest($2::text[]) AS given (payload)`,
      values: [notifyChannels.changes, payloads],
    })
    .catch(() => {});
  setTimeout(() => {
    const later = [...(waiting.get(pool) ?? [])];
    waiting.delete(pool);
    if (later.length > 0 && !pool.ending) notify(pool, later);
  }, MIN_INTERVAL_MS).unref();
}

/**
 * Calls `onChange` with the names of lists of the project that may have changed. Returns what ends it. After a lost
 * connection every list may have.
 */
export function onChanges(
  notifications: Notifications,
  projectId: string,
  onChange: (lists: readonly FollowedList[]) => void,
): () => void {
  return notifications.on(notifyChannels.changes, (payload) => {
    if (payload === null) return onChange(followedLists);
    const changes = payload.split(' ');
    const lists = followedLists.filter((list) => changes.includes(`${list}/${projectId}`));
    if (lists.length > 0) onChange(lists);
  });
}
