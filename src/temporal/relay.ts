import type { Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { metrics } from '../lib/metrics';
import { startSweep } from '../lib/sweep';

export interface RelayOptions<Item> {
  name: string;
  /** NOTIFY channel that wakes the relay; the sweep finds what a lost notification left. */
  channel: string;
  notifications: Notifications;
  sweepMs: number;
  /** Items in flight at most. */
  concurrency: number;
  /**
   * Claims up to `limit` items in a short transaction with a lease: no row lock is held while an item is processed, and
   * what a dead process had claimed is claimed again when its lease has expired.
   */
  claim(limit: number): Promise<Item[]>;
  /** Processes one item; a failure is logged, and the lease brings the item back. */
  start(item: Item): Promise<void>;
  log: Logger;
}

export interface Relay {
  /** Claims now, without waiting for a notification. */
  wake(): void;
  /** Claims nothing new and waits for what is in flight. */
  stop(): Promise<void>;
}

/** Carries committed rows on: woken by NOTIFY, with a sweep behind it. Safe with several processes. */
export function startRelay<Item>(options: RelayOptions<Item>): Relay {
  const { name: relay, notifications, channel, sweepMs, concurrency, log } = options;
  const inFlight = new Set<Promise<void>>();
  let stopped = false;
  let claiming = false;
  let claimAgain = false;
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
        // There may be more than the last claim had room for.
        wake();
      });
    inFlight.add(run);
    metrics.relayInFlight.inc({ relay });
  }

  async function claim(): Promise<void> {
    do {
      claimAgain = false;
      const room = concurrency - inFlight.size;
      if (room <= 0) return;
      const items = await options.claim(room);
      for (const item of items) launch(item);
      if (items.length === 0 && !claimAgain) return;
    } while (!stopped && claimAgain);
  }

  function wake(): void {
    if (stopped) return;
    if (claiming) {
      claimAgain = true;
      return;
    }
    claiming = true;
    idle = claim()
      .catch((err: unknown) => log.warn({ err, relay }, 'the relay could not claim'))
      .finally(() => {
        claiming = false;
        if (claimAgain) wake();
      });
  }

  const off = notifications.on(channel, wake);
  const sweep = startSweep(sweepMs, wake);
  wake();

  return {
    wake,
    async stop() {
      stopped = true;
      off();
      sweep.stop();
      await idle;
      await Promise.all(inFlight);
    },
  };
}
