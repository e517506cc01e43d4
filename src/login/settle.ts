import type { PoolClient } from 'pg';
import type { DeclineReason, SessionStatus } from './contract';
import { isoTime } from '../lib/iso-time';
import { presentSubscriber, subscribe } from '../subscribers';
import type { Config } from '../config';
import type { Cipher } from '../lib/cipher';
import { randomToken256, sha256 } from '../lib/tokens';
import {
  confirmSession,
  endSession,
  firstAnswer,
  hasUnhandledUpdate,
  type Answer,
} from './queries/decisions';
import { lockSession, type AuthSession } from './queries/sessions';
import { chargeLogin, lockProject } from '../projects';
import { emitEvent } from '../events';

export interface SettleDeps {
  config: Pick<Config, 'HERALD_CODE_TTL_SECONDS' | 'HERALD_GRACE_HOURS' | 'HERALD_SUBSCRIBER_ID_FORMAT'>;
  cipher: Cipher;
}

export interface SettledSession {
  status: SessionStatus;
  reason: DeclineReason | null;
  /** While pending: when to settle again. */
  waitMs: number;
  /** Once confirmed: time until the code expires. */
  codeLifeMs: number;
}

/** A tap that was stored in time but is not handled yet is waited for, this long at most. */
const LATE_TAP_MS = 10 * 60_000;
const LATE_TAP_RECHECK_MS = 1_000;

/**
 * Decides a session in the caller's transaction: the first answer that was stored in time wins; without one the session
 * expires at its end. Claim, subscriber, code, credit and events are one commit. Safe to repeat: a decided session is
 * returned as it is. Lock order: session → project → subscriber.
 */
export async function settleInTransaction(
  db: PoolClient,
  sessionId: string,
  deps: SettleDeps,
): Promise<SettledSession> {
  const session = await lockSession(db, sessionId);
  // The project was removed, and its sessions with it.
  if (!session) return { status: 'expired', reason: null, waitMs: 0, codeLifeMs: 0 };
  if (session.status !== 'pending') return settledAs(session);
  const answer = await firstAnswer(db, sessionId);
  if (!answer) return settleUnanswered(db, session);
  if (answer.answer === 'no') return decline(db, sessionId, 'user');
  return settleYes(db, session, answer, deps);
}

function settledAs(session: AuthSession): SettledSession {
  return {
    status: session.status,
    reason: session.decline_reason,
    waitMs: 0,
    codeLifeMs: Math.max(0, session.code_life_ms),
  };
}

async function settleUnanswered(db: PoolClient, session: AuthSession): Promise<SettledSession> {
  const stillOpen = { status: 'pending', reason: null, codeLifeMs: 0 } as const;
  if (session.wait_ms > 0) return { ...stillOpen, waitMs: session.wait_ms };
  if (session.wait_ms > -LATE_TAP_MS && (await hasUnhandledUpdate(db, session.id))) {
    return { ...stillOpen, waitMs: LATE_TAP_RECHECK_MS };
  }
  await endSession(db, session.id, 'expired', null);
  return { status: 'expired', reason: null, waitMs: 0, codeLifeMs: 0 };
}

async function decline(
  db: PoolClient,
  sessionId: string,
  reason: 'user' | 'billing_blocked',
): Promise<SettledSession> {
  await endSession(db, sessionId, 'declined', reason);
  return { status: 'declined', reason, waitMs: 0, codeLifeMs: 0 };
}

async function settleYes(
  db: PoolClient,
  session: AuthSession,
  answer: Answer,
  { config, cipher }: SettleDeps,
): Promise<SettledSession> {
  const { channel, platform_user_id, chat_id, lang } = session;
  if (!channel || !platform_user_id || !chat_id || !lang) {
    throw new Error('the session was answered before a user opened its link');
  }
  const project = await lockProject(db, session.project_id);
  if (!project.active) {
    await endSession(db, session.id, 'expired', null);
    return { status: 'expired', reason: null, waitMs: 0, codeLifeMs: 0 };
  }
  const charge = await chargeLogin(db, project, session.id, config.HERALD_GRACE_HOURS);
  if (charge === 'blocked') return decline(db, session.id, 'billing_blocked');

  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const user = {
    channel,
    platform_user_id,
    chat_id,
    lang,
    first_name: answer.first_name,
    username: answer.username,
  };
  const { subscriber } = await subscribe(db, project.id, user, format);
  const code = randomToken256();
  const { decidedAt, codeLifeMs } = await confirmSession(db, session.id, {
    subscriberId: subscriber.id,
    codeHash: sha256(code),
    // The provider collects the outcome itself: nobody gets the code of a login by OpenID Connect.
    codeSealed: session.flow === 'oidc' ? null : cipher.encrypt(code, 'auth_code', session.id),
    codeTtlSeconds: config.HERALD_CODE_TTL_SECONDS,
  });
  // A login by static link was not begun by the project, so it has no state to return.
  if (session.flow === 'session' && session.state !== null) {
    await emitEvent(db, project.id, 'auth.completed', {
      ...presentSubscriber(subscriber, format),
      state: session.state,
      auth_time: isoTime(decidedAt),
    });
  }
  return { status: 'confirmed', reason: null, waitMs: 0, codeLifeMs };
}
