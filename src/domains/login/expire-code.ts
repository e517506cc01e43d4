import type { Core } from '../../base/core';
import type { SessionStatus } from './contract';
import { expireUnusedCode } from './queries/decisions';
import { findSession } from './queries/sessions';

/** Expires the code, unless it was redeemed or has time left by the database's clock. */
export async function expireCode(
  { pool }: Pick<Core, 'pool'>,
  sessionId: string,
): Promise<{ status: SessionStatus; leftMs: number }> {
  const session = await findSession(pool, sessionId);
  const leftMs = Math.max(0, session?.code_life_ms ?? 0);
  if (session?.status !== 'confirmed' || leftMs > 0) return { status: session?.status ?? 'expired', leftMs };
  // False if it was redeemed in between.
  const isExpired = await expireUnusedCode(pool, sessionId);
  return isExpired ? { status: 'expired', leftMs } : expireCode({ pool }, sessionId);
}
