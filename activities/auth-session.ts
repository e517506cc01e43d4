import { setTimeout as sleep } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import type { Core } from '../src/core';
import { withTransaction } from '../src/db/pool';
import { metrics } from '../src/lib/metrics';
import { inSpan, isTracing, traceIdOf } from '../src/lib/tracing';
import { askRecipients } from '../src/login/ask';
import type { SessionStatus } from '../src/login/contract';
import { showSessionOutcome } from '../src/login/outcome';
import { expireCode } from '../src/login/queries/decisions';
import { findSession, findSessionTraceparent } from '../src/login/queries/sessions';
import { settleInTransaction, type SettledSession } from '../src/login/settle';
import { reported } from './failures';

export interface SessionRef {
  sessionId: string;
}

/** `shown` is false if the question in the chat was not edited in time. */
export type ShownSession = SettledSession & { shown: boolean };

/** An edit inside a workflow task waits no longer than this, because it holds a slot of the worker. */
const EDIT_WAIT_MS = 1_000;

export type AuthSessionActivities = ReturnType<typeof createAuthSessionActivities>;

/** The activities of the `authSession` workflow. Each is safe to repeat. */
export function createAuthSessionActivities(core: Core) {
  async function settle(sessionId: string): Promise<SettledSession> {
    const parent = isTracing() ? await findSessionTraceparent(core.pool, sessionId) : null;
    const settled = await traced(parent, sessionId, () =>
      withTransaction(core.pool, (db) => settleInTransaction(db, sessionId, core)),
    );
    const { status, reason } = settled;
    if (status !== 'pending') metrics.logins.inc({ outcome: outcomeOf(settled) });
    core.log.info({ session_id: sessionId, status, reason, trace_id: traceIdOf(parent) }, 'session settled');
    return settled;
  }

  return {
    /** Decides the session in one transaction, or returns how long it may still wait. */
    settleSession: reported(({ sessionId }: SessionRef): Promise<SettledSession> => settle(sessionId)),

    /** Runs inside a workflow task: decides the session, then edits the question once if the platform is fast. */
    settleAndShow: reported(async ({ sessionId }: SessionRef): Promise<ShownSession> => {
      const settled = await settle(sessionId);
      if (settled.status === 'pending') return { ...settled, shown: false };
      const edited = showSessionOutcome(core, sessionId).then(
        () => true,
        () => false,
      );
      const shown = await Promise.race([edited, sleep(EDIT_WAIT_MS, false, { ref: false })]);
      return { ...settled, shown };
    }),

    /** Sends the question of an approval to every subscriber who has not got it yet. */
    askRecipients: reported(async ({ sessionId }: SessionRef): Promise<void> => {
      await askRecipients(core, sessionId);
    }),

    /** Edits the question in the chat to show the session's outcome. */
    showOutcome: reported(async ({ sessionId }: SessionRef): Promise<void> => {
      await showSessionOutcome(core, sessionId);
    }),

    /** Expires the code, unless it was redeemed or has time left by the database's clock. */
    expireCode: reported(
      async ({ sessionId }: SessionRef): Promise<{ status: SessionStatus; leftMs: number }> => {
        await expireCode(core.pool, sessionId);
        const session = await findSession(core.pool, sessionId);
        return { status: session?.status ?? 'expired', leftMs: Math.max(0, session?.code_life_ms ?? 0) };
      },
    ),
  };
}

/** The label of the metric: an operator distinguishes a user's No from exhausted credits. */
function outcomeOf({ status, reason }: SettledSession): string {
  return reason === 'billing_blocked' ? reason : status;
}

/** Joins the trace of the request that created the session, so that the events of a login and their attempts do too. */
function traced(
  parent: string | null,
  sessionId: string,
  settle: () => Promise<SettledSession>,
): Promise<SettledSession> {
  return inSpan(
    {
      name: 'settle session',
      kind: SpanKind.CONSUMER,
      attributes: { 'herald.session_id': sessionId },
      parent,
    },
    settle,
    ({ status }) => ({ attributes: { 'herald.session_status': status } }),
  );
}
