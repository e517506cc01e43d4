import { z } from 'zod';
import { AppError } from '../contract/errors';
import { checkParts, type Part } from './health';
import { route } from './route';

export function createHealthRoutes({ parts }: { parts: Part[] }) {
  let running: ReturnType<typeof checkParts> | undefined;

  /** Concurrent probes share one check of each part. */
  function check(): ReturnType<typeof checkParts> {
    running ??= checkParts(parts).finally(() => (running = undefined));
    return running;
  }

  return [
    route(
      {
        method: 'GET',
        path: '/healthz',
        summary: 'Liveness check',
        tag: 'Health',
        auth: 'none',
        uncounted: true,
        response: z.strictObject({ status: z.literal('ok') }),
      },
      async () => ({ status: 'ok' }),
    ),
    route(
      {
        method: 'GET',
        path: '/readyz',
        summary: 'Readiness check',
        description:
          'Returns 503 with the names of the unavailable dependencies. `degraded`: a dependency is unavailable that the process can do without.',
        tag: 'Health',
        auth: 'none',
        uncounted: true,
        response: z.strictObject({
          status: z.enum(['ready', 'degraded']),
          parts: z.record(z.string(), z.enum(['ok', 'unavailable'])),
        }),
        errors: ['service_unavailable'],
      },
      async () => {
        const states = await check();
        const missing = states.filter((state) => !state.ok && state.required).map((state) => state.name);
        if (missing.length > 0) {
          throw new AppError('service_unavailable', `Not ready: ${missing.join(', ')} unavailable.`, {
            retryAfter: 5,
          });
        }
        return {
          status: states.every(({ ok }) => ok) ? 'ready' : 'degraded',
          parts: Object.fromEntries(states.map(({ name, ok }) => [name, ok ? 'ok' : 'unavailable'])),
        };
      },
    ),
  ];
}
