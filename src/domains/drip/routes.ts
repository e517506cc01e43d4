import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { MIB } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import { filteredSubscriberId } from '../subscribers';
import { createChain, patchChain, presentChain, removeChain, requireChain } from './chains';
import {
  chainChangesSchema,
  chainListQuery,
  chainParams,
  chainSchema,
  chainStatsSchema,
  enrolmentListQuery,
  enrolmentParams,
  enrolmentSchema,
  listedEnrolmentSchema,
  newChainSchema,
  newEnrolmentSchema,
  startedEnrolmentsSchema,
  statsQuery,
} from './contract';
import { cancelOne, enrolNamed, presentEnrolment } from './enrolments';
import { listChains } from './queries/chains';
import { listEnrolments } from './queries/enrolments';
import { statsOf } from './stats';

const route = routesOf('Drip chains');

export function createDripRoutes(deps: Pick<Core, 'pool' | 'config'>) {
  const { pool, config } = deps;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const contentErrors = ['not_found', 'template_variable_missing', 'invalid_url'] as const;
  return [
    route(
      {
        method: 'POST',
        path: '/v1/drip-chains',
        summary: 'Create a drip chain',
        description:
          'Steps for one subscriber over time: messages, waits, conditions. A trigger enrols subscribers into an active chain. Chains count towards the limit of open scheduled and recurring messages.',
        idempotent: {},
        body: newChainSchema,
        status: 201,
        response: chainSchema,
        errors: ['conflict', ...contentErrors],
      },
      async ({ project, body, work }) => presentChain(await createChain(deps, project.id, body, work)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/drip-chains',
        summary: 'List drip chains',
        description:
          'Chains can be long: a page with more than 1 MiB of steps ends early, with a `next_cursor`.',
        query: chainListQuery,
        response: pageOf(chainSchema),
      },
      async ({ project, query: { cursor, limit } }) => {
        const before = decodeCursor(cursor);
        const { chains, cutAt } = await listChains(pool, project.id, { before, limit, maxBytes: MIB });
        return toPage(chains, limit, presentChain, cutAt);
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/drip-chains/{drip_id}',
        summary: 'Get a drip chain',
        params: chainParams,
        response: chainSchema,
      },
      async ({ project, params }) => presentChain(await requireChain(pool, project.id, params.drip_id)),
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/drip-chains/{drip_id}',
        summary: 'Change a drip chain',
        description:
          'Changing trigger, steps or exit_on raises the version. Active enrolments keep the version that they began with, unless `migrate` is true.',
        params: chainParams,
        body: chainChangesSchema,
        response: chainSchema,
        errors: ['conflict', ...contentErrors],
      },
      async ({ project, params, body }) =>
        presentChain(await patchChain(deps, project.id, params.drip_id, body)),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/drip-chains/{drip_id}',
        summary: 'Delete a drip chain',
        description: 'Its active enrolments are cancelled.',
        params: chainParams,
        status: 204,
      },
      async ({ project, params }) => removeChain(deps, project.id, params.drip_id),
    ),

    route(
      {
        method: 'POST',
        path: '/v1/drip-chains/{drip_id}/enrolments',
        summary: 'Enrol a subscriber',
        description:
          'Enrols the subscriber, or each subscriber with the external_id, who can enter the chain; if none can, 409.',
        scope: 'send',
        idempotent: {},
        params: chainParams,
        body: newEnrolmentSchema,
        status: 201,
        response: startedEnrolmentsSchema,
        errors: ['conflict', 'mutually_exclusive_identifiers', 'subscriber_not_found', 'invalid_external_id'],
      },
      async ({ project, params, body, work }) => {
        const begun = await enrolNamed(deps, project.id, params.drip_id, body, work);
        return { data: begun.map((each) => presentEnrolment(each, format)) };
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/drip-chains/{drip_id}/enrolments',
        summary: 'List the enrolments of a drip chain',
        params: chainParams,
        query: enrolmentListQuery,
        response: pageOf(listedEnrolmentSchema),
        errors: ['subscriber_not_found'],
      },
      async ({ project, params, query: { status, subscriber_id, cursor, limit } }) => {
        const { id } = await requireChain(pool, project.id, params.drip_id);
        const subscriberId = await filteredSubscriberId(pool, project.id, subscriber_id);
        const filter = { status, subscriberId, before: decodeCursor(cursor), limit };
        return toPage(await listEnrolments(pool, id, filter), limit, (each) => ({
          ...presentEnrolment(each, format),
          first_name: each.first_name,
        }));
      },
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/drip-chains/{drip_id}/enrolments/{id}',
        summary: 'Cancel an enrolment',
        description: 'The subscriber gets nothing more of the chain. No `drip.completed` follows.',
        scope: 'send',
        params: enrolmentParams,
        response: enrolmentSchema,
        errors: ['conflict'],
      },
      async ({ project, params }) =>
        presentEnrolment(await cancelOne(deps, project.id, params.drip_id, params.id), format),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/drip-chains/{drip_id}/stats',
        summary: 'Get the counts of a drip chain',
        description:
          'Active enrolments, and those that ended within the retention period. Without `version`: all versions, with the steps of the newest.',
        params: chainParams,
        query: statsQuery,
        response: chainStatsSchema,
      },
      async ({ project, params, query }) =>
        statsOf(pool, await requireChain(pool, project.id, params.drip_id), query.version),
    ),
  ];
}
