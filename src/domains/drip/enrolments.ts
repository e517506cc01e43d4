import { AppError, orNotFound } from '../../base/contract/errors';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { requireNamed } from '../subscribers';
import { requireChain } from './chains';
import type { EnrolmentView, NewEnrolmentRequest } from './contract';
import { enrolInto } from './enrol';
import { shareChain } from './queries/chains';
import {
  cancelEnrolment,
  findEnrolmentOf,
  findEnrolments,
  findEnrolmentsOfRequest,
  type EnrolmentRow,
} from './queries/enrolments';

type Deps = Pick<Core, 'pool'>;

/** Enrols those of the named subscribers who can enter the chain; refused if none can. */
export async function enrolNamed(
  { pool }: Deps,
  projectId: string,
  chainId: string,
  { subscriber_id, external_id, properties = {} }: NewEnrolmentRequest,
  work: Work,
): Promise<EnrolmentRow[]> {
  await requireChain(pool, projectId, chainId);
  const earlier = work.resumed ? await findEnrolmentsOfRequest(pool, work.id) : [];
  if (earlier.length > 0) return earlier;
  const named = await requireNamed(pool, projectId, { subscriber_id, external_id });
  return withTransaction(pool, async (db) => {
    const chain = orNotFound(await shareChain(db, projectId, chainId));
    if (chain.status !== 'active') {
      throw new AppError('conflict', `The chain is ${chain.status}; only an active chain takes subscribers.`);
    }
    const ids = named.map(({ id }) => id);
    const begun = await enrolInto(db, chainId, ids, { properties, requestId: work.id });
    if (begun.length === 0) throw new AppError('conflict', NONE_CAN_ENTER);
    return findEnrolments(db, begun);
  });
}

const NONE_CAN_ENTER = `Every subscriber named is inactive, is in the chain, has been in it before (reentry: once) or has entered it ${limits.dripBegunPerDay} times in 24 hours.`;

/** After it nothing more is sent; a message whose sending has begun may still arrive. */
export async function cancelOne(
  { pool }: Deps,
  projectId: string,
  chainId: string,
  id: string,
): Promise<EnrolmentRow> {
  await requireChain(pool, projectId, chainId);
  // A refusal rolls the transaction back, so that it has no entry in the audit log.
  return withTransaction(pool, async (db) => {
    const cancelled = await cancelEnrolment(db, chainId, id);
    if (cancelled) return cancelled;
    const found = orNotFound(await findEnrolmentOf(db, chainId, id));
    throw new AppError('conflict', `The enrolment is ${found.status} already.`);
  });
}

export function presentEnrolment(enrolment: EnrolmentRow, format: SubscriberIdFormat): EnrolmentView {
  return {
    enrolment_id: enrolment.id,
    drip_id: enrolment.drip_id,
    version: enrolment.version,
    subscriber_id: formatSubscriberId(enrolment.subscriber_id, format),
    status: enrolment.status,
    reason: enrolment.reason,
    step_id: enrolment.step_id,
    next_at: isoTimeOrNull(enrolment.next_at),
    started_at: isoTime(enrolment.started_at),
    ended_at: isoTimeOrNull(enrolment.ended_at),
  };
}
