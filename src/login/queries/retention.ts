import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import {
  BATCH,
  removeOld,
  removeWalking,
  repeatedDelete,
  retentionDays,
  type NextBatch,
  type Retention,
} from '../../db/retention';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  auth_sessions: { after: retentionDays, remove: removeOldSessions },
  auth_prompts: { with: 'auth_sessions' },
  auth_answers: { with: 'auth_sessions' },
  auth_request_recipients: { with: 'auth_sessions' },
  auth_polls: { after: '1 hour', remove: removeOldPolls },
  auth_days: { after: `${limits.authStatsDays} days`, remove: removeOldDays },
  auth_openings: { after: '1 hour', remove: removeOldOpenings },
};

/** Ended sessions, with their questions and answers. Overdue ones are ended by the reconciler first. */
function removeOldSessions(db: Db, days: number): NextBatch {
  return removeOld(db, {
    table: 'auth_sessions',
    id: 'id',
    age: 'created_at',
    days,
    where: `t.status NOT IN ('pending', 'confirmed')`,
  });
}

function removeOldPolls(db: Db): NextBatch {
  return removeWalking(db, {
    table: 'auth_polls',
    key: 'session_id',
    type: 'uuid',
    where: `t.polled_at < now() - interval '1 hour'`,
  });
}

function removeOldOpenings(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_openings',
    `DELETE FROM auth_openings WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM auth_openings WHERE opened_at < now() - interval '1 hour'
       ORDER BY opened_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
}

function removeOldDays(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_login_days',
    `DELETE FROM auth_days WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM auth_days WHERE day <= (now() AT TIME ZONE 'UTC')::date - ${limits.authStatsDays}
       ORDER BY day LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
  );
}
