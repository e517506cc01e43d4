import type pg from 'pg';
import { orNotFound } from '../../base/contract/errors';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { withTransaction } from '../../base/db/pool';
import { isoTime } from '../../base/lib/iso-time';
import { lockSubscriber } from '../subscribers';
import type { SubmissionStatus, SubmissionView } from './contract';
import { findForm } from './queries/forms';
import {
  findSubmission,
  insertRoutes,
  lockSubmission,
  setStatus,
  type SubmissionRow,
} from './queries/submissions';
import { routesOfGood } from './rules';
import { emitSubmitted } from './submit';

/**
 * Moves a submission into the spam folder or out of it. Out of it, its event is sent and its routes run, unless they have
 * before; the routes are those that the form has now. Lock order: subscriber, then submission.
 */
export function moveSubmission(
  { pool, format }: { pool: pg.Pool; format: SubscriberIdFormat },
  projectId: string,
  id: string,
  status: SubmissionStatus,
): Promise<SubmissionRow> {
  return withTransaction(pool, async (db) => {
    const found = orNotFound(await findSubmission(db, projectId, id));
    const subscriber =
      found.subscriber_id === null ? null : await lockSubscriber(db, projectId, found.subscriber_id);
    const submission = orNotFound(await lockSubmission(db, projectId, id));
    const form = orNotFound(await findForm(db, projectId, submission.form_id));
    if (submission.status === status) return submission;
    await setStatus(db, id, status);
    // It has an event if it has been a good one before: then its routes were run too.
    if (status === 'new' && submission.event_id === null) {
      const { answers, source, created_at: at } = submission;
      await emitSubmitted(db, format, { id, form, answers, source, subscriber, at });
      await insertRoutes(db, id, routesOfGood(form.routes, answers));
    }
    return (await findSubmission(db, projectId, id)) ?? submission;
  });
}

export function presentSubmission(row: SubmissionRow, format: SubscriberIdFormat): SubmissionView {
  return {
    submission_id: row.id,
    form_id: row.form_id,
    status: row.status,
    answers: row.answers,
    subscriber_id: row.subscriber_id && formatSubscriberId(row.subscriber_id, format),
    channel: row.channel,
    external_id: row.external_id,
    source: row.source,
    routes: row.routes,
    created_at: isoTime(row.created_at),
  };
}
