import type pg from 'pg';

/** The number of pending deliveries, polled. */
export interface Backlog {
  /** Callers add no events then, as where a project's queue is full: otherwise an hour of faults would need hours to drain. */
  isFull(): boolean;
  stop(): void;
}

const MOST_WAITING = 1_000;
const POLL_MS = 2_000;

export function watchBacklog(pool: pg.Pool): Backlog {
  let waiting = 0;
  const poll = async () => {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM deliveries WHERE status = 'pending'`,
    );
    waiting = rows[0]?.n ?? 0;
  };
  // The database is one of the things that fail.
  const timer = setInterval(() => void poll().catch(() => undefined), POLL_MS);
  return { isFull: () => waiting > MOST_WAITING, stop: () => clearInterval(timer) };
}
