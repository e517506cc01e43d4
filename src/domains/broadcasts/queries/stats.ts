import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Cause } from '../../subscribers';
import type { JobKind, JobStats } from '../contract';

const UNSUBSCRIBED_HOURS = 72;

/** SQL: recipients for whom the end of their subscription still counts. */
export const COUNTS_UNSUBSCRIBED = `status = 'sent' AND NOT unsubscribed
       AND ended_at > now() - interval '${UNSUBSCRIBED_HOURS} hours'`;

/** Counts an end of a subscription for the jobs whose message the subscriber got before it, in the same transaction. */
export async function countUnsubscribed(db: Db, _projectId: string, causes: readonly Cause[]): Promise<void> {
  const ended = causes.filter(({ type }) => type === 'subscription_ended');
  if (ended.length === 0) return;
  await change(
    db,
    'count_unsubscribed',
    `UPDATE broadcast_recipients SET unsubscribed = true
     WHERE subscriber_id = ANY ($1::uuid[]) AND ${COUNTS_UNSUBSCRIBED}`,
    [ended.map(({ subscriberId }) => subscriberId)],
  );
}

/** Why recipients failed or were skipped. */
export function countReasons(
  db: Db,
  id: string,
): Promise<{ status: 'failed' | 'skipped'; reason: JobStats['reasons'][number]['reason']; count: number }[]> {
  return rows(
    db,
    'count_job_reasons',
    `SELECT status, coalesce(reason, 'unknown') AS reason, count(*) AS count FROM broadcast_recipients
     WHERE broadcast_id = $1 AND status IN ('failed', 'skipped') GROUP BY 1, 2`,
    [id],
  );
}

export async function countUnsubscribedOf(db: Db, id: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_unsubscribed_of_job',
    'SELECT count(*) AS count FROM broadcast_recipients WHERE broadcast_id = $1 AND unsubscribed',
    [id],
  );
  return counted?.count ?? 0;
}

/** Taps by the text of the button. */
export function countClicks(db: Db, id: string): Promise<JobStats['buttons']> {
  return rows(
    db,
    'count_job_clicks',
    `SELECT button AS text, count(*) AS clicks, count(DISTINCT subscriber_id) AS people
     FROM button_clicks WHERE job_id = $1 GROUP BY button`,
    [id],
  );
}

/** The texts of the buttons that the messages of a batch have of their own. */
export async function ownButtonTexts(db: Db, id: string, kind: JobKind): Promise<string[]> {
  if (kind !== 'batch') return [];
  const found = await rows<{ text: string }>(
    db,
    'batch_button_texts',
    `SELECT DISTINCT coalesce(button ->> 'given', button ->> 'text') AS text FROM broadcast_recipients r
     CROSS JOIN LATERAL jsonb_path_query(r.content, '$.buttons[*][*] ? (exists (@.data))') AS button
     WHERE r.broadcast_id = $1 ORDER BY 1`,
    [id],
  );
  return found.map(({ text }) => text);
}
