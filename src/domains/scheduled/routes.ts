import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { orNotFound } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import { filteredSubscriberId } from '../subscribers';
import {
  newScheduledSchema,
  scheduledChangesSchema,
  scheduledListQuery,
  scheduledParams,
  scheduledSchema,
} from './contract';
import { cancelEntry, createScheduled, patchScheduled, presentScheduled } from './entries';
import { findScheduled, listScheduled } from './queries/scheduled';

const route = routesOf('Scheduled messages');

export function createScheduledRoutes(deps: Pick<Core, 'pool' | 'config'>) {
  const { pool, config } = deps;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const contentErrors = ['not_found', 'template_variable_missing', 'invalid_url'] as const;
  const recipientErrors = ['subscriber_not_found', 'invalid_external_id'] as const;
  return [
    route(
      {
        method: 'POST',
        path: '/v1/scheduled',
        summary: 'Schedule a message',
        description:
          'Sends a message to a subscriber, or a broadcast to an audience, at a time. The audience and the template are those of that time. After an outage it is sent up to 24 hours late. Open scheduled and recurring messages and drip chains are limited together.',
        scope: 'send',
        idempotent: {},
        body: newScheduledSchema,
        status: 201,
        response: scheduledSchema,
        errors: ['conflict', 'mutually_exclusive_identifiers', ...contentErrors, ...recipientErrors],
      },
      async ({ project, body, work }) =>
        presentScheduled(await createScheduled(deps, project.id, body, work), format),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/scheduled',
        summary: 'List scheduled messages',
        query: scheduledListQuery,
        response: pageOf(scheduledSchema),
        errors: ['subscriber_not_found'],
      },
      async ({ project, query: { status, subscriber_id, cursor, limit } }) => {
        const subscriberId = await filteredSubscriberId(pool, project.id, subscriber_id);
        const before = decodeCursor(cursor);
        const found = await listScheduled(pool, project.id, { status, subscriberId, before, limit });
        return toPage(found, limit, (entry) => presentScheduled(entry, format));
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/scheduled/{id}',
        summary: 'Get a scheduled message',
        params: scheduledParams,
        response: scheduledSchema,
      },
      async ({ project, params }) => {
        return presentScheduled(orNotFound(await findScheduled(pool, project.id, params.id)), format);
      },
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/scheduled/{id}',
        summary: 'Change a scheduled message',
        description: 'Everything but the kind of recipient, while its status is `scheduled`.',
        scope: 'send',
        params: scheduledParams,
        body: scheduledChangesSchema,
        response: scheduledSchema,
        errors: ['conflict', ...contentErrors, ...recipientErrors],
      },
      async ({ project, params, body }) =>
        presentScheduled(await patchScheduled(deps, project.id, params.id, body), format),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/scheduled/{id}',
        summary: 'Cancel a scheduled message',
        description:
          '200 means that nothing was sent and nothing will be. Once it is being sent, 409; cancel the broadcast of an audience by its `job_id`.',
        scope: 'send',
        params: scheduledParams,
        response: scheduledSchema,
        errors: ['conflict'],
      },
      async ({ project, params }) => presentScheduled(await cancelEntry(deps, project.id, params.id), format),
    ),
  ];
}
