import type { Db } from '../../../base/db/pool';
import { rows } from '../../../base/db/query';
import type { Retention } from '../../../base/db/retention';

export const retention = (days: number): Retention => ({
  drip_enrolments: { age: 'ended_at', after: `${days} days` },
  drip_steps: { with: 'drip_enrolments' },
  // Each subscriber who ever entered the chain has a row.
  drip_entrants: { before: 'drip_chains', key: 'drip_id' },
  drip_chains: {
    age: 'deleted_at',
    after: `${days} days`,
    where: 'NOT EXISTS (SELECT 1 FROM drip_enrolments e WHERE e.drip_id = t.id)',
  },
  drip_versions: { with: 'drip_chains' },
  drip_syncs: { bounded: 'A row for each chain at most, until the last enrolment is changed.' },
  drip_entries: { bounded: 'A worker enrols them within seconds and deletes the row.' },
});

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
