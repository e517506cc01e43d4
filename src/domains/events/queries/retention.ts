import { limits } from '../../../base/contract/limits';
import { inTransaction } from '../../../base/db/pool';
import type { Retention } from '../../../base/db/retention';
import { removeEvents } from './erase';

export const retention = (days: number): Retention => ({
  // With their deliveries, attempts and retries, unless a delivery is open or ended within the retention.
  events: {
    age: 'created_at',
    after: `${days} days`,
    remove: (db, ids) => inTransaction(db, async (tx) => (await removeEvents(tx, ids, days)).removed),
  },
  event_erasures: { alongside: 'events' },
  published_ids: { age: 'created_at', after: `${limits.publishedIdDays} days` },
});
