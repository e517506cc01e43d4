import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { orNotFound } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import {
  newRecurringSchema,
  recurringChangesSchema,
  recurringListQuery,
  recurringParams,
  recurringSchema,
  runListQuery,
  runSchema,
  skipSchema,
  startedRunSchema,
} from './contract';
import {
  createRecurring,
  patchRecurring,
  presentRecurring,
  presentRun,
  removeRecurring,
  skipOccurrence,
  startRunNow,
} from './entries';
import { findRecurring, listRecurring, listRuns } from './queries/recurring';

const route = routesOf('Recurring messages');

export function createRecurringRoutes(deps: Pick<Core, 'pool' | 'config' | 'log'>) {
  const { pool } = deps;
  const contentErrors = ['not_found', 'template_variable_missing', 'invalid_url'] as const;
  return [
    route(
      {
        method: 'POST',
        path: '/v1/recurring',
        summary: 'Create a recurring message',
        description:
          'A broadcast that repeats by a cron expression of five fields, in a time zone. The audience is computed for each run, with the current version of the template. A run is skipped while the previous one is still sending, or when it is over an hour late.',
        scope: 'send',
        idempotent: {},
        body: newRecurringSchema,
        status: 201,
        response: recurringSchema,
        errors: ['conflict', ...contentErrors],
      },
      async ({ project, body, work }) =>
        presentRecurring(await createRecurring(deps, project.id, body, work)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/recurring',
        summary: 'List recurring messages',
        query: recurringListQuery,
        response: pageOf(recurringSchema),
      },
      async ({ project, query: { cursor, limit } }) => {
        const found = await listRecurring(pool, project.id, { before: decodeCursor(cursor), limit });
        return toPage(found, limit, presentRecurring);
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/recurring/{id}',
        summary: 'Get a recurring message',
        params: recurringParams,
        response: recurringSchema,
      },
      async ({ project, params }) => {
        return presentRecurring(orNotFound(await findRecurring(pool, project.id, params.id)));
      },
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/recurring/{id}',
        summary: 'Change, pause or resume a recurring message',
        scope: 'send',
        params: recurringParams,
        body: recurringChangesSchema,
        response: recurringSchema,
        errors: ['conflict', ...contentErrors],
      },
      async ({ project, params, body }) =>
        presentRecurring(await patchRecurring(deps, project.id, params.id, body)),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/recurring/{id}',
        summary: 'Delete a recurring message',
        description:
          'No further run starts. A broadcast that is under way goes on; cancel it by its `job_id`.',
        scope: 'send',
        params: recurringParams,
        status: 204,
      },
      ({ project, params }) => removeRecurring(deps, project.id, params.id),
    ),

    route(
      {
        method: 'POST',
        path: '/v1/recurring/{id}/run',
        summary: 'Run a recurring message now',
        description: 'Also while it is paused. See its runs for the result.',
        scope: 'send',
        idempotent: {},
        params: recurringParams,
        status: 202,
        response: startedRunSchema,
        errors: ['conflict'],
      },
      ({ project, params, work }) => startRunNow(deps, project.id, params.id, work),
    ),

    route(
      {
        method: 'POST',
        path: '/v1/recurring/{id}/skip',
        summary: 'Skip an occurrence',
        description: 'Leaves out the next occurrence, or the named one.',
        scope: 'send',
        idempotent: {},
        params: recurringParams,
        body: skipSchema,
        response: recurringSchema,
        errors: ['conflict'],
      },
      async ({ project, params, body, work }) =>
        presentRecurring(await skipOccurrence(deps, project.id, params.id, { at: body.at, work })),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/recurring/{id}/runs',
        summary: 'List the runs of a recurring message',
        params: recurringParams,
        query: runListQuery,
        response: pageOf(runSchema),
      },
      async ({ project, params, query: { cursor, limit } }) => {
        orNotFound(await findRecurring(pool, project.id, params.id));
        const found = await listRuns(pool, params.id, { before: decodeCursor(cursor), limit });
        return toPage(found, limit, presentRun);
      },
    ),
  ];
}
