import type { Db } from '../../db/pool';
import {
  BATCH,
  removeOld,
  repeatedDelete,
  retentionDays,
  type NextBatch,
  type Retention,
} from '../../db/retention';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  messages: { after: retentionDays, remove: removeOldMessages },
  otp_codes: { after: '1 day', remove: removeOldOtpCodes },
  button_clicks: { after: retentionDays, remove: removeOldClicks },
};

function removeOldMessages(db: Db, days: number): NextBatch {
  return removeOld(db, {
    table: 'messages',
    id: 'id',
    age: 'created_at',
    days,
    where: `t.status IN ('sent', 'failed', 'skipped')`,
  });
}

function removeOldOtpCodes(db: Db): NextBatch {
  return removeOld(db, { table: 'otp_codes', id: 'id', age: 'created_at', days: 1 });
}

/** The ids grow with time: the first rows of the primary key are the oldest. */
function removeOldClicks(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_clicks',
    `DELETE FROM button_clicks WHERE clicked_at < now() - make_interval(days => $1) AND update_id = ANY (ARRAY(
       SELECT update_id FROM button_clicks ORDER BY update_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
    [days],
  );
}
