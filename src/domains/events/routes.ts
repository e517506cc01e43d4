import { z } from 'zod';
import type pg from 'pg';
import { pageOf } from '../../base/contract/common';
import { limits } from '../../base/contract/limits';
import { shortListQuery, shortPage } from '../../base/contract/short-list';
import { route } from '../../base/http/route';
import { eventTypes, eventTypeSchema, publishResultSchema, publishSchema } from './contract';
import type { AdmitEvents } from './admission';
import { createPublish, refusedNames } from './publish';

export function createEventRoutes({ pool, admit }: { pool: pg.Pool; admit: AdmitEvents }) {
  const types = eventTypes();
  const publish = createPublish(pool);
  return [
    route(
      {
        method: 'POST',
        path: '/v1/publish',
        summary: 'Publish events',
        description: `For parts of the platform that are not in Herald, such as a helpdesk: up to ${limits.publishEvents} events in one commit, delivered like all others. Needs a key with the scope \`publish\`, which only \`herald key create <slug> --scopes publish\` gives. Only ticket.* and form.submitted can be published. One invalid entry refuses the whole request.`,
        tag: 'Webhooks',
        scope: 'publish',
        idempotent: {},
        body: publishSchema,
        status: 202,
        response: z.strictObject({ data: z.array(publishResultSchema) }),
        errors: ['rate_limit_events', 'rate_limit_queue'],
      },
      async ({ project, body, work }) => {
        await admit(project, body.events.length, work);
        return { data: await publish(project.id, body, work) };
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/event-types',
        summary: 'List event types',
        description:
          'Every event that a webhook endpoint can subscribe to, with the JSON Schema of the whole body and an example.',
        tag: 'Webhooks',
        query: shortListQuery,
        response: pageOf(eventTypeSchema),
      },
      async ({ project, query }) => {
        const refused = await refusedNames(pool, project.id);
        return shortPage(
          types,
          query,
          ({ name }) => name,
          (type) => (refused.has(type.name) ? { ...type, source: 'herald' as const } : type),
        );
      },
    ),
  ];
}
