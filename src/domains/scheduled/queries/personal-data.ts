import type { PersonalData, RemovedPerson } from '../../../base/db/personal-data';
import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import { rewriteRecordedResponses } from '../../../base/http/idempotency';
import { ERASED_SUBSCRIBER_ID } from '../../subscribers';

export const personalData: PersonalData = {
  tables: {
    scheduled: {
      held: {
        as: 'scheduled',
        columns: `t.id AS scheduled_id, t.name, t.content, t.scheduled_at, t.timezone, t.status, t.reason, t.created_at,
        t.ended_at`,
        from: 'scheduled t JOIN subscribers own ON own.project_id = t.project_id',
        where: `own.id = person.id AND (t.subscriber_id = own.id OR t.external_id = own.external_id
        OR EXISTS (SELECT 1 FROM scheduled_results r WHERE r.scheduled_id = t.id AND r.subscriber_id = own.id))`,
        order: ['t.created_at', 't.id'],
      },
      removal: 'erase',
    },
    // Shown with `scheduled`.
    scheduled_results: { removal: 'erase' },
  },
  async erase(db, person, { cipher }) {
    await rewriteRecordedResponses(db, cipher, await recentScheduledOf(db, person), withoutMessage);
    await eraseScheduled(db, person);
  },
};

/** What stays of a message to a removed person. */
const ERASED_CONTENT = { text: '', format: 'plain', buttons: [] };

/** SQL: messages to the person, by their id or by the external_id that is theirs alone. */
const TO_PERSON = '(subscriber_id = $1 OR (project_id = $2 AND external_id = $3::text))';

/** An open message to a removed person fails when it is due; its text goes now. */
async function eraseScheduled(db: Db, { id, project_id, own_external_id }: RemovedPerson): Promise<void> {
  await change(
    db,
    'erase_scheduled',
    `UPDATE scheduled SET subscriber_id = '${ERASED_SUBSCRIBER_ID}', external_id = NULL, name = NULL, content = $4
     WHERE ${TO_PERSON}`,
    [id, project_id, own_external_id, JSON.stringify(ERASED_CONTENT)],
  );
  await change(db, 'erase_scheduled_results', 'DELETE FROM scheduled_results WHERE subscriber_id = $1', [id]);
}

/** The requests of the last days that have scheduled a message to the person. */
async function recentScheduledOf(
  db: Db,
  { id, project_id, own_external_id }: RemovedPerson,
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'recent_scheduled_of_person',
    `SELECT id FROM scheduled WHERE ${TO_PERSON} AND created_at > now() - interval '2 days'`,
    [id, project_id, own_external_id],
  );
  return found.map((each) => each.id);
}

/** The view of a scheduled message, as it is after the removal of its recipient. */
function withoutMessage(view: string): string {
  const erased = { name: null, subscriber_id: null, external_id: null, content: ERASED_CONTENT };
  return JSON.stringify({ ...(JSON.parse(view) as object), ...erased });
}
