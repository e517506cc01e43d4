import { pageOf } from '../../../base/contract/common';
import { decodeCursor, toPage } from '../../../base/contract/cursor';
import { AppError, orNotFound } from '../../../base/contract/errors';
import type { SubscriberIdFormat } from '../../../base/contract/ids';
import { limits } from '../../../base/contract/limits';
import type { Core } from '../../../base/core';
import { routesOf } from '../../../base/http/route';
import { isoTime, isoTimeOrNull } from '../../../base/lib/iso-time';
import { jobStatsSchema } from '../contract';
import { cancelJob } from '../jobs';
import { findJob, listJobs, type BroadcastRow } from '../queries/broadcasts';
import { presentResult, recipientStatuses, storedStatuses } from '../results';
import { statsOf } from '../stats';
import {
  batchListQuery,
  batchParams,
  batchResultSchema,
  batchResultsQuery,
  batchSchema,
  newBatchSchema,
  startedBatchSchema,
  type BatchResult,
  type BatchView,
} from './contract';
import { decodeResultCursor, encodeResultCursor } from './cursor';
import { listBatchResults, type BatchResultRow } from './queries';
import { startBatch } from './start';

const route = routesOf('Batches');

export function createBatchRoutes(deps: Pick<Core, 'pool' | 'config'>) {
  const { pool, config } = deps;

  async function requireBatch(projectId: string, id: string): Promise<BroadcastRow> {
    return orNotFound(await findJob(pool, projectId, 'batch', id));
  }

  return [
    route(
      {
        method: 'POST',
        path: '/v1/send/batch',
        summary: 'Send a batch of messages',
        description: `Up to ${limits.batchMessages} different messages in one request, which counts once towards the rate limit. A malformed message refuses the whole batch; a recipient who does not exist is a result. \`batch.completed\` is emitted at the end.`,
        scope: 'send',
        idempotent: {},
        body: newBatchSchema,
        status: 202,
        response: startedBatchSchema,
        errors: [
          'not_found',
          'template_variable_missing',
          'mutually_exclusive_identifiers',
          'invalid_external_id',
          'invalid_url',
          'billing_blocked',
        ],
      },
      ({ project, body, work }) => startBatch(deps, project.id, body.messages, work),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/send/batch',
        summary: 'List batches',
        query: batchListQuery,
        response: pageOf(batchSchema),
      },
      async ({ project, query: { cursor, limit } }) => {
        const found = await listJobs(pool, project.id, 'batch', { before: decodeCursor(cursor), limit });
        return toPage(found, limit, presentBatch);
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/send/batch/{batch_id}',
        summary: 'Get a batch',
        params: batchParams,
        response: batchSchema,
      },
      async ({ project, params }) => presentBatch(await requireBatch(project.id, params.batch_id)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/send/batch/{batch_id}/results',
        summary: 'List the results of a batch',
        description: 'One for each message and subscriber, in the order of the request.',
        params: batchParams,
        query: batchResultsQuery,
        response: pageOf(batchResultSchema),
      },
      async ({ project, params, query: { status, cursor, limit } }) => {
        const { id } = await requireBatch(project.id, params.batch_id);
        const found = await listBatchResults(pool, id, {
          statuses: status === undefined ? recipientStatuses : storedStatuses(status),
          after: decodeResultCursor(cursor),
          limit,
        });
        const shown = found.slice(0, limit);
        const last = shown.at(-1);
        return {
          data: shown.map((result) => presentBatchResult(result, config.HERALD_SUBSCRIBER_ID_FORMAT)),
          next_cursor: found.length > limit && last ? encodeResultCursor(last) : null,
        };
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/send/batch/{batch_id}/stats',
        summary: 'Count the results of a batch',
        description: 'What became of its messages, taps on their buttons and unsubscribes.',
        params: batchParams,
        response: jobStatsSchema,
      },
      async ({ project, params }) => statsOf(pool, 'batch', await requireBatch(project.id, params.batch_id)),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/send/batch/{batch_id}',
        summary: 'Cancel a batch',
        description: 'Messages that were not sent yet are skipped.',
        scope: 'send',
        params: batchParams,
        response: batchSchema,
        errors: ['conflict'],
      },
      async ({ project, params }) => {
        const { status } = await requireBatch(project.id, params.batch_id);
        if (status === 'cancelled') throw new AppError('conflict', 'The batch has already ended.');
        return presentBatch(await cancelJob(deps, project.id, 'batch', params.batch_id));
      },
    ),
  ];
}

/** Messages in flight still finish while it is `cancelling`: to the caller the batch runs until then. */
function presentBatch({
  id,
  status,
  total,
  sent,
  failed,
  skipped,
  created_at,
  ended_at,
}: BroadcastRow): BatchView {
  return {
    batch_id: id,
    status: status === 'cancelling' ? 'running' : status,
    total,
    sent,
    failed,
    skipped,
    created_at: isoTime(created_at),
    ended_at: isoTimeOrNull(ended_at),
  };
}

function presentBatchResult(result: BatchResultRow, format: SubscriberIdFormat): BatchResult {
  const { position, ref, reason } = result;
  return { index: position, ref, ...presentResult(result, format), reason };
}
