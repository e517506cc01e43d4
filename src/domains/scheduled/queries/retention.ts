import type { Retention } from '../../../base/db/retention';

export const retention = (days: number): Retention => ({
  scheduled_results: { before: 'scheduled', key: 'scheduled_id' },
  scheduled: { age: 'ended_at', after: `${days} days` },
});
