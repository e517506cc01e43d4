import { createHash } from 'node:crypto';
import { AppError } from '../contract/errors';
import { formatSubscriberId } from '../contract/ids';
import type { Core } from '../core';
import type { RecordFailure } from '../http/failure-limit';
import { sha256 } from '../lib/tokens';
import { consumeCode, whyNotConsumed } from './queries/status';

/**
 * Redeems a one-time code. The code is looked up before the failures are counted: a valid one succeeds during a flood
 * of guesses, and only guesses (unknown codes, wrong verifiers) count as failures.
 */
export async function verifyCode(
  { pool, config, noteFailure }: Pick<Core, 'pool' | 'config'> & { noteFailure: RecordFailure },
  projectId: string,
  { code, code_verifier: verifier }: { code: string; code_verifier?: string | undefined },
) {
  const codeHash = sha256(code);
  const challenge = verifier === undefined ? null : createHash('sha256').update(verifier).digest('base64url');
  const user = await consumeCode(pool, projectId, codeHash, challenge);
  if (user) {
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
