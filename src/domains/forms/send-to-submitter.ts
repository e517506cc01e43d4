import type pg from 'pg';
import { normalContent } from '../../base/contract/content';
import { AppError } from '../../base/contract/errors';
import { withTransaction, type Db } from '../../base/db/pool';
import { notSent, requeueMessages, sendResultOf, sendTo, type SendResult } from '../messages';
import { isBillingBlocked } from '../projects';
import { answerValues } from './answer-values';
import { withAnswers } from './forms';
import { hasMessage, lockSendable, recordResent } from './queries/routes';
import type { BegunMessage, RouteDeps } from './outcome';

/** After this time a bot that is unavailable is a failure, and the next route runs. */
const PATIENT_MS = 24 * 3_600_000;

/**
 * Sends the message of a route; the route's id is that of the request, so a repeated call finds the message. Throws
 * `platform_busy` while no bot can take it, and `project_inactive` while the project is inactive.
 */
export async function sendToSubmitter(
  deps: RouteDeps,
  { due, submission, subscriber }: BegunMessage,
): Promise<SendResult> {
  const { pool, config, log } = deps;
  const isBegun = await hasMessage(pool, due.id);
  if (!isBegun && (await isBillingBlocked(pool, submission.project_id, config.HERALD_GRACE_HOURS))) {
    return notSent('failed', 'billing_blocked');
  }
  if (isBegun) await requeueOnce(pool, due.id);
  const isPatient = submission.now.getTime() - (due.began_at ?? submission.now).getTime() < PATIENT_MS;
  const content = withAnswers(
    normalContent(due.route.content),
    submission.fields,
    answerValues(submission.answers),
  );
  const request = {
    source: 'form' as const,
    sourceId: submission.form_id,
    content,
    permission: undefined,
    mayStillSend: (db: Db) => lockSendable(db, due.id),
    // A subscriber who has left is skipped at once: there is nothing to wait for.
    isPatient: isPatient && (subscriber.active || subscriber.blocked),
  };
  try {
    const [detail] = await sendTo(deps, submission.project_id, request, [subscriber], due.id);
    return detail ? sendResultOf(detail) : notSent('failed', 'unknown');
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'project_inactive') throw error;
    if (error.code === 'platform_busy') {
      if (isPatient) throw error;
      return notSent('failed', 'platform_unavailable');
    }
    // Its media or template, which were fine when the form was saved.
    log.warn({ err: error, submission_id: submission.id }, 'the message of a form can no longer be sent');
    return notSent('failed', 'invalid_message');
  }
}

/**
 * A worker that died while it was sending may have sent the message: it may arrive twice, but it is not lost. Only once:
 * the second time its result stays unknown.
 */
function requeueOnce(pool: pg.Pool, routeId: string): Promise<void> {
  return withTransaction(pool, async (db) => {
    if (await recordResent(db, routeId)) await requeueMessages(db, routeId);
  });
}
