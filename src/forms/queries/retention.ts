import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { change } from '../../db/query';
import { BATCH, repeatedDelete, type NextBatch, type Retention } from '../../db/retention';

/** A form that was removed just now may still be in the memory of an API process. */
const REMOVED = `now() - interval '1 hour'`;

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  form_submissions: {
    after: `${limits.submissionDays} days, spam after ${limits.spamDays}, and with their form`,
    remove: removeOldSubmissions,
  },
  submission_routes: { with: 'form_submissions' },
  form_drafts: { after: 'its expiry', remove: removeOldDrafts },
  forms: { after: '1 hour after its removal, once its submissions are gone', remove: removeDeletedForms },
};

/** Those of a removed form in batches too: it can have millions. */
function removeOldSubmissions(db: Db): NextBatch {
  const removals = [
    () => removeOfStatus(db, 'new', limits.submissionDays),
    () => removeOfStatus(db, 'spam', limits.spamDays),
    () => removeOfDeletedForms(db),
  ];
  return async () => {
    let affected = 0;
    let more = false;
    for (const remove of removals) {
      const removed = await remove();
      affected += removed;
      more ||= removed === BATCH;
    }
    return { affected, more };
  };
}

function removeOfStatus(db: Db, status: 'new' | 'spam', days: number): Promise<number> {
  return change(
    db,
    'remove_old_submissions',
    `DELETE FROM form_submissions WHERE id IN (
       SELECT id FROM form_submissions WHERE status = $1 AND created_at < now() - make_interval(days => $2)
       ORDER BY created_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [status, days],
  );
}

function removeOfDeletedForms(db: Db): Promise<number> {
  return change(
    db,
    'remove_submissions_of_deleted_forms',
    `DELETE FROM form_submissions WHERE id IN (
       SELECT s.id FROM forms f CROSS JOIN LATERAL (
         SELECT id FROM form_submissions WHERE form_id = f.id LIMIT ${BATCH}) s
       WHERE f.deleted_at < ${REMOVED} LIMIT ${BATCH})`,
  );
}

function removeOldDrafts(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_form_drafts',
    `DELETE FROM form_drafts WHERE (bot, platform_user_id) IN (
       SELECT bot, platform_user_id FROM form_drafts WHERE expires_at < now() LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

function removeDeletedForms(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_deleted_forms',
    `DELETE FROM forms WHERE id IN (
       SELECT f.id FROM forms f WHERE f.deleted_at < ${REMOVED}
         AND NOT EXISTS (SELECT 1 FROM form_submissions s WHERE s.form_id = f.id)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
