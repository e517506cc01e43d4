import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../lib/log';

export interface LeaderOptions {
  /** Identifies the work that only one process of the installation may run. */
  name: string;
  databaseUrl: string;
  log: Logger;
  /** Runs until the signal aborts; restarted if it returns earlier. */
  work: (signal: AbortSignal) => Promise<void>;
}

export interface Leader {
  stop(): Promise<void>;
}

const RETRY_MS = 1_000;

/**
 * Leader election: runs `work` in one process at a time. The leader holds an advisory lock on a dedicated connection,
 * so PostgreSQL releases the lock when the process dies and another process takes over.
 */
export function runAsLeader({ name, databaseUrl, log, work }: LeaderOptions): Leader {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function lead(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: `herald ${name}`,
      connectionTimeoutMillis: 3_000,
      keepAlive: true,
    });
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    try {
      await client.connect();
      if (await waitForLock(client, AbortSignal.any([signal, lost.signal]))) {
        await work(AbortSignal.any([signal, lost.signal]));
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function waitForLock(client: pg.Client, until: AbortSignal): Promise<boolean> {
    while (!until.aborted) {
      const { rows } = await client.query<{ acquired: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS acquired',
        [`herald/${name}`],
      );
      if (rows[0]?.acquired) return true;
      await pause(until);
    }
    return false;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await lead().catch((err: unknown) =>
        log.warn({ err, work: name }, 'leader election or leader work failed; retrying'),
      );
      await pause(signal);
    }
  }

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
}
