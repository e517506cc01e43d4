import type pg from 'pg';
import { createBatcher } from '../lib/batch';
import { addToCounters } from './queries';

const BATCH_SIZE = 500;
/** With this many keys over their limit, the process forgets those whose window has ended. */
const MANY_REFUSED = 1_000;

export interface Counted {
  allowed: boolean;
  remaining: number;
  msBeforeNext: number;
}

/** Counts a request or a failure of `key`, or `amount` of them, and returns whether all were within the limit. */
export type Count = (key: string, amount?: number) => Promise<Counted>;

/**
 * A fixed-window rate limiter, counted in Postgres so that all processes agree. Once a key exceeds its limit, the
 * process refuses it from memory until the window ends.
 */
export function createRateLimiter(
  pool: pg.Pool,
  { name, points, seconds }: { name: string; points: number; seconds: number },
): Count {
  /** Keys over their limit, and when their window ends. */
  const refused = new Map<string, number>();

  function refuseUntil(key: string, end: number): void {
    refused.set(key, end);
    if (refused.size < MANY_REFUSED) return;
    for (const [other, otherEnd] of refused) if (otherEnd <= performance.now()) refused.delete(other);
  }

  // All requests of a project update one row: those that arrive during an update share the next one.
  const batcher = createBatcher<{ key: string; amount: number }, Counted>(
    async (given) => {
      const now = performance.now();
      const amounts = new Map<string, number>();
      for (const { key, amount } of given) {
        if ((refused.get(key) ?? 0) <= now) amounts.set(key, (amounts.get(key) ?? 0) + amount);
      }
      const windows = new Map<string, { remaining: number; msBeforeNext: number }>();
      for (const { key, points: used, ms_left } of await addToCounters(pool, amounts, seconds)) {
        if (used > points) refuseUntil(key, performance.now() + ms_left);
        const before = used - (amounts.get(key) ?? 0);
        windows.set(key, { remaining: Math.max(0, points - before), msBeforeNext: Math.max(0, ms_left) });
      }
      // In the order of arrival: an amount above what is left of the limit is refused.
      return given.map(({ key, amount }) => {
        const window = windows.get(key) ?? { remaining: 0, msBeforeNext: (refused.get(key) ?? now) - now };
        const allowed = amount <= window.remaining;
        if (allowed) window.remaining -= amount;
        return { allowed, ...window };
      });
    },
    { size: BATCH_SIZE },
  );
  return (key, amount = 1) => batcher.write({ key: `${name}:${key}`, amount });
}

/** Counters of one name, whose limit can differ from key to key. */
export function createRateLimiters(
  pool: pg.Pool,
  { name, seconds }: { name: string; seconds: number },
): (points: number) => Count {
  const byPoints = new Map<number, Count>();
  return (points) => {
    const existing = byPoints.get(points);
    if (existing) return existing;
    const count = createRateLimiter(pool, { name, points, seconds });
    byPoints.set(points, count);
    return count;
  };
}

/** Amounts that are counted later share a statement in this time. */
const COUNT_LATER_MS = 50;
const MAX_KNOWN_KEYS = 10_000;

/** What this process knows of a key between two counts in the database. */
interface Standing {
  /** Without what it has counted itself since. */
  left: number;
  until: number;
  /** Everything that this process has counted or will count. */
  total: number;
  /** The part of it that has not been sent to the database. */
  unsent: number;
  timer: NodeJS.Timeout | undefined;
}

/** A key and its limit; `count` counts in the database. */
interface Limited {
  key: string;
  points: number;
  count: Count;
}

export interface EarlyCounts {
  /** Counts an amount in a moment, without waiting for it, as long as `far` are left; else null, and nothing is counted. */
  later(limited: Limited, amount?: number): Counted | null;
  /** Counts an amount now, after those that were to be counted later. */
  now(limited: Limited, amount?: number): Promise<Counted>;
}

/**
 * Far from its limit a caller need not wait until it is counted, and many amounts share one statement. The limit stays exact,
 * unless other processes count more than `far` in the meantime.
 */
export function createEarlyCounts({ far }: { far: number }): EarlyCounts {
  const standings = new Map<string, Standing>();

  // A key whose limit was changed has another standing.
  const nameOf = ({ key, points }: Limited) => `${points}/${key}`;

  function standingOf(limited: Limited): Standing {
    const name = nameOf(limited);
    const known = standings.get(name);
    if (known) return known;
    if (standings.size >= MAX_KNOWN_KEYS) standings.clear();
    const created: Standing = { left: 0, until: 0, total: 0, unsent: 0, timer: undefined };
    standings.set(name, created);
    return created;
  }

  async function send(standing: Standing, { count, key }: Limited, amount: number): Promise<Counted> {
    const before = standing.total;
    const counted = await count(key, amount);
    standing.left = counted.remaining - (standing.total - before);
    standing.until = performance.now() + counted.msBeforeNext;
    return counted;
  }

  function sendUnsent(standing: Standing, limited: Limited): void {
    clearTimeout(standing.timer);
    standing.timer = undefined;
    const { unsent, until } = standing;
    standing.unsent = 0;
    // Those of a window that is over count for nothing.
    if (unsent === 0 || until <= performance.now()) return;
    // What cannot be counted is not refused for it: it has been admitted.
    send(standing, limited, unsent).catch(() => undefined);
  }

  return {
    later(limited, amount = 1) {
      const standing = standings.get(nameOf(limited));
      const now = performance.now();
      if (!standing || standing.until <= now || standing.left - amount < far) return null;
      standing.left -= amount;
      standing.total += amount;
      standing.unsent += amount;
      standing.timer ??= setTimeout(() => sendUnsent(standing, limited), COUNT_LATER_MS).unref();
      return { allowed: true, remaining: standing.left, msBeforeNext: standing.until - now };
    },
    now(limited, amount = 1) {
      const standing = standingOf(limited);
      sendUnsent(standing, limited);
      standing.total += amount;
      return send(standing, limited, amount);
    },
  };
}

/** The value of Retry-After: whole seconds, at least one. */
export function retryAfterSeconds({ msBeforeNext }: Pick<Counted, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
