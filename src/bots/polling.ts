import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Channel } from '../contract/common';
import { findBotPosition } from './queries/updates';
import type { Logger } from '../lib/log';
import type { Intake } from './intake';
import { leadAlone } from './lead';
import type { Messenger } from './messenger';
import { PlatformError } from './platform-error';

export interface PollingOptions {
  channel: Channel;
  /** Null while the platform has not said yet who the bot is. */
  messenger: () => Messenger | null;
  intake: Pick<Intake, 'store'>;
  pool: pg.Pool;
  databaseUrl: string;
  log: Logger;
}

export interface Polling {
  /** Cuts the running poll off; what it brought already is still stored. */
  stop(): Promise<void>;
}

const BACKOFF_MS = { first: 500, most: 30_000 };
/** After a 409 another poller is given time to notice that it is not alone. */
const CONFLICT_MS = 3_000;
const NOT_THERE_MS = 500;

/** Long polling of one channel, in one process at a time. */
export function startPolling(options: PollingOptions): Polling {
  const { channel, databaseUrl, log } = options;
  const lead = leadAlone({
    name: `poll/${channel}`,
    databaseUrl,
    log,
    work: (signal) => poll(options, signal),
  });
  return { stop: () => lead.stop() };
}

async function poll(options: PollingOptions, signal: AbortSignal): Promise<void> {
  const { channel, log, intake, pool } = options;
  let backoff = BACKOFF_MS.first;
  let isFree = false;
  while (!signal.aborted) {
    const messenger = options.messenger();
    if (!messenger) {
      await pause(NOT_THERE_MS, signal);
      continue;
    }
    try {
      // While a webhook is set, polling brings nothing.
      if (!isFree) await messenger.deleteWebhook();
      isFree = true;
      const position = await findBotPosition(pool, channel);
      const polled = await messenger.poll(position, signal);
      // The position moves with the commit: a poll that was not stored is answered with the same updates again.
      if (polled.updates.length > 0 || polled.position !== position) {
        await intake.store(channel, polled.updates, polled.position ?? undefined);
      }
      backoff = BACKOFF_MS.first;
    } catch (error) {
      if (signal.aborted) return;
      const status = error instanceof PlatformError ? error.status : null;
      if (status === 409) isFree = false;
      const waitMs = waitAfter(error, status, backoff);
      log.warn({ err: error, channel, wait_ms: waitMs }, 'polling failed; retrying after a pause');
      await pause(waitMs, signal);
      backoff = Math.min(backoff * 2, BACKOFF_MS.most);
    }
  }
}

function waitAfter(error: unknown, status: number | null, backoff: number): number {
  if (error instanceof PlatformError && error.retryAfterMs !== null) return error.retryAfterMs;
  return status === 409 ? CONFLICT_MS : backoff;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
