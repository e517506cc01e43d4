import { createHash } from 'node:crypto';
import { AppError } from '../contract/errors';
import { formatSubscriberId } from '../contract/ids';
import type { Core } from '../core';
import { sha256 } from '../lib/tokens';
import { consumeCodes, whyNotConsumed, type CodeUse, type VerifiedUser } from './queries/status';
import { createGatherer } from '../lib/batch';
import type { RecordFailure } from '../http/failure-limit';

/** Codes that one statement uses up at most. */
const TOGETHER = 50;

/**
 * Uses one-time codes up. The code is looked up first: a good one succeeds even during a flood of bad ones, and only
 * guesses (unknown codes, wrong verifiers) count towards the flood. Calls of one project that arrive while a statement is
 * under way share the next one: a row that somebody holds locked keeps nobody else waiting.
 */
export function createCodeVerifier({
  pool,
  config,
  noteFailure,
}: Pick<Core, 'pool' | 'config'> & { noteFailure: RecordFailure }) {
  const consume = createGatherer<CodeUse, VerifiedUser | null>(
    async (_projectId, uses) => {
      const users = await consumeCodes(pool, uses);
      return uses.map(({ codeHash }) => users.get(codeHash.toString('hex')) ?? null);
    },
    // Of two calls with the same code, the second must find it used.
    { most: TOGETHER, mark: ({ codeHash }) => codeHash.toString('hex') },
  );

  return async (
    projectId: string,
    { code, code_verifier: verifier }: { code: string; code_verifier?: string | undefined },
  ) => {
    const codeHash = sha256(code);
    const challenge =
      verifier === undefined ? null : createHash('sha256').update(verifier).digest('base64url');
    const user = await consume(projectId, { projectId, codeHash, challenge });
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
  };
}
