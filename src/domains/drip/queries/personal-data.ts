import { BATCH_ROWS } from '../../../base/db/batches';
import type { Person, PersonalData } from '../../../base/db/personal-data';
import { afterCommit, type Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import { rewriteRecordedResponses } from '../../../base/http/idempotency';
import { withoutIdsOf } from '../../subscribers';
import { workflowIds } from '../../../base/temporal/names';
import { wakeWorkflows } from '../../../base/temporal/wake-workflows';

/** Longer than a recorded response is kept. */
const RECENT_DAYS = 2;

export const personalData: PersonalData = {
  tables: {
    drip_enrolments: {
      held: {
        as: 'drip_enrolments',
        columns: `t.id AS enrolment_id, t.drip_id, c.name, t.version, t.properties, t.status, t.reason, t.step_id, t.started_at,
        t.ended_at`,
        from: 'drip_enrolments t JOIN drip_chains c ON c.id = t.drip_id',
        where: 't.subscriber_id = person.id',
        order: ['t.started_at', 't.id'],
      },
      removal: { with: 'subscribers' },
    },
    // Shown with `drip_enrolments`.
    drip_entrants: { removal: { with: 'subscribers' } },
    // For as long as a batch waits.
    drip_entries: { removal: 'erase' },
  },
  // The younger ones name the requests whose recorded responses are rewritten.
  eraseNext: (pool, { id }) =>
    change(
      pool,
      'erase_next_enrolments',
      `DELETE FROM drip_enrolments WHERE id IN (
         SELECT id FROM drip_enrolments WHERE subscriber_id = $1 AND ended_at IS NOT NULL
           AND started_at < now() - interval '${RECENT_DAYS} days' LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)`,
      [id],
    ),
  async erase(db, person, { cipher, ...deps }) {
    await rewriteRecordedResponses(db, cipher, await recentRequestsOf(db, person), withoutIdsOf(person));
    await change(
      db,
      'erase_drip_entries',
      `UPDATE drip_entries e SET subscriber_ids = array_remove(e.subscriber_ids, $1)
       FROM drip_chains c WHERE c.id = e.drip_id AND c.project_id = $2`,
      [person.id, person.project_id],
    );
    const running = await runningEnrolmentsOf(db, person);
    afterCommit(db, () => wakeWorkflows(deps, running.map(workflowIds.drip)));
  },
};

/** The enrolments whose workflows may be running. */
async function runningEnrolmentsOf(db: Db, { id }: Person): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'running_enrolments_of_person',
    'SELECT id FROM drip_enrolments WHERE subscriber_id = $1 AND ended_at IS NULL AND NOT parked',
    [id],
  );
  return found.map((each) => each.id);
}

/** The requests of the last days that have enrolled the person, by which their recorded responses are found. */
async function recentRequestsOf(db: Db, { id }: Person): Promise<string[]> {
  const found = await rows<{ request_id: string }>(
    db,
    'recent_drip_requests_of_person',
    `SELECT DISTINCT request_id FROM drip_enrolments
     WHERE subscriber_id = $1 AND request_id IS NOT NULL AND started_at > now() - interval '${RECENT_DAYS} days'`,
    [id],
  );
  return found.map(({ request_id }) => request_id);
}
