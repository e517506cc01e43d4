import type { Db } from '../../../base/db/pool';
import { rowsPlannedAnew } from '../../../base/db/query';
import { HAS_NEWS } from './alerts';
import { NOT_INDEXED } from './search';

/** What a worker does for deliveries and endpoints without a notification. */
export type DueWork = 'attempts' | 'signals' | 'expired_leases' | 'overdue' | 'news' | 'search';

/**
 * Which of this work is due, in one statement. It is planned anew each time, because the queue is empty at one moment and long at
 * the next. Rows of a queue are read in the order of its indexes, whatever the statistics say: otherwise a search that finds none
 * would scan the whole table.
 */
export async function findDueWork(db: Db): Promise<DueWork[]> {
  const due = await rowsPlannedAnew<{ work: DueWork }>(
    db,
    `SELECT work FROM (VALUES
       ('attempts', (SELECT due_at FROM delivery_queue WHERE holder IS NULL AND needs_slot
         ORDER BY is_first, endpoint_id, priority, due_at LIMIT 1) IS NOT NULL),
       ('signals', (SELECT due_at FROM delivery_queue WHERE holder IS NULL AND NOT needs_slot
         ORDER BY due_at LIMIT 1) IS NOT NULL),
       ('expired_leases', (SELECT lease_until FROM delivery_queue WHERE holder IS NOT NULL AND lease_until < now()
         ORDER BY endpoint_id, lease_until LIMIT 1) IS NOT NULL),
       ('overdue', (SELECT overdue_at FROM undelivered WHERE status = 'pending' AND overdue_at <= now()
         ORDER BY overdue_at LIMIT 1) IS NOT NULL),
       ('news', EXISTS (SELECT 1 FROM endpoints e WHERE ${HAS_NEWS})),
       ('search', EXISTS (SELECT 1 FROM events v WHERE ${NOT_INDEXED}))
     ) AS asked (work, is_due) WHERE is_due`,
  );
  return due.map(({ work }) => work);
}
