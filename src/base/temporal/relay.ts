import type { Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { metrics } from '../lib/metrics';
import { startSweep } from '../lib/sweep';

export interface RelayOptions<Item> {
  name: string;
  /** The NOTIFY channels that wake the relay. The sweep finds items without a notification. */
  channel?: string | readonly string[];
  notifications?: Notifications;
  /** Default: none; a sweep that several relays share calls `wake`. */
  sweepMs?: number;
  /** The maximum number of items in flight. */
  concurrency: number | (() => number);
  /**
   * Claims up to `limit` items in a short transaction with a lease: no row lock is held while an item is processed, and
   * the items of a dead process are claimed again when its lease expires.
   */
  claim(limit: number): Promise<Item[]>;
  /**
   * Processes one item. A failure is logged; the item is claimed again when its lease expires. Work that waits for the end of
   * an item, and is not merely left for lack of room, needs a `wake`.
   */
  start(item: Item): Promise<void>;
  log: Logger;
}

export interface Relay {
  /** Claims now, without waiting for a notification. */
  wake(): void;
  /** Claims nothing more and waits for the items in flight. */
  stop(): Promise<void>;
}

/**
 * Claims committed rows and processes them: woken by NOTIFY, with a periodic sweep as a fallback. Safe in several
 * processes.
 */
export function startRelay<Item>(options: RelayOptions<Item>): Relay {
  const { name: relay, notifications, channel, sweepMs, concurrency, log } = options;
  const inFlight = new Set<Promise<void>>();
  let stopped = false;
  let claiming = false;
  let claimAgain = false;
  /**
   * The last claim ended for lack of room. After any other, nothing is left but what another transaction has locked, which a
   * notification or the sweep finds.
   */
  let outOfRoom = false;
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
        if (outOfRoom) wake();
      });
    inFlight.add(run);
    metrics.relayInFlight.inc({ relay });
  }

  /** Until nothing is left, or there is no room. */
  async function claim(): Promise<void> {
    while (!stopped) {
      claimAgain = false;
      const free = (typeof concurrency === 'number' ? concurrency : concurrency()) - inFlight.size;
      outOfRoom = free <= 0;
      if (outOfRoom) return;
      const items = await options.claim(free);
      for (const item of items) launch(item);
      if (items.length < free && !claimAgain) return;
    }
  }

  function wake(): void {
    if (stopped) return;
    if (claiming) {
      claimAgain = true;
      return;
    }
    claiming = true;
    idle = claim()
      .catch((err: unknown) => log.warn({ err, relay }, 'the relay could not claim work'))
      .finally(() => {
        claiming = false;
        if (claimAgain) wake();
      });
  }

  const subscriptions = [channel ?? []].flat().map((each) => notifications?.on(each, wake));
  const sweep = sweepMs === undefined ? undefined : startSweep(sweepMs, wake);
  wake();

  return {
    wake,
    async stop() {
      stopped = true;
      for (const unsubscribe of subscriptions) unsubscribe?.();
      sweep?.stop();
      await idle;
      await Promise.all(inFlight);
    },
  };
}
