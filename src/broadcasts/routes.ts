import { pageOf } from '../contract/common';
import { decodeCursor, toPage } from '../contract/cursor';
import { AppError } from '../contract/errors';
import type { Core } from '../core';
import { routesOf } from '../http/route';
import {
  broadcastListQuery,
  broadcastParams,
  broadcastSchema,
  newBroadcastSchema,
  startedBroadcastSchema,
} from './contract';
import { cancelJob, presentBroadcast, startBroadcast } from './jobs';
import { findJob, listJobs } from './queries/broadcasts';

const route = routesOf('Broadcasts');

export function createBroadcastRoutes(deps: Pick<Core, 'pool' | 'config' | 'client' | 'log'>) {
  const { pool } = deps;
  return [
    route(
      {
        method: 'POST',
        path: '/v1/broadcast',
        summary: 'Start a broadcast',
        description:
          'Sends a message to the subscribers who match the filters now, at most 100,000 active ones. Inactive subscribers, and those who unsubscribe before their turn, are skipped. `dry_run` only counts.',
        scope: 'send',
        idempotent: {},
        body: newBroadcastSchema,
        status: 202,
        response: startedBroadcastSchema,
        errors: ['invalid_url', 'billing_blocked', 'not_found', 'template_variable_missing', 'conflict'],
      },
      ({ project, body, work }) => startBroadcast(deps, project.id, body, work),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/broadcast',
        summary: 'List broadcasts',
        query: broadcastListQuery,
        response: pageOf(broadcastSchema),
      },
      async ({ project, query }) => {
        const { cursor, limit } = query;
        const found = await listJobs(pool, project.id, 'broadcast', {
          before: decodeCursor(cursor),
          limit,
        });
        return toPage(found, limit, presentBroadcast);
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/broadcast/{job_id}',
        summary: 'Get a broadcast',
        params: broadcastParams,
        response: broadcastSchema,
      },
      async ({ project, params }) => {
        const found = await findJob(pool, project.id, 'broadcast', params.job_id);
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
          'Stops sending. The status is `cancelling` while messages in flight finish, then `cancelled`. Subscribers not reached count as skipped.',
        scope: 'send',
        params: broadcastParams,
        response: broadcastSchema,
        errors: ['conflict'],
      },
      async ({ project, params }) =>
        presentBroadcast(await cancelJob(deps, project.id, 'broadcast', params.job_id)),
    ),
  ];
}
