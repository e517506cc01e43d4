import { limits } from '../../../base/contract/limits';
import type { Retention } from '../../../base/db/retention';

export const retention = (days: number): Retention => ({
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
