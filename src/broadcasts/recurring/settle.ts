import type { Db } from '../../db/pool';
import { localName } from './cron';
import { dueOccurrences, isOver } from './occurrences';
import { claimedAhead, endRecurring, insertMissedRuns, markSettled, type LockedRecurring } from './queries';

/** Records missed occurrences as skipped runs and returns the updated row. The caller holds the row's lock. */
export async function recordMissed(db: Db, row: LockedRecurring): Promise<LockedRecurring> {
  const { current, missed } = dueOccurrences(row, row.now);
  const isClaimed =
    current !== null && (await claimedAhead(db, row.id)).has(localName(current, row.timezone));
  const settled = isClaimed ? current : missed.at(-1);
  if (!settled) return row;
  if (missed.length > 0) {
    const runs = missed.map((at) => ({ at, localTime: localName(at, row.timezone) }));
    await insertMissedRuns(db, row.id, runs);
  }
  // The next comparison starts from here: retention may have removed the runs before it.
  await markSettled(db, row.id, settled);
  return { ...row, planned_at: settled };
}

/**
 * Records what was missed, and ends a recurring message that has no occurrence left, so that it no longer counts as open.
 * Returns whether it has ended now. The caller holds the row's lock.
 */
export async function settle(db: Db, row: LockedRecurring): Promise<boolean> {
  if (row.status === 'ended') return false;
  const settled = await recordMissed(db, row);
  if (!isOver(settled, row.now, await claimedAhead(db, row.id))) return false;
  await endRecurring(db, row.id, { deleted: false });
  return true;
}
