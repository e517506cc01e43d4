import type { Person, PersonalData } from '../../db/personal-data';
import { afterCommit, type Db } from '../../db/pool';
import { rows } from '../../db/query';
import { rewriteRecordedResponses } from '../../http/idempotency';
import { withoutIdsOf } from '../../subscribers';
import { workflowIds } from '../../temporal/names';
import { wakeWorkflows } from '../../temporal/wake-workflows';

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
  },
  async erase(db, person, { cipher, ...deps }) {
    await rewriteRecordedResponses(db, cipher, await recentRequestsOf(db, person), withoutIdsOf(person));
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
     WHERE subscriber_id = $1 AND request_id IS NOT NULL AND started_at > now() - interval '2 days'`,
    [id],
  );
  return found.map(({ request_id }) => request_id);
}
