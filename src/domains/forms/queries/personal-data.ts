import type { Person, PersonalData } from '../../../base/db/personal-data';
import { afterCommit, type Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import { workflowIds } from '../../../base/temporal/names';
import { wakeWorkflows } from '../../../base/temporal/wake-workflows';

export const personalData: PersonalData = {
  tables: {
    form_submissions: {
      held: {
        as: 'submissions',
        columns: 't.id AS submission_id, t.form_id, f.name, t.status, t.answers, t.source, t.created_at',
        from: 'form_submissions t JOIN forms f ON f.id = t.form_id',
        where: 't.subscriber_id = person.id',
        order: ['t.created_at', 't.id'],
      },
      removal: { with: 'subscribers' },
    },
    // Shown with `form_submissions`.
    submission_routes: { removal: { with: 'form_submissions' } },
    form_drafts: {
      held: {
        as: 'form_drafts',
        columns: 't.form_id, f.name, t.answers, t.expires_at',
        from: 'form_drafts t JOIN forms f ON f.id = t.form_id',
        where: `t.channel = person.channel AND t.platform_user_id = person.platform_user_id
          AND f.project_id = person.project_id`,
        order: ['t.expires_at', 't.submission_id'],
      },
      removal: 'erase',
    },
  },
  async erase(db, person, deps) {
    await eraseDrafts(db, person);
    const running = await runningSubmissionsOf(db, person);
    afterCommit(db, () => wakeWorkflows(deps, running.map(workflowIds.form)));
  },
};

function eraseDrafts(db: Db, { project_id, channel, platform_user_id }: Person): Promise<number> {
  return change(
    db,
    'erase_form_drafts',
    `DELETE FROM form_drafts d USING forms f
     WHERE f.id = d.form_id AND f.project_id = $1 AND d.channel = $2 AND d.platform_user_id = $3`,
    [project_id, channel, platform_user_id],
  );
}

/** The submissions whose workflows may be running. */
async function runningSubmissionsOf(db: Db, { id }: Person): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'running_submissions_of_person',
    'SELECT id FROM form_submissions WHERE subscriber_id = $1 AND next_at IS NOT NULL',
    [id],
  );
  return found.map((each) => each.id);
}
