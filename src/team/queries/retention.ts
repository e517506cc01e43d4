import type { Db } from '../../db/pool';
import { BATCH, repeatedDelete, retentionDays, type NextBatch, type Retention } from '../../db/retention';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  members: { bounded: 'A project keeps them until it removes them.' },
  invitations: { after: `${retentionDays} after it expired`, remove: removeOldInvitations },
  member_notices: { after: 'sent, or 1 day', remove: removeOldNotices },
};

function removeOldInvitations(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_invitations',
    `DELETE FROM invitations WHERE id IN (
       SELECT id FROM invitations WHERE expires_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** Notices that could not be sent for a day. */
function removeOldNotices(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_notices',
    `DELETE FROM member_notices WHERE id IN (
       SELECT id FROM member_notices WHERE created_at < now() - interval '1 day'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
