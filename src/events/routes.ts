import { z } from 'zod';
import { eventTypes, eventTypeSchema } from './contract';
import { route } from '../http/route';

export function createEventTypeRoutes() {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/event-types',
        summary: 'List event types',
        description:
          'Every event that a webhook endpoint can subscribe to, with the JSON Schema of the whole body and an example.',
        tag: 'Webhooks',
        auth: 'key',
        status: 200,
        response: z.strictObject({ data: z.array(eventTypeSchema), next_cursor: z.null() }),
        errors: [],
      },
      async () => ({ data: eventTypes, next_cursor: null }),
    ),
  ];
}
