import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import type { PoolClient } from 'pg';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { metrics } from '../lib/metrics';
import { inSpan, isTracing, traceIdOf } from '../lib/tracing';
import type { DeclineReason, SessionStatus } from './contract';
import { flows } from './flows';
import { showSessionOutcome } from './outcome';
import { platformOf } from '../bots';
import { isoTime } from '../lib/iso-time';
import { presentSubscriber, subscribe } from '../subscribers';
import type { Config } from '../config';
import type { Cipher } from '../lib/cipher';
import { randomToken256, sha256 } from '../lib/tokens';
import {
  confirmSession,
  endSession,
  expireUnusedCode,
  firstAnswer,
  hasUnhandledUpdate,
  type Answer,
} from './queries/decisions';
import { findSession, findSessionTraceparent, lockSession, type AuthSession } from './queries/sessions';
import { announceDecision, approve, bindAnswerer } from './settle-request';
import { chargeLogin, findProject, lockProject, upsertAccount, type Account } from '../projects';
import { emitEvent } from '../events';

interface SettleDeps {
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

/** `shown` is false if the question in the chat was not edited in time. */
export type ShownSession = SettledSession & { shown: boolean };

/** An edit inside a workflow task waits no longer than this, because it holds a slot of the worker. */
const EDIT_WAIT_MS = 1_000;

/**
 * Decides the session in one transaction, or returns how long it may still wait. Joins the trace of the request that created
 * the session, so that the events of a login and their attempts do too.
 */
export async function settleSession(core: Core, sessionId: string): Promise<SettledSession> {
  const { pool, log } = core;
  const parent = isTracing() ? await findSessionTraceparent(pool, sessionId) : null;
  const attributes = { 'herald.session_id': sessionId };
  const settled = await inSpan(
    { name: 'settle session', kind: SpanKind.CONSUMER, attributes, parent },
    () => withTransaction(pool, (db) => settle(db, sessionId, core)),
    ({ status }) => ({ attributes: { 'herald.session_status': status } }),
  );
  const { status, reason } = settled;
  // An operator distinguishes a user's No from exhausted credits.
  const outcome = reason === 'billing_blocked' ? reason : status;
  if (status !== 'pending') metrics.logins.inc({ outcome });
  log.info({ session_id: sessionId, status, reason, trace_id: traceIdOf(parent) }, 'session settled');
  return settled;
}

/** Runs inside a workflow task: decides the session, then edits the question once if the platform is fast. */
export async function settleAndShow(core: Core, sessionId: string): Promise<ShownSession> {
  const settled = await settleSession(core, sessionId);
  if (settled.status === 'pending') return { ...settled, shown: false };
  const edited = showSessionOutcome(core, sessionId).then(
    () => true,
    () => false,
  );
  const shown = await Promise.race([edited, sleep(EDIT_WAIT_MS, false, { ref: false })]);
  return { ...settled, shown };
}

/** Expires the code, unless it was redeemed or has time left by the database's clock. */
export async function expireCode(
  { pool }: Pick<Core, 'pool'>,
  sessionId: string,
): Promise<{ status: SessionStatus; leftMs: number }> {
  await expireUnusedCode(pool, sessionId);
  const session = await findSession(pool, sessionId);
  return { status: session?.status ?? 'expired', leftMs: Math.max(0, session?.code_life_ms ?? 0) };
}

/**
 * Decides a session in the caller's transaction: the first answer that was stored in time wins; without one the session
 * expires at its end. Claim, subscriber, code, credit and events are one commit. Safe to repeat: a decided session is
 * returned as it is. Lock order: session → project → subscriber.
 */
async function settle(db: PoolClient, sessionId: string, deps: SettleDeps): Promise<SettledSession> {
  const session = await lockSession(db, sessionId);
  // The project was removed, and its sessions with it.
  if (!session) return { status: 'expired', reason: null, waitMs: 0, codeLifeMs: 0 };
  if (session.status !== 'pending') return settledAs(session);
  const answer = await firstAnswer(db, sessionId);
  if (!answer) return settleUnanswered(db, session);
  if (flows[session.flow].asks === 'subscribers') return settleRequest(db, session, answer, deps);
  if (answer.answer === 'no') return settleNo(db, session, deps);
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

async function settleNo(db: PoolClient, session: AuthSession, deps: SettleDeps): Promise<SettledSession> {
  const project = await findProject(db, session.project_id);
  return project?.active ? decline(db, session, 'user', deps) : expire(db, session.id);
}

async function settleYes(
  db: PoolClient,
  session: AuthSession,
  answer: Answer,
  deps: SettleDeps,
): Promise<SettledSession> {
  const { config, cipher } = deps;
  const { channel, platform_user_id, bot, lang } = session;
  if (!channel || !platform_user_id || !lang) {
    throw new Error('the session was answered before a user opened its link');
  }
  const project = await lockProject(db, session.project_id);
  if (!project.active) return expire(db, session.id);
  const user = {
    channel,
    platform_user_id,
    chat_id: platformOf(channel).chatOf(platform_user_id),
    bot,
    lang,
    first_name: answer.first_name,
    username: answer.username,
  };
  if (project.system) return signInToDashboard(db, session.id, user, config);
  const charge = await chargeLogin(db, project, session.id, config.HERALD_GRACE_HOURS);
  if (charge === 'blocked') return decline(db, session, 'billing_blocked', deps);

  const { collector, emitsCompleted } = flows[session.flow];
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const { subscriber } = await subscribe(db, project.id, user, format);
  const code = randomToken256();
  const { codeLifeMs } = await confirmSession(db, session.id, {
    subscriberId: subscriber.id,
    codeHash: sha256(code),
    codeSealed: collector === 'provider' ? null : cipher.encrypt(code, 'auth_code', session.id),
    codeTtlSeconds: config.HERALD_CODE_TTL_SECONDS,
  });
  if (emitsCompleted && session.state !== null) {
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
