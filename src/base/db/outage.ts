import type pg from 'pg';
import { isConnectionFault } from '../lib/connection-fault';
import type { Logger } from '../lib/log';
import { isDestroyed } from './time-limits';

/** Connections are lost one after the other, and the first new one may come between them. */
const SETTLE_MS = 1_000;

/**
 * Reports that the database cannot be reached: one line when it is lost and one when it is back. Every relay, sweep and
 * request fails meanwhile; their lines would only repeat the first one, so they are counted.
 */
export interface Outage {
  /** A connection was lost or refused. */
  lost(error: Error | undefined): void;
  /** A connection was made. */
  connected(): void;
  /** Follows the connections of a pool. */
  watch(pool: pg.Pool): void;
  /** The log for everything that uses the database. */
  log: Logger;
}

export function createOutage(log: Logger): Outage {
  let current: { began: number; errors: number } | null = null;

  function lost(err: Error | undefined): void {
    if (current) return;
    current = { began: performance.now(), errors: 0 };
    log.error(
      { err },
      'the connection to the database was lost; further errors are counted until it is back',
    );
  }

  function connected(): void {
    if (!current) return;
    const ms = performance.now() - current.began;
    if (ms < SETTLE_MS) return;
    const { errors } = current;
    current = null;
    log.warn({ errors, seconds: Math.round(ms / 100) / 10 }, 'the database is available again');
  }

  /** Whether a line says no more than that the database is unavailable. */
  function repeats(fields: unknown): boolean {
    const err = (fields as { err?: unknown } | null)?.err;
    // The error of another server, or of a transaction that took too long, begins no outage.
    if (!current || !isConnectionFault(err)) return false;
    current.errors += 1;
    return true;
  }

  function quiet(loud: Logger): Logger {
    const filtered = (level: 'warn' | 'error') =>
      function (this: unknown, ...line: unknown[]): void {
        if (!repeats(line[0])) (loud[level] as (...line: unknown[]) => void)(...line);
      };
    return Object.assign(Object.create(loud) as Logger, {
      warn: filtered('warn'),
      error: filtered('error'),
      child: (...options: Parameters<typeof loud.child<never>>) => quiet(loud.child<never>(...options)),
    });
  }

  return {
    lost,
    connected,
    watch(pool) {
      pool.on('connect', (client) => {
        // Emitted before the statements of the connection fail; the first one tells why it was closed.
        client.once('error', (error: Error) => {
          if (isConnectionFault(error) && !isDestroyed(client)) lost(error);
        });
        connected();
      });
      pool.on('release', (error: Error | undefined) => {
        if (!error) connected();
      });
    },
    log: quiet(log),
  };
}
