import type pg from 'pg';
import { idParams, pageOf } from '../../base/contract/common';
import { shortListQuery, shortPage } from '../../base/contract/short-list';
import { AppError, orNotFound } from '../../base/contract/errors';
import { testData } from '../events/contract';
import { limits } from '../../base/contract/limits';
import {
  createdEndpointSchema,
  endpointChangesSchema,
  endpointSchema,
  filterPreviewResultSchema,
  filterPreviewSchema,
  newEndpointSchema,
  rotatedSecretSchema,
  allStatsSchema,
  statsQuery,
  statsSchema,
  testAnswerSchema,
  testRequestSchema,
  triggeredSchema,
} from './contract';
import type { Config } from '../../base/config';
import type { Cipher } from '../../base/lib/cipher';
import { createEndpointViews } from './endpoint-views';
import { describeEndpoint } from './audited-endpoint';
import { openHeaders, replaceHeaders, sealHeaders } from './own-headers';
import { webhookSecretPurpose } from './signature';
import { isoTime } from '../../base/lib/iso-time';
import { newWebhookSecret } from '../../base/lib/tokens';
import { cancelRest, resumeRest } from './delivery-requests';
import { waitingSeconds } from './queries/lag';
import { listHours, type EndpointHour, percentile } from './queries/hours';
import { cancelDeliveriesOf, findDelivery, findEmitted, resumeDeliveries } from './queries/deliveries';
import * as endpoints from './queries/endpoints';
import type { Endpoint } from './queries/endpoints';
import { emitEvent, emitTestEvent } from '../events';
import { noteChange } from '../../base/db/changes';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { describeChange, lockProject } from '../projects';
import { hostOf, resolveAndVet, vetUrl } from '../../base/outbound/addresses';
import { routesOf } from '../../base/http/route';

export interface WebhookRouteDeps {
  pool: pg.Pool;
  cipher: Cipher;
  config: Pick<Config, 'allowLocalWebhooks'>;
}

const route = routesOf('Webhooks');

export function createWebhookRoutes({ pool, cipher, config }: WebhookRouteDeps) {
  const policy = { allowLocal: config.allowLocalWebhooks };
  const views = createEndpointViews({ cipher });

  /** The same rules as at the dial; a name that does not resolve yet is accepted. */
  async function requireGoodUrl(url: string): Promise<void> {
    const vetted = vetUrl(url, policy);
    if (!vetted.ok) throw new AppError('invalid_url', `url: ${vetted.why}`);
    const resolved = await resolveAndVet(hostOf(vetted.url), policy);
    if (!resolved.ok) throw new AppError('invalid_url', `url: ${resolved.why}`);
  }

  function newSecret(endpointId: string): { secret: string; sealed: string } {
    const secret = newWebhookSecret();
    return { secret, sealed: cipher.encrypt(secret, webhookSecretPurpose, endpointId) };
  }

  /** The secret that an earlier request with this id created before its process stopped. */
  async function earlierSecret(db: Db, endpointId: string, work: Work): Promise<string | null> {
    const sealed = work.resumed ? await endpoints.findSecretOfRequest(db, endpointId, work.id) : null;
    return sealed && cipher.decrypt(sealed, webhookSecretPurpose, endpointId);
  }

  return [
    route(
      {
        method: 'POST',
        path: '/v1/webhooks',
        summary: 'Create a webhook endpoint',
        description: `A project can have up to ${limits.webhookEndpoints}. The secret is returned only once.`,
        idempotent: { shownOnce: 'secret' },
        body: newEndpointSchema,
        status: 201,
        response: createdEndpointSchema,
        errors: ['invalid_url', 'conflict'],
      },
      async ({ project, body, work }) => {
        const earlier = work.resumed ? await endpoints.findCreatedEndpoint(pool, project.id, work.id) : null;
        if (earlier) {
          const view = await views.present(pool, earlier);
          return { ...view, secret: await earlierSecret(pool, earlier.id, work) };
        }
        await requireGoodUrl(body.url);
        const { secret, sealed } = newSecret(work.id);
        describeChange(new URL(body.url).host);
        const created = await withTransaction(pool, async (db) => {
          const { retry_policy } = await lockProject(db, project.id);
          if ((await endpoints.countEndpoints(db, project.id)) >= limits.webhookEndpoints) {
            throw new AppError(
              'conflict',
              `A project can have up to ${limits.webhookEndpoints} webhook endpoints. Delete one first.`,
            );
          }
          return endpoints.insertEndpoint(db, {
            id: work.id,
            project_id: project.id,
            url: body.url,
            events: body.events,
            filter: body.filter ?? null,
            description: body.description ?? null,
            retry_policy: body.retry_policy ?? retry_policy,
            delivery_lane: body.delivery_lane ?? null,
            headers_sealed: sealHeaders(cipher, replaceHeaders(body.headers ?? {}, {}), work.id),
            sealed_secret: sealed,
          });
        });
        return { ...(await views.present(pool, created)), secret };
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/webhooks',
        summary: 'List webhook endpoints',
        query: shortListQuery,
        response: pageOf(endpointSchema),
      },
      async ({ project, query }) => {
        const found = await endpoints.listEndpoints(pool, project.id);
        const page = shortPage(
          found,
          query,
          ({ id }) => id,
          (endpoint) => endpoint,
        );
        return { ...page, data: await views.presentAll(pool, page.data) };
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/webhooks/filter-preview',
        summary: 'Preview a filter',
        description: `Tells which of the last ${limits.filterPreviewEvents} events of the project an endpoint with this filter would get. Nothing is stored.`,
        scope: 'read',
        body: filterPreviewSchema,
        response: filterPreviewResultSchema,
      },
      async ({ project, body: { events, filter } }) => {
        const limit = limits.filterPreviewEvents;
        const judged = await endpoints.judgeRecentEvents(pool, project.id, { events, filter, limit });
        return {
          data: judged.map(({ id, name, created_at, matches }) => ({
            event_id: id,
            event: name,
            created_at: isoTime(created_at),
            matches,
          })),
        };
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/webhooks/stats',
        summary: 'Get the hourly results of all endpoints',
        query: statsQuery,
        response: allStatsSchema,
      },
      async ({ project, query }) => {
        const ids = (await endpoints.listEndpoints(pool, project.id)).map(({ id }) => id);
        const hours = await listHours(pool, ids, query.hours);
        const waiting = await waitingSeconds(pool, ids);
        return {
          data: ids.map((id) => ({
            endpoint_id: id,
            waiting_seconds: waiting.get(id) ?? 0,
            buckets: hours.filter(({ endpoint_id }) => endpoint_id === id).map(presentHour),
          })),
        };
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/webhooks/{id}',
        summary: 'Get a webhook endpoint',
        params: idParams,
        response: endpointSchema,
      },
      async ({ project, params }) =>
        views.present(pool, orNotFound(await endpoints.findEndpoint(pool, project.id, params.id))),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/webhooks/{id}/stats',
        summary: 'Get the hourly results of an endpoint',
        params: idParams,
        query: statsQuery,
        response: statsSchema,
      },
      async ({ project, params, query }) => {
        const { id } = orNotFound(await endpoints.findEndpoint(pool, project.id, params.id));
        return { buckets: (await listHours(pool, [id], query.hours)).map(presentHour) };
      },
    ),
    route(
      {
        method: 'PUT',
        path: '/v1/webhooks/{id}',
        summary: 'Update a webhook endpoint',
        description:
          'Every field is optional. While an endpoint is disabled, its deliveries are paused; enabling it resumes them. A URL with another origin removes the stored `headers`, unless new ones are given with it.',
        params: idParams,
        body: endpointChangesSchema,
        response: endpointSchema,
        errors: ['invalid_url'],
      },
      async ({ project, params, body }) => {
        if (body.url !== undefined) await requireGoodUrl(body.url);
        const { changed, last } = await withTransaction(pool, async (db) => {
          const before = orNotFound(await endpoints.lockEndpoint(db, project.id, params.id));
          const { headers, ...fields } = body;
          const given = Object.entries(fields).filter(([, value]) => value !== undefined);
          if (given.length === 0 && headers === undefined) return { changed: before, last: null };
          const wanted = { ...before, ...Object.fromEntries(given) } as Endpoint;
          // A sealed value never goes to another host than the one it was given for.
          if (new URL(wanted.url).origin !== new URL(before.url).origin) wanted.headers_sealed = null;
          if (headers !== undefined) {
            const stored = openHeaders(cipher, wanted.headers_sealed, before.id);
            wanted.headers_sealed = sealHeaders(cipher, replaceHeaders(headers, stored), before.id);
          }
          const after = orNotFound(await endpoints.updateEndpoint(db, before, wanted));
          describeEndpoint(before, after);
          const isEnabled = before.status === 'disabled' && after.status === 'active';
          const last = isEnabled ? await resumeDeliveries(db, after.id) : null;
          // Deliveries of a disabled endpoint are shown as paused.
          noteChange(db, 'deliveries', project.id);
          return { changed: after, last };
        });
        if (last) await resumeRest(pool, project.id, changed.id, last);
        return views.present(pool, changed);
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/v1/webhooks/{id}',
        summary: 'Delete a webhook endpoint',
        description: 'Pending deliveries are cancelled.',
        params: idParams,
        status: 204,
      },
      async ({ project, params }) => {
        const hasMore = await withTransaction(pool, async (db) => {
          orNotFound(await endpoints.lockEndpoint(db, project.id, params.id));
          await endpoints.deleteEndpoint(db, params.id);
          noteChange(db, 'deliveries', project.id);
          return cancelDeliveriesOf(db, params.id);
        });
        if (hasMore) await cancelRest(pool, project.id, params.id);
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/webhooks/{id}/rotate-secret',
        summary: 'Rotate the signing secret',
        description: `The old secret also signs for ${limits.webhookSecretGraceHours} hours.`,
        params: idParams,
        idempotent: { shownOnce: 'secret' },
        response: rotatedSecretSchema,
        errors: ['rate_limit_rotations'],
      },
      async ({ project, params, work }) => {
        const secret = await withTransaction(pool, async (db) => {
          orNotFound(await endpoints.lockEndpoint(db, project.id, params.id));
          const earlier = await earlierSecret(db, params.id, work);
          if (earlier) return earlier;
          const { count, retryAfter } = await endpoints.countRotations(db, params.id);
          if (count >= limits.webhookRotationsPerHour) {
            throw new AppError('rate_limit_rotations', undefined, { retryAfter });
          }
          const created = newSecret(params.id);
          await endpoints.rotateSecret(db, params.id, created.sealed, work.id);
          return created.secret;
        });
        return { id: params.id, secret };
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/webhooks/test',
        summary: 'Trigger a test event',
        description:
          'Sends the example of the event to every endpoint that subscribes to it, marked as a test; event streams receive it too.',
        idempotent: {},
        body: testRequestSchema,
        status: 202,
        response: triggeredSchema,
      },
      async ({ project, body: { event }, work }) => {
        const earlier = work.resumed ? await findEmitted(pool, project.id, work.id) : null;
        const { id, deliveries } =
          earlier ??
          (await emitEvent(pool, project.id, event, testData(event), {
            id: work.id,
            test: true,
          }));
        return { event_id: id, deliveries };
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/webhooks/{id}/test',
        summary: 'Send a test event',
        description:
          'Sends the example of the event through the normal path, whatever events the endpoint subscribes to.',
        params: idParams,
        idempotent: {},
        body: testRequestSchema,
        status: 202,
        response: testAnswerSchema,
        errors: ['conflict'],
      },
      async ({ project, params, body, work }) => {
        if (work.resumed && (await findDelivery(pool, project.id, work.id))) return { delivery_id: work.id };
        const endpoint = orNotFound(await endpoints.findEndpoint(pool, project.id, params.id));
        if (endpoint.status === 'disabled') {
          throw new AppError('conflict', 'The endpoint is disabled. Enable it first.');
        }
        return {
          delivery_id: await emitTestEvent(pool, endpoint, body.event, testData(body.event), work.id),
        };
      },
    ),
  ];
}

function presentHour({ at, succeeded, failed, latency }: EndpointHour) {
  return {
    at: isoTime(at),
    succeeded,
    failed,
    p50_ms: percentile(latency, 0.5),
    p95_ms: percentile(latency, 0.95),
  };
}
