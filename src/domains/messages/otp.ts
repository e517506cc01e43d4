import { createHmac, randomInt } from 'node:crypto';
import { botTexts, isRetryableReason, withCode } from '../bots';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { emitEvent } from '../events';
import type { FailureReason } from '../events/contract';
import type { Work } from '../../base/http/idempotency';
import type { Cipher } from '../../base/lib/cipher';
import { isoTime } from '../../base/lib/iso-time';
import { isBillingBlocked } from '../projects';
import type { Project } from '../projects/contract';
import { type SubscriberRecord, lockSubscriber, requireSubscriber } from '../subscribers';
import type { SendOtp, VerifyOtp } from './contract';
import { deliver, failure, recordResult, type OnResult } from './deliver';
import { recipientFields } from './delivery-events';
import { findMessages, insertMessages, type MessageRow } from './queries/messages';
import { activateOtp, attemptOtp, insertOtp, otpWindowWait, removeOtp, replaceOtpHash } from './queries/otp';

export type OtpDeps = Pick<Core, 'pool' | 'config' | 'cipher' | 'messengers' | 'turns' | 'log'>;

/**
 * Sends a code. The transaction that records a successful send also makes it the active code of its purpose; of two
 * concurrent sends, the later commit wins. A code that could not be sent leaves the previous one active and does not
 * count towards the hourly limit.
 */
export async function sendOtp(
  deps: OtpDeps,
  project: Pick<Project, 'id' | 'name'>,
  request: SendOtp,
  work: Work,
): Promise<void> {
  const { pool, config, messengers } = deps;
  const [earlier] = work.resumed ? await findMessages(pool, work.id) : [];
  if (earlier) return resumeOtp(deps, project, request, work.id, earlier);
  if (await isBillingBlocked(pool, project.id, config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const subscriber = await requireSubscriber(pool, project.id, request.subscriber_id);
  if (!subscriber.active) throw unreachable(subscriber.blocked);
  if (!(await messengers.reaching(subscriber))) throw new AppError('platform_busy');

  const code = newCode(request.code_length);
  const messageId = await reserve(deps, project.id, subscriber, request, code, work.id);
  await deliverCode(deps, project, subscriber, request, { codeId: work.id, messageId, code });
}

async function deliverCode(
  deps: OtpDeps,
  project: Pick<Project, 'id' | 'name'>,
  subscriber: SubscriberRecord,
  request: SendOtp,
  { codeId, messageId, code }: { codeId: string; messageId: string; code: string },
): Promise<void> {
  const text = botTexts[subscriber.lang].oneTimeCode({
    project: project.name,
    code,
    minutes: request.ttl_minutes,
  });
  const onResult: OnResult = async (db, { status }, at) => {
    if (status === 'failed') {
      await removeOtp(db, codeId);
      return;
    }
    await activateOtp(db, codeOf(codeId, subscriber, request));
    await emitEvent(db, project.id, 'otp.sent', eventFields(deps, subscriber, request.purpose, at));
  };
  const result = await deliver(deps, messageId, subscriber, withCode(text, code), { onResult });
  if (result?.status === 'sent') return;
  throw refusal(result?.reason ?? null);
}

function refusal(reason: FailureReason | null): AppError {
  if (reason === null || isRetryableReason(reason)) return new AppError('platform_busy');
  if (reason === 'user_blocked_bot') return unreachable(true);
  return new AppError('conflict', `The messenger rejected the message: ${reason}.`);
}

const LOST = 'The service stopped while the code was being sent; it may have arrived.';

/**
 * Resumes a request that a crash interrupted. A code that was not sent yet is replaced, because only its hash is stored.
 * One that may have arrived is not sent again: it becomes active, and the caller learns that it may be lost.
 */
async function resumeOtp(
  deps: OtpDeps,
  project: Pick<Project, 'id' | 'name'>,
  request: SendOtp,
  codeId: string,
  { id: messageId, status, reason }: MessageRow,
): Promise<void> {
  const { pool, cipher } = deps;
  if (status === 'sent') return;
  if (status === 'failed') throw reason === 'unknown' ? lost() : refusal(reason as FailureReason | null);
  const subscriber = await requireSubscriber(pool, project.id, request.subscriber_id);
  if (status === 'queued') {
    const code = newCode(request.code_length);
    await replaceOtpHash(pool, codeId, hashOf(cipher, subscriber.id, request.purpose, code));
    return deliverCode(deps, project, subscriber, request, { codeId, messageId, code });
  }
  await recordResult(deps, messageId, subscriber, failure('unknown', LOST), (db) =>
    activateOtp(db, codeOf(codeId, subscriber, request)),
  );
  throw lost();
}

function lost(): AppError {
  return new AppError('conflict', `${LOST} To send another code, use a new Idempotency-Key.`);
}

function codeOf(id: string, subscriber: SubscriberRecord, { purpose, ttl_minutes }: SendOtp) {
  return { id, subscriberId: subscriber.id, purpose, ttlMinutes: ttl_minutes };
}

/** Holds the subscriber's row lock, so that the hourly limit is exact under concurrency. Returns the message's id. */
function reserve(
  { pool, cipher }: OtpDeps,
  projectId: string,
  subscriber: SubscriberRecord,
  { purpose, max_attempts }: SendOtp,
  code: string,
  requestId: string,
): Promise<string> {
  return withTransaction(pool, async (db) => {
    orNotFound(await lockSubscriber(db, projectId, subscriber.id), 'subscriber_not_found');
    const wait = await otpWindowWait(db, subscriber.id, limits.otpCodesPerHour);
    if (wait !== null) throw new AppError('rate_limit_otp', undefined, { retryAfter: wait });
    await insertOtp(db, {
      id: requestId,
      subscriberId: subscriber.id,
      purpose,
      hash: hashOf(cipher, subscriber.id, purpose, code),
      maxAttempts: max_attempts,
    });
    const [message] = await insertMessages(db, { projectId, requestId, source: 'otp', content: null }, [
      { subscriberId: subscriber.id, channel: subscriber.channel },
    ]);
    if (!message) throw new Error('the message was not inserted');
    return message.id;
  });
}

export async function verifyOtp(deps: OtpDeps, projectId: string, request: VerifyOtp): Promise<void> {
  const { pool, cipher } = deps;
  const subscriber = await requireSubscriber(pool, projectId, request.subscriber_id);
  const { purpose } = request;
  // Commits before throwing: a wrong code counts as an attempt.
  const outcome = await withTransaction(pool, async (db) => {
    const hash = hashOf(cipher, subscriber.id, purpose, request.code);
    const attempt = await attemptOtp(db, { subscriberId: subscriber.id, purpose, hash });
    if (!attempt) return null;
    const fields = eventFields(deps, subscriber, purpose, attempt.attempted_at);
    if (attempt.verified) {
      await emitEvent(db, projectId, 'otp.verified', fields);
      return attempt;
    }
    const left = { ...fields, attempts_left: attempt.attempts_left };
    await emitEvent(db, projectId, 'otp.failed_attempt', left);
    if (attempt.attempts_left === 0) await emitEvent(db, projectId, 'otp.max_attempts_reached', fields);
    return attempt;
  });
  if (!outcome) throw new AppError('not_found', 'No active code for this subscriber and purpose.');
  if (!outcome.verified) throw new AppError('invalid_code', 'Wrong code.');
}

function unreachable(isBlocked: boolean): AppError {
  return new AppError(
    'conflict',
    isBlocked ? 'The subscriber has blocked the bot.' : 'The subscriber has unsubscribed.',
  );
}

function eventFields({ config }: OtpDeps, subscriber: SubscriberRecord, purpose: string, at: Date) {
  const recipient = { ...subscriber, subscriber_id: subscriber.id };
  return {
    ...recipientFields(recipient, config.HERALD_SUBSCRIBER_ID_FORMAT),
    purpose,
    occurred_at: isoTime(at),
  };
}

function newCode(length: number): string {
  return String(randomInt(10 ** length)).padStart(length, '0');
}

/**
 * Bound to the subscriber and the purpose. The HMAC key is derived from the encryption key, which is not in the
 * database.
 */
function hashOf(cipher: Cipher, subscriberId: string, purpose: string, code: string): Buffer {
  return createHmac('sha256', cipher.derive('otp code'))
    .update(`${subscriberId}\n${purpose}\n${code}`)
    .digest();
}
