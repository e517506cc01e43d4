import type pg from 'pg';
import { idParams, pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { orNotFound } from '../../base/contract/errors';
import {
  bulkRetryAnswerSchema,
  bulkRetrySchema,
  deliveryListQuery,
  deliverySearchQuery,
  deliverySchema,
  deliveryWithAttemptsSchema,
  type DeliveryView,
} from './contract';
import { recoverAnswerSchema, recoverRequestSchema } from './contract';
import { listAttempts } from './queries/attempts';
import * as deliveries from './queries/deliveries';
import { findEndpoint } from './queries/endpoints';
import { withSnapshot } from '../../base/db/pool';
import { cancelDelivery, recoverEndpoint, retryDeliveries, retryDelivery } from './delivery-requests';
import { findScanEnd } from './queries/scan-end';
import { listAllDeliveries } from './queries/search';
import { searchDeliveries } from './search';
import { presentAttempt, presentDelivery } from './present';
import { routesOf } from '../../base/http/route';

const route = routesOf('Deliveries');
const FEW_BY_EVENT =
  'With `event`, a page of a long log can have fewer entries than requested, or none: continue while `next_cursor` is not null.';

/** The API only writes rows and the relay carries them to Temporal, so these work while Temporal is unavailable. */
export function createDeliveryRoutes({ pool }: { pool: pg.Pool }) {
  async function presentById(projectId: string, id: string): Promise<DeliveryView> {
    return presentDelivery(orNotFound(await deliveries.findDelivery(pool, projectId, id)));
  }

  return [
    route(
      {
        method: 'GET',
        path: '/v1/webhooks/{id}/deliveries',
        summary: 'List the deliveries of an endpoint',
        description: FEW_BY_EVENT,
        params: idParams,
        query: deliveryListQuery,
        response: pageOf(deliverySchema),
      },
      async ({ project, params, query }) => {
        const { id } = orNotFound(await findEndpoint(pool, project.id, params.id));
        const { cursor, ...filter } = query;
        const page = { ...filter, before: decodeCursor(cursor) };
        const scanEnd = query.event ? await findScanEnd(pool, project.id, { ...page, endpointId: id }) : null;
        const found = query.status
          ? await listAllDeliveries(pool, project.id, { ...page, scanEnd, endpoint_id: id })
          : await deliveries.listDeliveries(pool, id, { ...page, scanEnd });
        return toPage(found, query.limit, presentDelivery, scanEnd);
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/deliveries',
        summary: 'List and search the deliveries of all endpoints',
        description: `Deliveries of deleted endpoints are included. ${FEW_BY_EVENT}`,
        query: deliverySearchQuery,
        response: pageOf(deliverySchema),
      },
      async ({ project, query }) => {
        const { cursor, q, ...filter } = query;
        const page = { ...filter, before: decodeCursor(cursor) };
        const endpointId = query.endpoint_id;
        const scanEnd =
          query.event && q === undefined
            ? await findScanEnd(pool, project.id, { ...page, endpointId })
            : null;
        const found = await searchDeliveries(pool, project.id, q, { ...page, scanEnd });
        return toPage(found, query.limit, presentDelivery, scanEnd);
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/deliveries/retry',
        summary: 'Retry several deliveries now',
        description: 'As retrying each of them; those that cannot be retried are listed with the reason.',
        idempotent: {},
        unnamedInAudit: true,
        body: bulkRetrySchema,
        status: 202,
        response: bulkRetryAnswerSchema,
      },
      async ({ project, body, work }) => retryDeliveries(pool, project.id, body.ids, work.id),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/deliveries/{id}',
        summary: 'Get a delivery with its attempts',
        params: idParams,
        response: deliveryWithAttemptsSchema,
      },
      async ({ project, params }) => {
        const { found, attempts } = await withSnapshot(pool, async (db) => ({
          found: orNotFound(await deliveries.findDelivery(db, project.id, params.id)),
          attempts: await listAttempts(db, params.id),
        }));
        return { ...presentDelivery(found), body: found.body, attempts: attempts.map(presentAttempt) };
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/deliveries/{id}/retry',
        summary: 'Retry a delivery now',
        description:
          'Makes an attempt now. A pending delivery then continues its schedule; an ended one is sent again with the same delivery id.',
        params: idParams,
        idempotent: {},
        status: 202,
        response: deliverySchema,
        errors: ['conflict'],
      },
      async ({ project, params, work }) => {
        await retryDelivery(pool, project.id, params.id, work.id);
        return presentById(project.id, params.id);
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/deliveries/{id}/cancel',
        summary: 'Cancel a pending delivery',
        params: idParams,
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
        summary: 'Retry the failed deliveries of an endpoint',
        params: idParams,
        idempotent: {},
        body: recoverRequestSchema,
        status: 202,
        response: recoverAnswerSchema,
        errors: ['conflict'],
      },
      async ({ project, params, body, work }) => ({
        recovered: await recoverEndpoint(pool, project.id, params.id, body.since, work),
      }),
    ),
  ];
}
