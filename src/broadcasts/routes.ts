import { pageOf } from '../contract/common';
import { decodeCursor, toPage } from '../contract/cursor';
import { AppError } from '../contract/errors';
import type { Core } from '../core';
import { route } from '../http/route';
import {
  broadcastListQuery,
  broadcastParams,
  broadcastSchema,
  newBroadcastSchema,
  startedBroadcastSchema,
} from './contract';
import { cancelBroadcast, presentBroadcast, startBroadcast } from './jobs';
import { findProjectBroadcast, listBroadcasts } from './queries/broadcasts';

const tag = 'Broadcasts';

export function createBroadcastRoutes(deps: Pick<Core, 'pool' | 'config'>) {
  const { pool } = deps;
  return [
    route(
      {
        method: 'POST',
        path: '/v1/broadcast',
        summary: 'Send a message to many subscribers',
        description:
          'The audience is taken as it is now: everybody whom the filters name, at most 100,000 active ones. Those who are inactive, or leave before their turn, are skipped. `dry_run` only counts.',
        tag,
        auth: 'key',
        body: newBroadcastSchema,
        status: 202,
        response: startedBroadcastSchema,
        errors: ['invalid_url', 'billing_blocked'],
      },
      ({ project, body }) => startBroadcast(deps, project.id, body),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/broadcast',
        summary: 'The broadcasts of the project',
        tag,
        auth: 'key',
        query: broadcastListQuery,
        status: 200,
        response: pageOf(broadcastSchema),
        errors: [],
      },
      async ({ project, query }) => {
        const { cursor, limit } = query;
        const found = await listBroadcasts(pool, project.id, { before: decodeCursor(cursor), limit });
        return toPage(found, limit, presentBroadcast);
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/broadcast/{job_id}',
        summary: 'How a broadcast stands',
        tag,
        auth: 'key',
        params: broadcastParams,
        status: 200,
        response: broadcastSchema,
        errors: [],
      },
      async ({ project, params }) => {
        const found = await findProjectBroadcast(pool, project.id, params.job_id);
        if (!found) throw new AppError('not_found');
        return presentBroadcast(found);
      },
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/broadcast/{job_id}',
        summary: 'Cancel a broadcast',
        description:
          'Nothing more is sent. The status is `cancelling` while messages that were under way end, then `cancelled`; who was not reached counts as skipped.',
        tag,
        auth: 'key',
        params: broadcastParams,
        status: 200,
        response: broadcastSchema,
        errors: ['conflict'],
      },
      async ({ project, params }) => presentBroadcast(await cancelBroadcast(deps, project.id, params.job_id)),
    ),
  ];
}
