import { createHash } from 'node:crypto';
import { AppError } from '../contracts/errors';
import { formatSubscriberId } from '../contracts/ids';
import type { Core } from '../core';
import { sha256 } from '../crypto/tokens';
import { consumeCode, whyNotConsumed } from '../db/auth-status';
import type { NoteFailure } from '../http/failure-limit';

/**
 * Uses a one-time code up. The code is looked up first: a good one succeeds even during a flood of bad ones, and only
 * guesses (unknown codes, wrong verifiers) count towards the flood.
 */
export async function verifyCode(
  { pool, config, noteFailure }: Pick<Core, 'pool' | 'config'> & { noteFailure: NoteFailure },
  projectId: string,
  { code, code_verifier: verifier }: { code: string; code_verifier?: string | undefined },
) {
  const hash = sha256(code);
  const challenge = verifier === undefined ? null : createHash('sha256').update(verifier).digest('base64url');
  const user = await consumeCode(pool, projectId, hash, challenge);
  if (user) {
    const { id, channel, first_name, username, lang, tags } = user;
    const subscriber_id = formatSubscriberId(id, config.HERALD_SUBSCRIBER_ID_FORMAT);
    return { subscriber_id, channel, first_name, username, lang, tags };
  }
  const why = await whyNotConsumed(pool, projectId, hash);
  if (why === 'used') throw new AppError('code_already_used');
  if (why === 'expired') throw new AppError('code_expired');
  const retryAfter = await noteFailure(projectId);
  if (retryAfter !== null) throw new AppError('rate_limit_verify', undefined, { retryAfter });
  throw new AppError(why === 'unknown' ? 'invalid_code' : 'invalid_code_verifier');
}
