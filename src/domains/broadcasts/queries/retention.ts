import { limits } from '../../../base/contract/limits';
import type { Retention } from '../../../base/db/retention';
import { CLAIM_DAYS } from '../recurring/queries';

export const retention = (days: number): Retention => ({
  scheduled_results: { before: 'scheduled', key: 'scheduled_id' },
  scheduled: { age: 'ended_at', after: `${days} days` },
  // Runs that have ended and claim no occurrence any more, also those of active recurring messages.
  recurring_runs: {
    age: 'created_at',
    after: `${Math.max(days, CLAIM_DAYS)} days`,
    where: `status <> 'started' AND scheduled_for < now() - interval '${Math.max(days, CLAIM_DAYS)} days'`,
  },
  recurring: { age: 'ended_at', after: `${days} days` },
  broadcast_recipients: { before: 'broadcasts', key: 'broadcast_id' },
  broadcasts: [
    { age: 'ended_at', after: `${days} days` },
    // A batch whose request died before all of its recipients were stored: its idempotency key has expired.
    {
      age: 'created_at',
      after: `${limits.idempotencyHours + 1} hours`,
      where: `status = 'queued' AND kind = 'batch' AND copied_id IS NOT NULL`,
    },
  ],
});
