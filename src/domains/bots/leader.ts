import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { keepAlive } from '../../base/db/time-limits';
import type { Logger } from '../../base/lib/log';
import { stopLeading, tryToLead } from './queries/leadership';

interface LeadersOptions {
  databaseUrl: string;
  log: Logger;
}

export interface Leader {
  /** Ends the work and lets another process lead. */
  stop(): Promise<void>;
}

/** Leader election for several pieces of work, each of which only one process of the installation may run. */
export interface Leaders {
  /** Runs `work` while this process leads `name`, until the signal aborts; restarted if it returns earlier. */
  lead(name: string, work: (signal: AbortSignal) => Promise<void>): Leader;
  stop(): Promise<void>;
}

interface Candidate {
  name: string;
  work: (signal: AbortSignal) => Promise<void>;
  stopping: AbortController;
  /** The running work; null while another process leads or after the work has ended. */
  running: Promise<void> | null;
}

const RETRY_MS = 1_000;
const QUERY_TIMEOUT_MS = 5_000;

/**
 * The leader holds an advisory lock for each name. All locks of a process are on one dedicated connection, so that a
 * thousand bots need no thousand connections. PostgreSQL releases them when the process dies, and another takes over.
 */
export function createLeaders({ databaseUrl, log }: LeadersOptions): Leaders {
  const stopping = new AbortController();
  const candidates = new Set<Candidate>();
  let newcomer = new AbortController();

  async function hold(): Promise<void> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'herald leader',
      connectionTimeoutMillis: 3_000,
      query_timeout: QUERY_TIMEOUT_MS,
      // Several works may end at once, each with a statement of its own.
      pipeline: true,
      ...keepAlive,
    });
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    const until = AbortSignal.any([stopping.signal, lost.signal]);
    try {
      await client.connect();
      while (!until.aborted) {
        newcomer = new AbortController();
        await acquire(client, until);
        await pause(AbortSignal.any([until, newcomer.signal]));
      }
    } finally {
      // The locks go with the connection, so it stays open until the work has ended.
      if (stopping.signal.aborted) await untilIdle();
      lost.abort();
      await client.end().catch(() => undefined);
      await untilIdle();
    }
  }

  async function untilIdle(): Promise<void> {
    for (const { running } of candidates) await running;
  }

  async function acquire(client: pg.Client, until: AbortSignal): Promise<void> {
    const waiting = [...candidates].filter(
      ({ running, stopping: { signal } }) => !running && !signal.aborted,
    );
    if (waiting.length === 0) return;
    const acquired = await tryToLead(
      client,
      waiting.map(({ name }) => name),
    );
    waiting.forEach((candidate, index) => {
      if (acquired[index]) candidate.running = run(client, candidate, until);
    });
  }

  async function run(client: pg.Client, candidate: Candidate, until: AbortSignal): Promise<void> {
    const { name, work } = candidate;
    try {
      const signal = AbortSignal.any([until, candidate.stopping.signal]);
      if (!signal.aborted) await work(signal);
    } catch (err) {
      log.warn({ err, work: name }, 'the work of a leader failed; retrying');
    }
    await stopLeading(client, name).catch(() => undefined);
    candidate.running = null;
  }

  async function keepHolding(): Promise<void> {
    while (!stopping.signal.aborted) {
      await hold().catch((err: unknown) => log.warn({ err }, 'leader election failed; retrying'));
      await pause(stopping.signal);
    }
  }

  const holding = keepHolding();
  return {
    lead(name, work) {
      const candidate: Candidate = { name, work, stopping: new AbortController(), running: null };
      candidates.add(candidate);
      newcomer.abort();
      return {
        async stop() {
          candidate.stopping.abort();
          await candidate.running;
          candidates.delete(candidate);
        },
      };
    },
    async stop() {
      stopping.abort();
      await holding;
    },
  };
}

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
}
