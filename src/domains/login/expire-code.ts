import type { Core } from '../../base/core';
import type { SessionStatus } from './contract';
import { expireUnusedCode } from './queries/decisions';
import { findSession } from './queries/sessions';

/** Expires the code, unless it was redeemed or has time left by the database's clock. */
export async function expireCode(
  { pool }: Pick<Core, 'pool'>,
  sessionId: string,
): Promise<{ status: SessionStatus; leftMs: number }> {
  await expireUnusedCode(pool, sessionId);
  const session = await findSession(pool, sessionId);
  return { status: session?.status ?? 'expired', leftMs: Math.max(0, session?.code_life_ms ?? 0) };
}
