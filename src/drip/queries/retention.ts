import type { Db } from '../../db/pool';
import { rows } from '../../db/query';
import {
  BATCH,
  removeBelongings,
  repeatedDelete,
  retentionDays,
  type NextBatch,
  type Retention,
} from '../../db/retention';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  drip_enrolments: { after: `${retentionDays} after its end`, remove: removeOldEnrolments },
  drip_steps: { with: 'drip_enrolments' },
  drip_entrants: { after: `${retentionDays} after the removal of their chain`, remove: removeOldEntrants },
  drip_chains: {
    after: `${retentionDays} after its removal, once its enrolments and entrants are gone`,
    remove: removeOldChains,
  },
  drip_versions: { with: 'drip_chains' },
  drip_syncs: { bounded: 'A row for each chain at most, until the last enrolment is changed.' },
  drip_entries: { bounded: 'A worker enrols them within seconds and deletes the row.' },
};

function removeOldEnrolments(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_drip_enrolments',
    `DELETE FROM drip_enrolments WHERE id IN (
       SELECT id FROM drip_enrolments WHERE ended_at < now() - make_interval(days => $1)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** Everyone who ever entered the chain has a row. */
function removeOldEntrants(db: Db, days: number): NextBatch {
  const chain = { key: 'drip_id', owner: 'drip_chains', end: 'deleted_at' };
  return removeBelongings(db, { table: 'drip_entrants', ...chain, days });
}

function removeOldChains(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_drip_chains',
    `DELETE FROM drip_chains WHERE id IN (
       SELECT c.id FROM drip_chains c WHERE c.deleted_at < now() - make_interval(days => $1)
         AND NOT EXISTS (SELECT 1 FROM drip_enrolments e WHERE e.drip_id = c.id)
         AND NOT EXISTS (SELECT 1 FROM drip_entrants e WHERE e.drip_id = c.id)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** The rules of a chain look back to the beginning of the enrolment. */
export async function trackedEventsInUse(db: Db, ids: string[]): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'tracked_events_in_use',
    `SELECT t.id FROM tracked_events t WHERE t.id = ANY ($1::uuid[]) AND EXISTS (
       SELECT 1 FROM drip_enrolments e
       WHERE e.subscriber_id = t.subscriber_id AND e.ended_at IS NULL AND e.started_at <= t.received_at)`,
    [ids],
  );
  return found.map(({ id }) => id);
}
