import { createHash } from 'node:crypto';
import type pg from 'pg';
import { AppError } from '../../base/contract/errors';
import { formatSubscriberId } from '../../base/contract/ids';
import type { Core } from '../../base/core';
import type { RecordFailure } from '../../base/http/failure-limit';
import { createBatcher } from '../../base/lib/batch';
import { sha256 } from '../../base/lib/tokens';
import type { SessionStarter } from './workflow-client';
import { consumeCodes, whyNotConsumed, type Redemption, type VerifiedUser } from './queries/status';

/** Codes that arrive while a statement is in flight share the next one. */
const CODES_PER_STATEMENT = 100;

export type RedeemCode = (redemption: Redemption) => Promise<VerifiedUser | null>;

export function createCodeRedeemer(pool: pg.Pool): RedeemCode {
  const { write } = createBatcher((codes: Redemption[]) => consumeCodes(pool, codes), {
    size: CODES_PER_STATEMENT,
  });
  return write;
}

/**
 * Redeems a one-time code. The code is looked up before the failures are counted: a valid one succeeds during a flood
 * of guesses, and only guesses (unknown codes, wrong verifiers) count as failures.
 */
export async function verifyCode(
  deps: Pick<Core, 'pool' | 'config'> & {
    redeem: RedeemCode;
    noteFailure: RecordFailure;
    starter: Pick<SessionStarter, 'signalRedeemed'>;
  },
  projectId: string,
  { code, code_verifier: verifier }: { code: string; code_verifier?: string | undefined },
) {
  const codeHash = sha256(code);
  const challenge = verifier === undefined ? null : createHash('sha256').update(verifier).digest('base64url');
  const { pool, config, redeem, noteFailure, starter } = deps;
  const user = await redeem({ projectId, codeHash, challenge });
  if (user) {
    starter.signalRedeemed(user.session_id);
    const { id, channel, first_name, username, lang, tags } = user;
    const subscriber_id = formatSubscriberId(id, config.HERALD_SUBSCRIBER_ID_FORMAT);
    return { subscriber_id, channel, first_name, username, lang, tags };
  }
  const why = await whyNotConsumed(pool, projectId, codeHash);
  if (why === 'used') throw new AppError('code_already_used');
  if (why === 'expired') throw new AppError('code_expired');
  const retryAfter = await noteFailure(projectId);
  if (retryAfter !== null) throw new AppError('rate_limit_verify', undefined, { retryAfter });
  throw new AppError(why === 'unknown' ? 'invalid_code' : 'invalid_code_verifier');
}
