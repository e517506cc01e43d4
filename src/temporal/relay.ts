import type { Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { metrics } from '../lib/metrics';
import { startSweep } from '../lib/sweep';

export interface RelayOptions<Item> {
  name: string;
  /** NOTIFY channel that wakes the relay; the sweep behind it finds what a lost notification left. */
  channel: string;
  /** How long what a payload speaks of can wait; null: it is not this relay's business. Without it, no time at all. */
  canWait?(payload: string): number | null;
  notifications: Notifications;
  sweepMs: number;
  /** More starts in flight than this make the Temporal server slower, not faster. */
  concurrency: number;
  /**
   * Claims up to `limit` items in a short transaction with a lease: no row lock is held while Temporal is called,
   * and what a dead process had claimed comes back when its lease is over. A look is made because it is time to, or
   * because of news: then whoever the news is not about is met in passing.
   */
  claim(limit: number, look: { inPassing: boolean }): Promise<Item[]>;
  /** Starts one item; a failure is logged, and the lease brings the item back. */
  start(item: Item): Promise<void>;
  log: Logger;
}

export interface Relay {
  /** Looks now, without waiting for a notification. */
  wake(): void;
  /** Takes nothing new and waits for what is in flight. */
  stop(): Promise<void>;
}

/** Carries committed rows to Temporal: woken by NOTIFY, with a sweep behind it. Safe with several processes. */
export function startRelay<Item>(options: RelayOptions<Item>): Relay {
  const { name: relay, notifications, channel, sweepMs, concurrency, log } = options;
  const inFlight = new Set<Promise<void>>();
  let stopped = false;
  let looking = false;
  let lookAgain = false;
  let isTime = true;
  let idle: Promise<void> = Promise.resolve();

  function launch(item: Item): void {
    const run = options
      .start(item)
      .then(
        () => metrics.relayed.inc({ relay, outcome: 'started' }),
        (err: unknown) => {
          metrics.relayed.inc({ relay, outcome: 'failed' });
          log.warn({ err, relay }, 'a start failed and will be retried');
        },
      )
      .finally(() => {
        inFlight.delete(run);
        metrics.relayInFlight.dec({ relay });
        // A slot is free again: there may be more than the last claim took.
        wake();
      });
    inFlight.add(run);
    metrics.relayInFlight.inc({ relay });
  }

  async function look(): Promise<void> {
    do {
      lookAgain = false;
      const room = concurrency - inFlight.size;
      if (room <= 0) return;
      const inPassing = !isTime;
      isTime = false;
      const items = await options.claim(room, { inPassing });
      for (const item of items) launch(item);
      if (items.length === 0) return;
    } while (lookAgain && !stopped);
  }

  function wake(): void {
    if (stopped) return;
    if (looking) {
      lookAgain = true;
      return;
    }
    looking = true;
    idle = look()
      .catch((err: unknown) => log.warn({ err, relay }, 'the relay could not claim work'))
      .finally(() => {
        looking = false;
        if (lookAgain) wake();
      });
  }

  function wakeInTime(): void {
    isTime = true;
    wake();
  }

  let later: NodeJS.Timeout | undefined;
  const off = notifications.on(channel, (payload) => {
    const waitMs = payload === null || !options.canWait ? 0 : options.canWait(payload);
    if (waitMs === null) return;
    if (waitMs <= 0) return wake();
    // One timer for all that wait: what another could not wait for so long, the sweep finds.
    later ??= setTimeout(() => {
      later = undefined;
      wakeInTime();
    }, waitMs);
  });
  const sweep = startSweep(sweepMs, wakeInTime);
  wake();

  return {
    wake,
    async stop() {
      stopped = true;
      off();
      sweep.stop();
      clearTimeout(later);
      await idle;
      await Promise.all(inFlight);
    },
  };
}
