import type { Retention } from '../../../base/db/retention';
import { CLAIM_DAYS } from './recurring';

export const retention = (days: number): Retention => ({
  // Runs that have ended and claim no occurrence any more, also those of active recurring messages.
  recurring_runs: {
    age: 'created_at',
    after: `${Math.max(days, CLAIM_DAYS)} days`,
    where: `status <> 'started' AND scheduled_for < now() - interval '${Math.max(days, CLAIM_DAYS)} days'`,
  },
  recurring: { age: 'ended_at', after: `${days} days` },
});
