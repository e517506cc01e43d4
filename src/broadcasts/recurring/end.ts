import type { Db } from '../../db/pool';
import { isOver } from './occurrences';
import { claimedAhead, endRecurring, type LockedRecurring } from './queries';

/**
 * Ends a recurring message that has no occurrence left, so that it no longer counts as open. The caller holds the row's
 * lock.
 */
export async function endIfOver(db: Db, row: LockedRecurring): Promise<boolean> {
  if (row.status === 'ended' || !isOver(row, row.now, await claimedAhead(db, row.id))) return false;
  await endRecurring(db, row.id, { deleted: false });
  return true;
}
