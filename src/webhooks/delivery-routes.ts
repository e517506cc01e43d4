import type pg from 'pg';
import { idParams, pageOf } from '../contract/common';
import { decodeCursor, toPage } from '../contract/cursor';
import {
  deliveryListQuery,
  deliverySchema,
  deliveryWithAttemptsSchema,
  retryHeaders,
  type DeliveryView,
} from './contract';
import { recoverAnswerSchema, recoverRequestSchema } from './contract';
import { listAttempts } from './queries/attempts';
import * as deliveries from './queries/deliveries';
import { findEndpoint } from './queries/endpoints';
import { withSnapshot } from '../db/pool';
import { cancelDelivery, recoverEndpoint, required, retryDelivery } from './delivery-requests';
import { presentAttempt, presentDelivery } from './present';
import { route } from '../http/route';

const tag = 'Deliveries';

/** The API only writes rows and the relay carries them to Temporal, so these work while Temporal is away. */
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
        const { found, attempts } = await withSnapshot(pool, async (db) => ({
          found: required(await deliveries.findDelivery(db, project.id, params.id)),
          attempts: await listAttempts(db, params.id),
        }));
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
        await retryDelivery(pool, project.id, params.id, headers['idempotency-key'] ?? null);
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
        await cancelDelivery(pool, project.id, params.id);
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
      async ({ project, params, body }) => ({
        recovered: await recoverEndpoint(pool, project.id, params.id, body.since),
      }),
    ),
  ];
}
