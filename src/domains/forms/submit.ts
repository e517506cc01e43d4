import { AppError } from '../../base/contract/errors';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import { sha256 } from '../../base/lib/tokens';
import { isBillingBlocked } from '../projects';
import { lockSubscriber, type SubscriberRecord } from '../subscribers';
import type { Answers, SubmissionSource } from './contract';
import type { FormRow } from './queries/forms';
import { findOfRequest, insertRoutes, insertSubmission, recordEvent } from './queries/submissions';
import { routesTaken } from './rules';

interface Submission {
  id: string;
  form: Pick<FormRow, 'id' | 'project_id' | 'name' | 'routes'>;
  answers: Answers;
  source: SubmissionSource;
  subscriberId: string | null;
  /** Filled in by a machine: kept, without routes and event. */
  isSpam: boolean;
  requestId?: string | undefined;
}

/** The submission of an earlier request with the same `_request_id`. */
export function findEarlier(
  { pool }: Pick<Core, 'pool'>,
  formId: string,
  requestId: string | undefined,
): Promise<string | null> {
  return requestId === undefined ? Promise.resolve(null) : findOfRequest(pool, formId, sha256(requestId));
}

/** A project without credits takes no submissions. */
export async function requireCredits(
  { pool, config }: Pick<Core, 'pool' | 'config'>,
  projectId: string,
): Promise<void> {
  if (await isBillingBlocked(pool, projectId, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
}

/** Stores a submission with its event and its routes, in one commit. Returns its id, or that of the same request before. */
export function storeSubmission(
  { pool, config }: Pick<Core, 'pool' | 'config'>,
  submission: Submission,
): Promise<string> {
  return withTransaction(pool, (db) => writeSubmission(db, config.HERALD_SUBSCRIBER_ID_FORMAT, submission));
}

/** In the caller's transaction. Lock order: subscriber, then submission. */
export async function writeSubmission(
  db: Db,
  format: SubscriberIdFormat,
  { id, form, answers, source, subscriberId, isSpam, requestId }: Submission,
): Promise<string> {
  const subscriber = subscriberId === null ? null : await lockSubscriber(db, form.project_id, subscriberId);
  const requestHash = requestId === undefined ? null : sha256(requestId);
  const taken = isSpam ? [] : routesTaken(form.routes, answers);
  const isMarked = isSpam || taken.at(-1)?.route.action === 'spam';
  const at = await insertSubmission(db, {
    id,
    projectId: form.project_id,
    formId: form.id,
    subscriberId: subscriber?.id ?? null,
    status: isMarked ? 'spam' : 'new',
    answers,
    source,
    requestHash,
  });
  if (!at) return (requestHash && (await findOfRequest(db, form.id, requestHash))) || id;
  if (!isMarked) {
    await emitSubmitted(db, format, { id, form, answers, source, subscriber, at });
  }
  await insertRoutes(db, id, taken);
  return id;
}

/** `form.submitted`, in the transaction that makes the submission a good one. */
export async function emitSubmitted(
  db: Db,
  format: SubscriberIdFormat,
  submission: Pick<Submission, 'id' | 'answers' | 'source'> & {
    form: Pick<FormRow, 'id' | 'project_id' | 'name'>;
    subscriber: Pick<SubscriberRecord, 'id' | 'channel' | 'external_id'> | null;
    at: Date;
  },
): Promise<void> {
  const { id, form, answers, source, subscriber, at } = submission;
  const emitted = await emitEvent(db, form.project_id, 'form.submitted', {
    form_id: form.id,
    name: form.name,
    submission_id: id,
    subscriber_id: subscriber && formatSubscriberId(subscriber.id, format),
    channel: subscriber?.channel ?? null,
    external_id: subscriber?.external_id ?? null,
    answers,
    source,
    occurred_at: isoTime(at),
  });
  await recordEvent(db, id, emitted.id);
}
