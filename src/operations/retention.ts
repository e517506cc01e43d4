import type pg from 'pg';
import type { Config } from '../config';
import type { Logger } from '../lib/log';
import { failAbandonedMessages } from '../messages/abandoned';
import { cancelAbandonedDeliveries, removeEndpointRemains, removeOldEvents } from './queries/retention';
import { removeOldEndpointHours } from './queries/retention-endpoint-hours';
import { removeExpiredKeysAndCodes, removeOldMessages } from './queries/retention-messages';

export interface RetentionDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_RETENTION_DAYS' | 'HERALD_SUBSCRIBER_ID_FORMAT'>;
  log: Logger;
}

export interface RunningRetention {
  stop(): Promise<void>;
}

const INTERVAL_MS = 10 * 60_000;

/** Cancels deliveries that were paused for too long, fails abandoned messages, and deletes rows past their retention. */
export async function runRetention({ pool, config, log }: RetentionDeps): Promise<void> {
  const cancelled = await cancelAbandonedDeliveries(pool);
  const removed = await removeOldEvents(pool, config.HERALD_RETENTION_DAYS);
  await removeEndpointRemains(pool);
  await removeOldEndpointHours(pool);
  const failed = await failAbandonedMessages(pool, config);
  const messages = await removeOldMessages(pool, config.HERALD_RETENTION_DAYS);
  await removeExpiredKeysAndCodes(pool);
  if (cancelled + removed + failed + messages > 0) {
    log.info(
      {
        deliveries_cancelled: cancelled,
        events_removed: removed,
        messages_failed: failed,
        messages_removed: messages,
      },
      'retention run',
    );
  }
}

/** Safe to run in several processes at once: every step affects only rows that still match. */
export function startRetention(deps: RetentionDeps): RunningRetention {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= runRetention(deps)
      .catch((err: unknown) => deps.log.warn({ err }, 'a retention run failed and will be retried'))
      .finally(() => (running = null));
  }, INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
