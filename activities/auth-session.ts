import { SpanKind } from '@opentelemetry/api';
import type { SessionStatus } from '../src/login/contract';
import type { Core } from '../src/core';
import { showSessionOutcome } from '../src/login/outcome';
import { findSession } from '../src/login/queries/sessions';
import { expireCode } from '../src/login/queries/decisions';
import { withTransaction } from '../src/db/pool';
import { findSessionTraceparent } from '../src/login/queries/sessions';
import { metrics } from '../src/lib/metrics';
import { settleInTransaction, type SettledSession } from '../src/login/settle';
import { inSpan, isTracing, traceIdOf } from '../src/lib/tracing';
import { reported } from './failures';

export interface SessionRef {
  sessionId: string;
}

/** As the metrics call it: who declined makes a difference to the operator. */
function outcomeOf({ status, reason }: SettledSession): string {
  return reason === 'billing_blocked' ? reason : status;
}

/** In the trace of the request that made the session: the events of a login, and their attempts, belong to it. */
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

export type AuthSessionActivities = ReturnType<typeof createAuthSessionActivities>;

/** What the `authSession` workflow does to the world. Each can run twice without a second effect. */
export function createAuthSessionActivities(core: Core) {
  return {
    /** Decides the session in one transaction, or says how long it may still wait. */
    settleSession: reported(async ({ sessionId }: SessionRef): Promise<SettledSession> => {
      const parent = isTracing() ? await findSessionTraceparent(core.pool, sessionId) : null;
      const settled = await traced(parent, sessionId, () =>
        withTransaction(core.pool, (db) => settleInTransaction(db, sessionId, core)),
      );
      if (settled.status !== 'pending') metrics.logins.inc({ outcome: outcomeOf(settled) });
      core.log.info(
        {
          session_id: sessionId,
          status: settled.status,
          reason: settled.reason,
          trace_id: traceIdOf(parent),
        },
        'session settled',
      );
      return settled;
    }),

    /** Edits the bot's question to show how the session ended. */
    showOutcome: reported(async ({ sessionId }: SessionRef): Promise<void> => {
      await showSessionOutcome(core, sessionId);
    }),

    /** Ends the code's life, unless it was used or has time left by the database's clock. */
    expireCode: reported(
      async ({ sessionId }: SessionRef): Promise<{ status: SessionStatus; leftMs: number }> => {
        await expireCode(core.pool, sessionId);
        const session = await findSession(core.pool, sessionId);
        return { status: session?.status ?? 'expired', leftMs: Math.max(0, session?.code_life_ms ?? 0) };
      },
    ),
  };
}
