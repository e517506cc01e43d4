import { z } from 'zod';
import { AppError } from '../contract/errors';
import { checkParts, type Part } from './health';
import { route } from './route';

export function createHealthRoutes({ parts }: { parts: Part[] }) {
  return [
    route(
      {
        method: 'GET',
        path: '/healthz',
        summary: 'Liveness check',
        tag: 'Health',
        auth: 'none',
        status: 200,
        response: z.strictObject({ status: z.literal('ok') }),
        errors: [],
      },
      async () => ({ status: 'ok' }),
    ),
    route(
      {
        method: 'GET',
        path: '/readyz',
        summary: 'Readiness check',
        description: 'Returns 503 with the names of the unavailable dependencies.',
        tag: 'Health',
        auth: 'none',
        status: 200,
        response: z.strictObject({
          status: z.literal('ready'),
          parts: z.record(z.string(), z.literal('ok')),
        }),
        errors: ['service_unavailable'],
      },
      async () => {
        const states = await checkParts(parts);
        const missing = states.filter((state) => !state.ok).map((state) => state.name);
        if (missing.length > 0) {
          throw new AppError('service_unavailable', `Not ready: ${missing.join(', ')} unavailable.`, {
            retryAfter: 5,
          });
        }
        return { status: 'ready', parts: Object.fromEntries(states.map(({ name }) => [name, 'ok'])) };
      },
    ),
  ];
}
