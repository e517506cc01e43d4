import type pg from 'pg';
import { normalContent } from '../../base/contract/content';
import { AppError } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { notSent, requeueMessages, sendResultOf, sendTo, type SendResult } from '../messages';
import { isBillingBlocked } from '../projects';
import type { Project } from '../projects/contract';
import type { Properties } from '../subscribers/contract';
import type { SubscriberRecord } from '../subscribers';
import type { StepOf } from './contract';
import { hasMessage, lockSendable, recordResent } from './queries/steps';

export type SendDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log'>;

/** After this time a bot that is unavailable is a failure, and the chain goes on. */
const PATIENT_MS = 24 * 3_600_000;

/**
 * Sends the message of a claimed step; the claim's id is that of the request, so a repeated call finds the message.
 * Throws `platform_busy` while no bot can take it, and `project_inactive` while the project is inactive.
 */
export async function sendStep(
  deps: SendDeps,
  {
    claimId,
    step: { content, permission },
    beganAt,
    enrolment: { id, properties: event, now },
    subscriber,
    project,
    chain,
  }: {
    claimId: string;
    step: StepOf<'send'>;
    beganAt: Date;
    enrolment: { id: string; properties: Properties; now: Date };
    subscriber: SubscriberRecord;
    project: Project;
    chain: { id: string };
  },
): Promise<SendResult> {
  const { pool, config, log } = deps;
  const isBegun = await hasMessage(pool, claimId);
  if (!isBegun && (await isBillingBlocked(pool, project.id, config.HERALD_GRACE_HOURS))) {
    return notSent('failed', 'billing_blocked');
  }
  if (isBegun) await requeueOnce(pool, claimId);
  const isPatient = now.getTime() - beganAt.getTime() < PATIENT_MS;
  try {
    const mayStillSend = (db: Db) => lockSendable(db, claimId);
    const request = {
      source: 'drip' as const,
      sourceId: chain.id,
      content: normalContent(content),
      permission,
      event,
      mayStillSend,
      isPatient,
    };
    const [detail] = await sendTo(deps, project.id, request, [subscriber], claimId);
    return detail ? sendResultOf(detail) : notSent('failed', 'unknown');
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'project_inactive') throw error;
    if (error.code === 'platform_busy') {
      if (isPatient) throw error;
      return notSent('failed', 'platform_unavailable');
    }
    // Its media or template, which were fine when the chain was accepted.
    log.warn({ err: error, enrolment_id: id }, 'the message of a chain can no longer be sent');
    return notSent('failed', 'invalid_message');
  }
}

/**
 * A worker that died while it was sending may have sent the message: it may arrive twice, but it is not lost. Only once:
 * the second time its result stays unknown.
 */
function requeueOnce(pool: pg.Pool, claimId: string): Promise<void> {
  return withTransaction(pool, async (db) => {
    if (await recordResent(db, claimId)) await requeueMessages(db, claimId);
  });
}
