import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../lib/log';

export interface LeadOptions {
  /** What there may be only one of in the whole installation. */
  name: string;
  databaseUrl: string;
  log: Logger;
  /** Runs while this process leads, until the signal; when it ends by itself it is run again. */
  work: (signal: AbortSignal) => Promise<void>;
}

export interface Lead {
  stop(): Promise<void>;
}

const LOOK_AGAIN_MS = 1_000;

/**
 * Runs something in one process at a time. The leader holds an advisory lock on a connection of its own, so that the
 * lock goes with the process; the others stand by and take over.
 */
export function leadAlone({ name, databaseUrl, log, work }: LeadOptions): Lead {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function tryOnce(): Promise<void> {
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
      const { rows } = await client.query<{ led: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS led',
        [`herald/${name}`],
      );
      if (rows[0]?.led) return true;
      await pause(until);
    }
    return false;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await tryOnce().catch((err: unknown) =>
        log.warn({ err, lead: name }, 'leader election failed; retrying'),
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
  await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
}
