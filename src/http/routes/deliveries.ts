import type pg from 'pg';
import { idParams, pageOf } from '../../contracts/common';
import { decodeCursor, toPage } from '../../contracts/cursor';
import {
  deliveryListQuery,
  deliverySchema,
  deliveryWithAttemptsSchema,
  retryHeaders,
  type AttemptView,
  type DeliveryView,
} from '../../contracts/deliveries';
import { AppError } from '../../contracts/errors';
import { limits } from '../../contracts/limits';
import { recoverAnswerSchema, recoverRequestSchema } from '../../contracts/webhooks';
import { listAttempts, type AttemptRow } from '../../db/attempts';
import * as deliveries from '../../db/deliveries';
import type { DeliveryRow } from '../../db/deliveries';
import { findEndpoint } from '../../db/endpoints';
import { withTransaction } from '../../db/pool';
import { route } from '../route';

const tag = 'Deliveries';
const DAY_MS = 86_400_000;
/** "Fourteen days ago", as a caller reckons it, is a moment more than that when it arrives. */
const RECOVER_SLACK_MS = 60_000;

/** The API only writes rows; the relay carries them to Temporal, so all of this works while Temporal is away. */
export function createDeliveryRoutes({ pool }: { pool: pg.Pool }) {
  async function presentById(projectId: string, id: string): Promise<DeliveryView> {
    return presentDelivery(required(await deliveries.findDelivery(pool, projectId, id)));
  }

  return [
    route(
      {
        method: 'GET',
        path: '/v1/webhooks/{id}/deliveries',
        summary: 'The delivery log of an endpoint',
        tag,
        auth: 'key',
        params: idParams,
        query: deliveryListQuery,
        status: 200,
        response: pageOf(deliverySchema),
        errors: [],
      },
      async ({ project, params, query }) => {
        const { id } = required(await findEndpoint(pool, project.id, params.id));
        const { cursor, ...filter } = query;
        const found = await deliveries.listDeliveries(pool, id, { ...filter, before: decodeCursor(cursor) });
        return toPage(found, query.limit, presentDelivery);
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/deliveries/{id}',
        summary: 'One delivery with its attempts',
        tag,
        auth: 'key',
        params: idParams,
        status: 200,
        response: deliveryWithAttemptsSchema,
        errors: [],
      },
      async ({ project, params }) => {
        const found = required(await deliveries.findDelivery(pool, project.id, params.id));
        const attempts = await listAttempts(pool, found.id);
        return { ...presentDelivery(found), body: found.body, attempts: attempts.map(presentAttempt) };
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/deliveries/{id}/retry',
        summary: 'Attempt a delivery now',
        description:
          'Wakes a waiting delivery, whose schedule then goes on, or sends an ended one again under the same delivery id. With an Idempotency-Key, repeated calls ask once.',
        tag,
        auth: 'key',
        params: idParams,
        headers: retryHeaders,
        status: 202,
        response: deliverySchema,
        errors: ['conflict'],
      },
      async ({ project, params, headers }) => {
        await withTransaction(pool, async (db) => {
          const delivery = required(await deliveries.lockDelivery(db, project.id, params.id));
          if (delivery.endpoint_deleted) throw new AppError('conflict', 'The endpoint was deleted.');
          if (delivery.endpoint_disabled) throw new AppError('conflict', 'The endpoint is disabled.');
          await deliveries.requestRetry(db, params.id, headers['idempotency-key'] ?? null);
        });
        return presentById(project.id, params.id);
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/deliveries/{id}/cancel',
        summary: 'Cancel a delivery that has not ended',
        tag,
        auth: 'key',
        params: idParams,
        status: 200,
        response: deliverySchema,
        errors: ['conflict'],
      },
      async ({ project, params }) => {
        await withTransaction(pool, async (db) => {
          const { status } = required(await deliveries.lockDelivery(db, project.id, params.id));
          if (status === 'succeeded' || status === 'failed') {
            throw new AppError('conflict', `The delivery has ${status} already.`);
          }
          await deliveries.cancelDelivery(db, params.id);
        });
        return presentById(project.id, params.id);
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/webhooks/{id}/recover',
        summary: 'Send again every delivery that failed since a time',
        tag,
        auth: 'key',
        params: idParams,
        body: recoverRequestSchema,
        status: 202,
        response: recoverAnswerSchema,
        errors: ['conflict'],
      },
      async ({ project, params, body }) => {
        const oldest = Date.now() - limits.webhookRecoverDays * DAY_MS - RECOVER_SLACK_MS;
        if (Date.parse(body.since) < oldest) {
          throw new AppError(
            'validation_failed',
            `since: must be at most ${limits.webhookRecoverDays} days back`,
          );
        }
        const endpoint = required(await findEndpoint(pool, project.id, params.id));
        if (endpoint.status === 'disabled') throw new AppError('conflict', 'The endpoint is disabled.');
        return { recovered: await deliveries.recoverDeliveries(pool, endpoint.id, body.since) };
      },
    ),
  ];
}

function required<T>(found: T | null): T {
  if (found === null) throw new AppError('not_found');
  return found;
}

function presentDelivery(delivery: DeliveryRow): DeliveryView {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpoint_id,
    event_id: delivery.event_id,
    event: delivery.event_name,
    status: delivery.status,
    attempt_count: delivery.attempts,
    last_http_status: delivery.last_http_status,
    last_error: delivery.last_error,
    created_at: delivery.created_at.toISOString(),
    first_attempt_at: isoOrNull(delivery.first_attempt_at),
    // A paused delivery waits for its endpoint, not for a time.
    next_attempt_at: delivery.status === 'pending' ? isoOrNull(delivery.next_attempt_at) : null,
    ended_at: isoOrNull(delivery.ended_at),
  };
}

function presentAttempt(attempt: AttemptRow): AttemptView {
  return {
    number: attempt.number,
    attempted_at: attempt.claimed_at.toISOString(),
    duration_ms: attempt.duration_ms,
    status: attempt.http_status,
    error: attempt.error,
    error_detail: attempt.error_detail,
    response_body: attempt.response_body,
    response_headers: attempt.response_headers ?? {},
    next_attempt_at: isoOrNull(attempt.next_attempt_at),
  };
}

function isoOrNull(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}
