import { AppError } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { flows, type Flow } from './flows';
import { endSession, firstAnswer } from './queries/decisions';
import { lockSession, type AuthSession } from './queries/sessions';
import { requestWakeUp } from './queries/starts';
import { REQUEST_DEADLINE_MS, type SessionStarter } from './workflow-client';

/**
 * Expires a session or request without an answer, and wakes its workflow, which edits the bot's question. A stored
 * answer is first: the workflow decides it. While Temporal is unavailable, the relay wakes the workflow later.
 */
export async function cancelSession(
  { pool, starter, log }: Pick<Core, 'pool' | 'log'> & { starter: SessionStarter },
  projectId: string,
  sessionId: string,
  resource: Flow['resource'],
): Promise<void> {
  const session = await withTransaction(pool, async (db): Promise<AuthSession> => {
    const found = await lockSession(db, sessionId);
    if (found?.project_id !== projectId || flows[found.flow].resource !== resource) {
      throw new AppError('not_found');
    }
    if (found.status !== 'pending' || (await firstAnswer(db, sessionId))) {
      throw new AppError('conflict', `The ${resource} has already ended.`);
    }
    await endSession(db, sessionId, 'expired', null);
    await requestWakeUp(db, sessionId);
    return found;
  });
  await starter
    .signalCancelled(session, REQUEST_DEADLINE_MS)
    .catch((err: unknown) =>
      log.warn(
        { err, session_id: sessionId },
        'the workflow of a cancelled session was not woken; the relay will wake it',
      ),
    );
}
