import type pg from 'pg';
import type { Channel } from '../contract/common';
import {
  claimBotUpdates,
  extendBotUpdateLeases,
  markBotUpdateFailed,
  markBotUpdateHandled,
  pruneBotUpdates,
  storeBotUpdates,
  type ClaimedBotUpdate,
} from './queries/updates';
import { notifyChannels, type Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { metrics } from '../lib/metrics';
import { startRelay, type Relay } from '../temporal/relay';
import { PlatformError } from './platform-error';
import { parseUpdate } from './parse-update';
import type { ParsedUpdate } from './update';

export interface StoredUpdate {
  id: number;
  channel: Channel;
  /** The database's time of storing: what a deadline is compared with. */
  receivedAt: Date;
  parsed: ParsedUpdate;
}

export interface IntakeOptions {
  pool: pg.Pool;
  notifications: Notifications;
  log: Logger;
  /** May be called again for an update it has thrown for, and after a crash for one it had finished. */
  handle: (update: StoredUpdate) => Promise<void>;
  /** After so many failures an update is set aside, and the chat goes on without it. */
  maxFailures?: number;
  /** Doubled at every failure. */
  firstRetryMs?: number;
  /** Faults that pass by themselves, beside a platform's own: a database or Temporal server that is away. */
  isPassing?: (error: unknown) => boolean;
}

export interface Intake {
  /** Stores updates, each once, together with the poll's new position: what it resolves for is not lost any more. */
  store(channel: Channel, raws: unknown[], position?: string): Promise<void>;
  start(): void;
  /** Takes nothing new and waits for what is being handled. */
  stop(): Promise<void>;
}

/** Updates, each of another chat, that are handled at once. */
const CONCURRENCY = 16;
const SWEEP_MS = 1_000;
const LEASE_SECONDS = 30;
const PRUNE_MS = 10 * 60_000;
const PRUNE_BATCH = 1_000;
const LAST_ERROR_LENGTH = 500;

/**
 * Between the platforms and the conversation: updates are stored before they are acknowledged, and handled one at a
 * time for each chat, in their order, whichever process gets to them. No transaction is open while one is handled; a
 * lease keeps it, and comes free when the process dies.
 */
export function createIntake({
  pool,
  notifications,
  log,
  handle,
  maxFailures = 10,
  firstRetryMs = 1_000,
  isPassing = () => false,
}: IntakeOptions): Intake {
  const inHand = new Set<number>();
  let relay: Relay | undefined;
  const timers = new Set<NodeJS.Timeout>();

  async function handleClaimed({ id, channel, payload, received_at }: ClaimedBotUpdate): Promise<void> {
    inHand.add(id);
    try {
      const { parsed } = parseUpdate(channel, payload);
      await handle({ id, channel, receivedAt: received_at, parsed });
      await markBotUpdateHandled(pool, id);
      metrics.botUpdates.inc({ channel, outcome: 'handled' });
    } catch (error) {
      await recordFailure(id, channel, error);
    } finally {
      inHand.delete(id);
    }
  }

  async function recordFailure(id: number, channel: Channel, error: unknown): Promise<void> {
    const fromPlatform = error instanceof PlatformError ? error : null;
    const outcome = await markBotUpdateFailed(pool, id, {
      error: shortText(error),
      passing: fromPlatform?.retryable === true || isPassing(error),
      retryMs: fromPlatform?.retryAfterMs ?? 2 * firstRetryMs,
      firstRetryMs,
      maxFailures,
    });
    metrics.botUpdates.inc({ channel, outcome: outcome?.setAside ? 'set_aside' : 'failed' });
    const facts = { err: error, update_id: id, channel, failures: outcome?.failures };
    if (outcome?.setAside) log.error(facts, 'a bot update failed repeatedly and was set aside');
    else log.warn(facts, 'a bot update failed and will be retried');
    if (outcome) wakeAfter(outcome.waitMs);
  }

  /** Sooner than the sweep would find it. */
  function wakeAfter(ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      relay?.wake();
    }, ms);
    timers.add(timer);
  }

  async function extendLeases(): Promise<void> {
    if (inHand.size > 0) await extendBotUpdateLeases(pool, [...inHand], LEASE_SECONDS);
  }

  async function prune(): Promise<void> {
    while (relay && (await pruneBotUpdates(pool, PRUNE_BATCH)) === PRUNE_BATCH);
  }

  function every(ms: number, work: () => Promise<void>): void {
    const run = () =>
      void work().catch((err: unknown) => log.warn({ err }, 'the bot intake could not query the database'));
    timers.add(setInterval(run, ms));
  }

  return {
    async store(channel, raws, position) {
      const received = raws
        .map((raw) => ({ ...parseUpdate(channel, raw), payload: raw }))
        // The platform's order, also where it was lost on the way. The sort is stable.
        .sort((a, b) => a.sequence - b.sequence);
      await storeBotUpdates(pool, channel, received, position);
      metrics.botUpdates.inc({ channel, outcome: 'received' }, received.length);
    },

    start() {
      relay = startRelay<ClaimedBotUpdate>({
        name: 'bot_updates',
        channel: notifyChannels.botUpdate,
        notifications,
        sweepMs: SWEEP_MS,
        concurrency: CONCURRENCY,
        claim: (limit) => claimBotUpdates(pool, limit, LEASE_SECONDS),
        start: handleClaimed,
        log,
      });
      every((LEASE_SECONDS * 1000) / 3, extendLeases);
      every(PRUNE_MS, prune);
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

function shortText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.replaceAll('\0', '').slice(0, LAST_ERROR_LENGTH);
}
