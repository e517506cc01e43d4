import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { currentTraceparent } from '../../base/lib/tracing';
import { isBillingBlocked } from '../projects';
import type { Project } from '../projects/contract';
import { requireNamed, type SubscriberRecord } from '../subscribers';
import type { NewRequest } from './contract';
import { newMatchCode } from './match-code';
import {
  findInsertedRequest,
  insertRequest,
  lockActiveSubscribers,
  secondsUntilRequestFits,
} from './queries/requests';
import { startOrLeaveToRelay, type SessionStarter } from './workflow-client';

export interface CreatedRequest {
  id: string;
  matchCode: string;
  /** In seconds. */
  expiresIn: number;
}

type Deps = Pick<Core, 'pool' | 'config' | 'log'> & { starter: SessionStarter };

/**
 * Inserts an approval as a session of flow `push`, with the work's id, and starts its workflow, which asks the
 * subscribers. Succeeds without Temporal and without the messenger: both are tried again until the request expires.
 */
export async function createRequest(
  deps: Deps,
  project: Pick<Project, 'id'>,
  request: NewRequest,
  work: Work,
): Promise<CreatedRequest> {
  const earlier = work.resumed ? await findInsertedRequest(deps.pool, project.id, work.id) : null;
  if (earlier) return { id: work.id, matchCode: earlier.match_code, expiresIn: earlier.expires_in };
  if (await isBillingBlocked(deps.pool, project.id, deps.config.HERALD_GRACE_HOURS)) {
    throw new AppError('billing_blocked');
  }
  const subscribers = await requireNamed(deps.pool, project.id, request);
  const created = { id: work.id, matchCode: newMatchCode(), expiresIn: request.expires_in };
  await insertWithinLimits(deps, project.id, request, created, subscribers);
  await startOrLeaveToRelay(deps, {
    id: created.id,
    project_id: project.id,
    flow: 'push',
    wait_ms: created.expiresIn * 1000,
  });
  return created;
}

/** Limits are checked under the locks of the subscribers, so that they are exact for concurrent requests. */
async function insertWithinLimits(
  { pool }: Deps,
  projectId: string,
  request: NewRequest,
  { id, matchCode, expiresIn }: CreatedRequest,
  subscribers: SubscriberRecord[],
): Promise<void> {
  await withTransaction(pool, async (db) => {
    const ids = subscribers.map((subscriber) => subscriber.id);
    const active = await lockActiveSubscribers(db, projectId, ids);
    if (active.length === 0) throw new AppError('conflict', 'The subscriber has unsubscribed.');
    const retryAfter = await secondsUntilRequestFits(db, active, {
      pending: limits.authRequestsPending,
      perHour: limits.authRequestsPerHour,
    });
    if (retryAfter > 0) throw new AppError('rate_limit_auth_requests', undefined, { retryAfter });
    const row = {
      ...request,
      id,
      match_code: matchCode,
      traceparent: currentTraceparent(),
      ttl_seconds: expiresIn,
    };
    await insertRequest(db, projectId, row, active);
  });
}
