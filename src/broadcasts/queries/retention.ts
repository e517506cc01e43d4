import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import {
  BATCH,
  removeBelongings,
  repeatedDelete,
  retentionDays,
  type NextBatch,
  type Retention,
} from '../../db/retention';
import { CLAIM_DAYS } from '../recurring/queries';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  scheduled_results: { after: `${retentionDays} after the end of their entry`, remove: removeOldResults },
  scheduled: {
    after: `${retentionDays} after its end, once its results are gone`,
    remove: removeOldScheduled,
  },
  recurring_runs: { after: retentionDays, remove: removeOldRuns },
  recurring: { after: `${retentionDays} after its end`, remove: removeOldRecurring },
  broadcast_recipients: { after: retentionDays, remove: removeOldRecipients },
  broadcasts: { after: retentionDays, remove: removeOldBroadcasts },
};

/** An entry has up to 10,000. */
function removeOldResults(db: Db, days: number): NextBatch {
  const entry = { key: 'scheduled_id', owner: 'scheduled', end: 'ended_at' };
  return removeBelongings(db, { table: 'scheduled_results', ...entry, days });
}

function removeOldScheduled(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_scheduled',
    `DELETE FROM scheduled WHERE id IN (
       SELECT s.id FROM scheduled s WHERE s.ended_at < now() - make_interval(days => $1)
         AND NOT EXISTS (SELECT 1 FROM scheduled_results r WHERE r.scheduled_id = s.id)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** Runs that have ended and claim no occurrence any more, of recurring messages that go on too. */
function removeOldRuns(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_recurring_runs',
    `DELETE FROM recurring_runs WHERE id IN (
       SELECT id FROM recurring_runs WHERE created_at < now() - make_interval(days => $1)
         AND scheduled_for < now() - make_interval(days => $1) AND status <> 'started'
       ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [Math.max(days, CLAIM_DAYS)],
  );
}

function removeOldRecurring(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_recurring',
    `DELETE FROM recurring WHERE id IN (
       SELECT id FROM recurring WHERE ended_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** SQL: a batch whose request died before all of its recipients were stored, and which none can complete any more. */
const IS_ABANDONED = `b.status = 'queued' AND b.wake_at = 'infinity'
  AND b.created_at < now() - interval '${limits.idempotencyHours + 1} hours'`;

/** Before their broadcasts, in batches: a broadcast has up to 100,000 of them, which its deletion would cascade to. */
function removeOldRecipients(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_recipients',
    `DELETE FROM broadcast_recipients WHERE id IN (
       SELECT r.id FROM broadcasts b JOIN broadcast_recipients r ON r.broadcast_id = b.id
       WHERE b.ended_at < now() - make_interval(days => $1) OR ${IS_ABANDONED}
       LIMIT ${BATCH} FOR UPDATE OF r SKIP LOCKED)`,
    [days],
  );
}

function removeOldBroadcasts(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_broadcasts',
    `DELETE FROM broadcasts WHERE id IN (
       SELECT b.id FROM broadcasts b
       WHERE (b.ended_at < now() - make_interval(days => $1) OR ${IS_ABANDONED})
         AND NOT EXISTS (SELECT 1 FROM broadcast_recipients r WHERE r.broadcast_id = b.id)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}
