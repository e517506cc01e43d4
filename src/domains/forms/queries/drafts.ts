import { limits } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';
import type { BotUserRef } from '../../subscribers';
import type { Answer } from '../contract';

/** Null: the question was skipped. */
export type DraftAnswers = Record<string, Answer | null>;

export interface Draft {
  form_id: string;
  submission_id: string;
  answers: DraftAnswers;
  chosen: string[];
  submitted: boolean;
  update_id: number;
}

const COLUMNS = 'form_id, submission_id, answers, chosen, submitted, update_id';
const EXPIRY = `clock_timestamp() + interval '${limits.formDraftHours} hours'`;

/** Begins a form, or goes on with a draft of the same one. */
export async function openDraft(
  db: Db,
  { bot, channel, platform_user_id }: BotUserRef,
  begun: { formId: string; submissionId: string; updateId: number },
): Promise<Draft> {
  const opened = await row<Draft>(
    db,
    'open_form_draft',
    `INSERT INTO form_drafts AS d (bot, channel, platform_user_id, form_id, submission_id, update_id, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, ${EXPIRY})
     ON CONFLICT (bot, platform_user_id) DO UPDATE SET form_id = excluded.form_id, update_id = excluded.update_id,
       submission_id = CASE WHEN d.form_id = $4 AND NOT d.submitted AND d.expires_at > now() THEN d.submission_id
         ELSE excluded.submission_id END,
       answers = CASE WHEN d.form_id = $4 AND NOT d.submitted AND d.expires_at > now() THEN d.answers ELSE '{}' END,
       chosen = CASE WHEN d.form_id = $4 AND NOT d.submitted AND d.expires_at > now() THEN d.chosen ELSE '{}' END,
       submitted = false, expires_at = excluded.expires_at
     RETURNING ${COLUMNS}`,
    [bot, channel, platform_user_id, begun.formId, begun.submissionId, begun.updateId],
  );
  if (!opened) throw new Error('the draft was not stored');
  return opened;
}

export function findDraft(db: Db, { bot, platform_user_id }: BotUserRef): Promise<Draft | null> {
  return row<Draft>(
    db,
    'find_form_draft',
    `SELECT ${COLUMNS} FROM form_drafts WHERE bot = $1 AND platform_user_id = $2 AND expires_at > now()`,
    [bot, platform_user_id],
  );
}

export function saveDraft(db: Db, { bot, platform_user_id }: BotUserRef, draft: Draft): Promise<number> {
  return change(
    db,
    'save_form_draft',
    `UPDATE form_drafts SET answers = $3, chosen = $4, submitted = $5, update_id = $6, expires_at = ${EXPIRY}
     WHERE bot = $1 AND platform_user_id = $2`,
    [bot, platform_user_id, JSON.stringify(draft.answers), draft.chosen, draft.submitted, draft.update_id],
  );
}

export function deleteDraft(db: Db, { bot, platform_user_id }: BotUserRef): Promise<number> {
  return change(db, 'delete_form_draft', 'DELETE FROM form_drafts WHERE bot = $1 AND platform_user_id = $2', [
    bot,
    platform_user_id,
  ]);
}
