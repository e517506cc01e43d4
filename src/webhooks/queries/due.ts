import type { Db } from '../../db/pool';
import { rowsPlannedAnew } from '../../db/query';
import { HAS_NEWS } from './alerts';
import { NOT_INDEXED } from './search';

/** What a worker does for deliveries and endpoints without being told by a notification. */
export type DueWork = 'attempts' | 'signals' | 'expired_leases' | 'overdue' | 'news' | 'search';

/**
 * Which of it is due, in one statement for all. It is planned anew each time: the queue is empty at one moment and long at the
 * next.
 */
export async function findDueWork(db: Db): Promise<DueWork[]> {
  const due = await rowsPlannedAnew<{ work: DueWork }>(
    db,
    `SELECT work FROM (VALUES
       ('attempts', EXISTS (SELECT 1 FROM delivery_queue WHERE holder IS NULL AND needs_slot AND is_first)
         OR EXISTS (SELECT 1 FROM delivery_queue WHERE holder IS NULL AND needs_slot AND NOT is_first)),
       ('signals', EXISTS (SELECT 1 FROM delivery_queue WHERE holder IS NULL AND NOT needs_slot)),
       ('expired_leases', EXISTS (SELECT 1 FROM delivery_queue WHERE holder IS NOT NULL AND lease_until < now())),
       ('overdue', EXISTS (SELECT 1 FROM undelivered WHERE status = 'pending' AND overdue_at <= now())),
       ('news', EXISTS (SELECT 1 FROM endpoints e WHERE ${HAS_NEWS})),
       ('search', EXISTS (SELECT 1 FROM events v WHERE ${NOT_INDEXED}))
     ) AS asked (work, is_due) WHERE is_due`,
  );
  return due.map(({ work }) => work);
}
