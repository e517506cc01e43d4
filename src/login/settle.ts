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
import { announceDecision, approve, bindAnswerer } from './settle-request';
import { chargeLogin, lockProject, upsertAccount, type Account } from '../projects';
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
  if (session.flow === 'push') return settleRequest(db, session, answer, deps);
  if (answer.answer === 'no') return decline(db, session, 'user', deps);
  return settleYes(db, session, answer, deps);
}

/** An approval is decided by the one who answered first; with the purpose `login` it then is a login like any other. */
async function settleRequest(
  db: PoolClient,
  request: AuthSession,
  answer: Answer,
  deps: SettleDeps,
): Promise<SettledSession> {
  // A subscriber is removed under the project's lock, so the one who is found here stays until the commit.
  const project = await lockProject(db, request.project_id);
  const answered = project.active ? await bindAnswerer(db, request, answer) : null;
  if (!answered) return expire(db, request.id);
  if (answer.answer === 'no') return decline(db, answered, 'user', deps);
  if (answered.purpose === 'login') return settleYes(db, answered, answer, deps);
  const charge = await chargeLogin(db, project, answered.id, deps.config.HERALD_GRACE_HOURS);
  if (charge === 'blocked') return decline(db, answered, 'billing_blocked', deps);
  await approve(db, answered, deps.config.HERALD_SUBSCRIBER_ID_FORMAT);
  return { status: 'consumed', reason: null, waitMs: 0, codeLifeMs: 0 };
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
  return expire(db, session.id);
}

async function expire(db: PoolClient, sessionId: string): Promise<SettledSession> {
  await endSession(db, sessionId, 'expired', null);
  return { status: 'expired', reason: null, waitMs: 0, codeLifeMs: 0 };
}

async function decline(
  db: PoolClient,
  session: AuthSession,
  reason: 'user' | 'billing_blocked',
  { config }: SettleDeps,
): Promise<SettledSession> {
  const { decidedAt } = await endSession(db, session.id, 'declined', reason);
  if (session.purpose === 'approval') {
    await announceDecision(db, session, 'auth.declined', decidedAt, config.HERALD_SUBSCRIBER_ID_FORMAT);
  }
  return { status: 'declined', reason, waitMs: 0, codeLifeMs: 0 };
}

async function settleYes(
  db: PoolClient,
  session: AuthSession,
  answer: Answer,
  deps: SettleDeps,
): Promise<SettledSession> {
  const { config, cipher } = deps;
  const { channel, platform_user_id, chat_id, bot, lang } = session;
  if (!channel || !platform_user_id || !chat_id || !lang) {
    throw new Error('the session was answered before a user opened its link');
  }
  const project = await lockProject(db, session.project_id);
  if (!project.active) return expire(db, session.id);
  const user = {
    channel,
    platform_user_id,
    chat_id,
    bot,
    lang,
    first_name: answer.first_name,
    username: answer.username,
  };
  if (project.system) return signInToDashboard(db, session.id, user, config);
  const charge = await chargeLogin(db, project, session.id, config.HERALD_GRACE_HOURS);
  if (charge === 'blocked') return decline(db, session, 'billing_blocked', deps);

  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const { subscriber } = await subscribe(db, project.id, user, format);
  const code = randomToken256();
  const { codeLifeMs } = await confirmSession(db, session.id, {
    subscriberId: subscriber.id,
    codeHash: sha256(code),
    // The provider collects the outcome itself: the code of a login by OpenID Connect is never given out.
    codeSealed: session.flow === 'oidc' ? null : cipher.encrypt(code, 'auth_code', session.id),
    codeTtlSeconds: config.HERALD_CODE_TTL_SECONDS,
  });
  // A login by static link was not begun by the project, so it has no state to return.
  if ((session.flow === 'session' || session.flow === 'push') && session.state !== null) {
    await emitEvent(db, project.id, 'auth.completed', {
      ...presentSubscriber(subscriber, format),
      state: session.state,
      auth_time: isoTime(answer.received_at),
    });
  }
  return { status: 'confirmed', reason: null, waitMs: 0, codeLifeMs };
}

/**
 * Herald's own login: it costs nothing and subscribes to nothing. The browser's cookie is enough, so that the code
 * is never given out.
 */
async function signInToDashboard(
  db: PoolClient,
  sessionId: string,
  user: Omit<Account, 'id'>,
  { HERALD_CODE_TTL_SECONDS: seconds }: SettleDeps['config'],
): Promise<SettledSession> {
  await upsertAccount(db, user);
  const { codeLifeMs } = await confirmSession(db, sessionId, {
    subscriberId: null,
    codeHash: sha256(randomToken256()),
    codeSealed: null,
    codeTtlSeconds: seconds,
  });
  return { status: 'confirmed', reason: null, waitMs: 0, codeLifeMs };
}
