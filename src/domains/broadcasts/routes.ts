import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { orNotFound } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import { workflowIds } from '../../base/temporal/names';
import { wakeWorkflows } from '../../base/temporal/wake-workflows';
import {
  broadcastListQuery,
  broadcastParams,
  broadcastResultSchema,
  broadcastResultsQuery,
  broadcastSchema,
  jobStatsSchema,
  newBroadcastSchema,
  retriedBroadcastSchema,
  startedBroadcastSchema,
} from './contract';
import { cancelJob, presentBroadcast, retryBroadcast, startBroadcast } from './jobs';
import { findJob, listJobs, type BroadcastRow } from './queries/broadcasts';
import { listBroadcastResults } from './queries/result-lists';
import { presentResult, recipientStatuses, storedStatuses } from './results';
import { statsOf } from './stats';

const route = routesOf('Broadcasts');

export function createBroadcastRoutes(deps: Pick<Core, 'pool' | 'config' | 'client' | 'log'>) {
  const { pool, config } = deps;

  async function requireBroadcast(projectId: string, id: string): Promise<BroadcastRow> {
    return orNotFound(await findJob(pool, projectId, 'broadcast', id));
  }

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
      async ({ project, params }) => presentBroadcast(await requireBroadcast(project.id, params.job_id)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/broadcast/{job_id}/results',
        summary: 'List the results of a broadcast',
        description:
          'One for each recipient, newest first; `queued` ones come last. Subscribers who were inactive when the broadcast was created are `skipped`, `unsubscribed`.',
        params: broadcastParams,
        query: broadcastResultsQuery,
        response: pageOf(broadcastResultSchema),
      },
      async ({ project, params, query: { status, cursor, limit } }) => {
        const { id } = await requireBroadcast(project.id, params.job_id);
        const found = await listBroadcastResults(pool, id, {
          statuses: status === undefined ? recipientStatuses : storedStatuses(status),
          before: decodeCursor(cursor),
          limit,
        });
        return toPage(found, limit, (result) => ({
          ...presentResult(result, config.HERALD_SUBSCRIBER_ID_FORMAT),
          reason: result.reason,
        }));
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/broadcast/{job_id}/stats',
        summary: 'Count the results of a broadcast',
        description:
          'What became of its messages, taps on its buttons and unsubscribes. Subscribers who were inactive when it was created count as skipped, `unsubscribed`.',
        params: broadcastParams,
        response: jobStatsSchema,
      },
      async ({ project, params }) =>
        statsOf(pool, 'broadcast', await requireBroadcast(project.id, params.job_id)),
    ),

    route(
      {
        method: 'POST',
        path: '/v1/broadcast/{job_id}/retry',
        summary: 'Retry a broadcast',
        description:
          'Starts a new broadcast of the same content to the recipients that failed and are still subscribers. Only for one that has ended, and once; those who fail again are retried with the new one. A failure with the reason `unknown` may have arrived.',
        scope: 'send',
        idempotent: {},
        params: broadcastParams,
        status: 202,
        response: retriedBroadcastSchema,
        errors: ['billing_blocked', 'conflict'],
      },
      ({ project, params, work }) => retryBroadcast(deps, project.id, params.job_id, work),
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
      async ({ project, params: { job_id: id } }) => {
        const cancelled = await cancelJob(deps, project.id, 'broadcast', id);
        // It may wait for hours until its next recipient is due. The relay does the same later, in case this signal is lost.
        wakeWorkflows(deps, [workflowIds.broadcast(id)]);
        return presentBroadcast(cancelled);
      },
    ),
  ];
}
