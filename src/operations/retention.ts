import type pg from 'pg';
import type { Config } from '../config';
import { cancelAbandonedDeliveries, removeEndpointRemains, removeOldEvents } from './queries/retention';
import { removeExpiredKeysAndCodes, removeOldMessages } from './queries/retention-messages';
import type { Logger } from '../lib/log';
import { settleAbandonedMessages } from '../messages/abandoned';

export interface RetentionDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_RETENTION_DAYS' | 'HERALD_SUBSCRIBER_ID_FORMAT'>;
  log: Logger;
}

export interface RunningRetention {
  stop(): Promise<void>;
}

const EVERY_MS = 10 * 60_000;

/** Cancels deliveries that were paused for too long, settles abandoned messages, and removes rows past their retention. */
export async function runRetention({ pool, config, log }: RetentionDeps): Promise<void> {
  const cancelled = await cancelAbandonedDeliveries(pool);
  const removed = await removeOldEvents(pool, config.HERALD_RETENTION_DAYS);
  await removeEndpointRemains(pool);
  const settled = await settleAbandonedMessages(pool, config);
  const messages = await removeOldMessages(pool, config.HERALD_RETENTION_DAYS);
  await removeExpiredKeysAndCodes(pool);
  if (cancelled + removed + settled + messages > 0) {
    log.info(
      {
        deliveries_cancelled: cancelled,
        events_removed: removed,
        messages_settled: settled,
        messages_removed: messages,
      },
      'retention run',
    );
  }
}

/** Several processes may run it at once: every step takes only rows that are still there. */
export function startRetention(deps: RetentionDeps): RunningRetention {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= runRetention(deps)
      .catch((err: unknown) => deps.log.warn({ err }, 'a retention run failed and will be retried'))
      .finally(() => (running = null));
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
