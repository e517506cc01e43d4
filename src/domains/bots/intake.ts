import type pg from 'pg';
import type { Channel } from '../../base/contract/common';
import { notifyChannels, type Notifications } from '../../base/db/notify';
import type { Logger } from '../../base/lib/log';
import { metrics } from '../../base/lib/metrics';
import { withRetry } from '../../base/lib/retry';
import { startRelay, type Relay } from '../../base/temporal/relay';
import { sharedBotKey } from './bot-key';
import { parseUpdate } from './parse-update';
import { PlatformError } from './platform-error';
import {
  claimBotUpdates,
  extendBotUpdateLeases,
  markBotUpdateFailed,
  markBotUpdateHandled,
  storeBotUpdates,
  type ClaimedBotUpdate,
} from './queries/updates';
import { storable } from './storable';
import type { ParsedUpdate } from './update';

export interface StoredUpdate {
  id: number;
  channel: Channel;
  /** The bot that received it; null for the shared one. */
  bot: string | null;
  /** When the update was stored, by the database clock; deadlines are compared with it. */
  receivedAt: Date;
  parsed: ParsedUpdate;
}

export interface IntakeOptions {
  pool: pg.Pool;
  notifications: Notifications;
  log: Logger;
  /** Called at least once per update: again after it throws, and again after a crash even if it had finished. */
  handle: (update: StoredUpdate) => Promise<void>;
  /** After this many failures the update is set aside, so that it no longer blocks its chat. */
  maxFailures?: number;
  /** Delay before the first retry; doubles with each failure. */
  firstRetryMs?: number;
  /** Recognises transient errors other than the platform's own, such as a lost database or Temporal connection. */
  isTransient?: (error: unknown) => boolean;
}

export interface Intake {
  /**
   * Stores updates, without duplicates, and the new poll position in one transaction; resolves after the commit. `bot`
   * is the key of the bot that received them; default: the shared one.
   */
  store(channel: Channel, raws: unknown[], position?: string, bot?: string): Promise<void>;
  start(): void;
  /** Claims nothing more and waits for the updates in flight. */
  stop(): Promise<void>;
}

/** Updates handled in parallel, each from a different chat. */
const CONCURRENCY = 48;
/** Handlers wait for the platform: a bot that stalls leaves room for the others. */
const CONCURRENCY_PER_BOT = 16;
/** Updates are announced by NOTIFY, and retries have timers: the sweep finds updates of processes that died. */
export const SWEEP_MS = 5_000;
/** A claim whose response was lost with its connection is repeated when the lease has expired. */
const LEASE_SECONDS = 10;
const LAST_ERROR_LENGTH = 500;
const RECORD_PAUSE_MS = { first: 100, most: 1_000 };

/**
 * Stores updates before they are acknowledged to the platform, then handles them one at a time per chat, in order,
 * across all processes. A handler runs under a lease, not in a transaction; if its process dies, the lease expires and
 * another process takes over.
 */
export function createIntake({
  pool,
  notifications,
  log,
  handle,
  maxFailures = 10,
  firstRetryMs = 1_000,
  isTransient = () => false,
}: IntakeOptions): Intake {
  const inFlight = new Map<number, string>();
  let relay: Relay | undefined;
  const timers = new Set<NodeJS.Timeout>();

  async function handleClaimed(claimed: ClaimedBotUpdate): Promise<void> {
    const { id, channel, bot, payload, received_at } = claimed;
    // Its lease expired while this process stood still, and it is being handled here.
    if (inFlight.has(id)) return;
    inFlight.set(id, bot ?? sharedBotKey(channel));
    try {
      const { parsed } = parseUpdate(channel, payload);
      await handle({ id, channel, bot, receivedAt: received_at, parsed });
      await markBotUpdateHandled(pool, id);
      metrics.botUpdates.inc({ channel, outcome: 'handled' });
    } catch (error) {
      await recordFailure(id, channel, error);
    } finally {
      inFlight.delete(id);
      // The next update of its chat, or of its bot, may have waited for it.
      relay?.wake();
    }
  }

  async function recordFailure(id: number, channel: Channel, error: unknown): Promise<void> {
    const fromPlatform = error instanceof PlatformError ? error : null;
    const failure = {
      error: errorText(error),
      transient: fromPlatform?.retryable === true || isTransient(error),
      retryMs: fromPlatform?.retryAfterMs ?? 2 * firstRetryMs,
      firstRetryMs,
      maxFailures,
    };
    // Otherwise an update that met an outage of the database would wait for the end of its lease.
    const outcome = await withRetry(() => markBotUpdateFailed(pool, id, failure), {
      pauseMs: RECORD_PAUSE_MS,
      shouldRetry: (reason, { elapsedMs }) =>
        relay !== undefined && isTransient(reason) && elapsedMs < LEASE_SECONDS * 1000,
    });
    metrics.botUpdates.inc({ channel, outcome: outcome?.setAside ? 'set_aside' : 'failed' });
    const fields = { err: error, update_id: id, channel, failures: outcome?.failures };
    if (outcome?.setAside) log.error(fields, 'a bot update failed repeatedly and was set aside');
    else log.warn(fields, 'a bot update failed and will be retried');
    if (outcome) wakeAfter(outcome.waitMs);
  }

  /** Retries on time instead of at the next sweep. */
  function wakeAfter(ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      relay?.wake();
    }, ms);
    timers.add(timer);
  }

  async function extendLeases(): Promise<void> {
    if (inFlight.size > 0) await extendBotUpdateLeases(pool, [...inFlight.keys()], LEASE_SECONDS);
  }

  function every(ms: number, work: () => Promise<void>): void {
    const run = () =>
      void work().catch((err: unknown) => log.warn({ err }, 'the bot intake could not query the database'));
    timers.add(setInterval(run, ms));
  }

  return {
    async store(channel, raws, position, bot) {
      const received = raws
        .map((raw) => storable(raw))
        .map((payload) => ({ ...parseUpdate(channel, payload), payload }))
        // Restores the platform's order, in case the batch arrived out of order. The sort is stable.
        .sort((a, b) => a.sequence - b.sequence);
      await storeBotUpdates(pool, channel, received, position, bot);
      metrics.botUpdates.inc({ channel, outcome: 'received' }, received.length);
    },

    start() {
      relay = startRelay<ClaimedBotUpdate>({
        name: 'bot_updates',
        channel: notifyChannels.botUpdate,
        notifications,
        sweepMs: SWEEP_MS,
        concurrency: CONCURRENCY,
        claim: (limit) =>
          claimBotUpdates(pool, limit, LEASE_SECONDS, {
            perBot: CONCURRENCY_PER_BOT,
            inFlight: countByBot(inFlight.values()),
          }),
        start: handleClaimed,
        log,
      });
      every((LEASE_SECONDS * 1000) / 3, extendLeases);
    },

    async stop() {
      const running = relay;
      relay = undefined;
      await running?.stop();
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

function countByBot(bots: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const bot of bots) counts.set(bot, (counts.get(bot) ?? 0) + 1);
  return counts;
}

function errorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.replaceAll('\0', '').slice(0, LAST_ERROR_LENGTH);
}
