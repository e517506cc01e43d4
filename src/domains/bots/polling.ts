import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Channel } from '../../base/contract/common';
import type { Logger } from '../../base/lib/log';
import { sharedBotKey } from './bot-key';
import type { Intake } from './intake';
import type { Leaders } from './leader';
import type { Messenger } from './messenger';
import { PlatformError } from './platform-error';
import { findBotPosition } from './queries/updates';

export interface PollingOptions {
  channel: Channel;
  /** Default: the shared bot. */
  bot?: string;
  /** Null until the bot is connected. */
  messenger: () => Messenger | null;
  intake: Pick<Intake, 'store'>;
  pool: pg.Pool;
  leaders: Leaders;
  log: Logger;
}

export interface Polling {
  /** Aborts the running poll; updates already received are still stored. */
  stop(): Promise<void>;
}

/** `ours`: while the database is unavailable, which is a matter of seconds. */
const BACKOFF_MS = { first: 500, max: 30_000, ours: 2_000 };
/** After a 409, gives the other poller time to stop. */
const CONFLICT_MS = 3_000;
const NOT_CONNECTED_MS = 500;

/** Long-polls one bot, in one process at a time. */
export function startPolling(options: PollingOptions): Polling {
  const { channel, bot = sharedBotKey(channel) } = options;
  return options.leaders.lead(`poll/${bot}`, (signal) => poll(options, bot, signal));
}

async function poll(options: PollingOptions, bot: string, signal: AbortSignal): Promise<void> {
  const { channel, log, intake, pool } = options;
  let backoff = BACKOFF_MS.first;
  let webhookDeleted = false;
  /** The position that the last poll has stored. Read again after a failure or a poll without updates (see `findBotPosition`). */
  let position: string | null = null;
  while (!signal.aborted) {
    const messenger = options.messenger();
    if (!messenger) {
      await pause(NOT_CONNECTED_MS, signal);
      continue;
    }
    try {
      // The platform returns no updates to a poll while a webhook is set.
      if (!webhookDeleted) await messenger.deleteWebhook();
      webhookDeleted = true;
      position ??= await findBotPosition(pool, bot);
      const polled = await messenger.poll(position, signal);
      // The position commits with the updates, so the platform returns updates again if storing them failed.
      if (polled.updates.length > 0 || polled.position !== position) {
        await intake.store(channel, polled.updates, polled.position ?? undefined, bot);
      }
      position = polled.updates.length > 0 ? polled.position : null;
      backoff = BACKOFF_MS.first;
    } catch (error) {
      if (signal.aborted) return;
      position = null;
      const status = error instanceof PlatformError ? error.status : null;
      if (status === 409) webhookDeleted = false;
      const waitMs = backoffAfter(error, status, backoff);
      log.warn({ err: error, bot, wait_ms: waitMs }, 'polling failed; retrying after a pause');
      await pause(waitMs, signal);
      backoff = Math.min(backoff * 2, BACKOFF_MS.max);
    }
  }
}

function backoffAfter(error: unknown, status: number | null, backoff: number): number {
  if (error instanceof PlatformError && error.retryAfterMs !== null) return error.retryAfterMs;
  if (status === 409) return CONFLICT_MS;
  return error instanceof PlatformError ? backoff : Math.min(backoff, BACKOFF_MS.ours);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
