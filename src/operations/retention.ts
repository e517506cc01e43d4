import type pg from 'pg';
import type { Config } from '../config';
import { cancelAbandonedDeliveries, removeEndpointRemains, removeOldEvents } from './queries/retention';
import { removeExpiredKeysAndCodes, removeOldMessages } from './queries/retention-messages';
import type { Logger } from '../lib/log';
import { failAbandonedMessages } from '../messages/abandoned';

export interface HousekeepingDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_RETENTION_DAYS' | 'HERALD_SUBSCRIBER_ID_FORMAT'>;
  log: Logger;
}

export interface Housekeeping {
  stop(): Promise<void>;
}

const EVERY_MS = 10 * 60_000;

/** What has to happen some time: the end of long pauses, and the retention of what is over. */
export async function keepHouse({ pool, config, log }: HousekeepingDeps): Promise<void> {
  const cancelled = await cancelAbandonedDeliveries(pool);
  const removed = await removeOldEvents(pool, config.HERALD_RETENTION_DAYS);
  await removeEndpointRemains(pool);
  const settled = await failAbandonedMessages(pool, config);
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
      'housekeeping',
    );
  }
}

/** Several processes may do it at once: every step takes only what is still there. */
export function startHousekeeping(deps: HousekeepingDeps): Housekeeping {
  let running: Promise<void> | null = null;
  const timer = setInterval(() => {
    running ??= keepHouse(deps)
      .catch((err: unknown) => deps.log.warn({ err }, 'housekeeping failed and will be tried again'))
      .finally(() => (running = null));
  }, EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
