import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import type { PoolClient } from 'pg';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { metrics } from '../../base/lib/metrics';
import { inSpan, isTracing, traceIdOf } from '../../base/lib/tracing';
import { flows } from './flows';
import { showSessionOutcome } from './outcome';
import { firstAnswer, hasUnhandledUpdate } from './queries/decisions';
import { findSessionTraceparent, lockSession, type AuthSession } from './queries/sessions';
import { settleNo, settleYes } from './settle-login';
import { settleRequest } from './settle-request';
import { expire, type SettleDeps, type SettledSession } from './decisions';

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
