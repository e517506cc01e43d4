import type { Core } from '../core';
import { createApp } from '../http/app';
import { createBearerAuthentication } from '../http/authenticate';
import { demoCallbackPage } from '../http/demo';
import { docsPages } from '../http/docs';
import type { Part } from '../http/health';
import { createProjectLimit } from '../http/project-limit';
import type { Route } from '../http/route';
import { createDeliveryRoutes } from '../http/routes/deliveries';
import { createEventTypeRoutes } from '../http/routes/event-types';
import { createHealthRoutes } from '../http/routes/health';
import { createWebhookRoutes } from '../http/routes/webhooks';
import { startServer } from '../http/server';

export interface RunningApi {
  port: number;
  /** From here on new requests are refused; running ones finish. */
  stop(): Promise<void>;
}

/** Every route of the API, in the order of the reference page. */
export function createRoutes(core: Core, parts: Part[]): Route[] {
  return [
    ...createWebhookRoutes(core),
    ...createDeliveryRoutes(core),
    ...createEventTypeRoutes(),
    ...createHealthRoutes({ parts }),
  ];
}

export function readinessParts({ pool, client }: Core): Part[] {
  return [
    { name: 'database', check: async () => void (await pool.query('SELECT 1')) },
    { name: 'temporal', check: async () => void (await client.workflowService.getSystemInfo({})) },
  ];
}

export async function startApi(core: Core): Promise<RunningApi> {
  const { config, log, pool, publicUrl } = core;
  let stopping = false;
  const docsUrl = () => `${publicUrl()}/docs/errors`;
  const routes = createRoutes(core, readinessParts(core));
  const app = createApp(
    { routes, pages: [docsPages(routes, publicUrl), ...(config.development ? [demoCallbackPage()] : [])] },
    {
      authenticate: createBearerAuthentication({ pool, log }),
      takeRequest: createProjectLimit(pool),
      checkResponses: config.NODE_ENV !== 'production',
      log,
      docsUrl,
      stopping: () => stopping,
      trustProxy: config.HERALD_TRUST_PROXY,
    },
  );
  const server = await startServer({ app, host: config.host, port: config.PORT, docsUrl });
  return {
    port: server.port,
    async stop() {
      stopping = true;
      await server.stop(config.HERALD_SHUTDOWN_SECONDS * 1000);
    },
  };
}
