import type { Middleware } from 'koa';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { botUpdateLag, countOwnBots } from '../../domains/bots/queries/operators';
import type { Role } from '../../base/config';
import type { Core } from '../../base/core';
import { MAX_COUNTED } from '../../base/db/counts';
import { portInUse } from '../../local/ports';
import { createOpenApp } from '../../base/http/app';
import { checkParts } from '../../base/http/health';
import { createHealthRoutes } from '../../base/http/health-routes';
import { startServer, type RunningServer } from '../../base/http/server';
import { reportEventLoopDelay } from '../../base/lib/event-loop-delay';
import { registry } from '../../base/lib/metrics';
import { sessionLag } from '../../domains/login/queries/operators';
import { lateCampaigns } from '../operations/late-campaigns';
import { coreMetrics } from '../../base/temporal/workers';
import { claimableLag } from '../../domains/webhooks/queries/lag';
import { countDueDeliveries } from '../../domains/webhooks/queries/operators';
import { readinessParts } from './readiness';

/** Serves /metrics, /healthz and /readyz for operators, on a separate port in every process. */
export async function startOperatorServer(core: Core): Promise<RunningServer> {
  const { host, HERALD_METRICS_PORT: port } = core.config;
  const docsUrl = () => `${core.publicUrl()}/docs/errors`;
  const app = createOpenApp(
    { routes: createHealthRoutes({ parts: readinessParts(core) }), pages: [metricsPage(core)] },
    { log: core.log.child({}, { level: 'warn' }), docsUrl },
  );
  try {
    return await startServer({ app, host, port, docsUrl });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw portInUse(port, 'HERALD_METRICS_PORT', 'the metrics');
  }
}

function metricsPage(core: Core): Middleware {
  if (!registry.getSingleMetric('process_cpu_seconds_total')) {
    collectDefaultMetrics({ register: registry });
    reportEventLoopDelay(registry);
  }
  const scrapeMetrics = createScrapeMetrics(core);
  return async (ctx, next) => {
    if (ctx.path !== '/metrics' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = '/metrics';
    const parts = await Promise.all([registry.metrics(), scrapeMetrics.metrics(), coreMetrics()]);
    ctx.type = registry.contentType;
    ctx.body = parts.map((part) => part.trimEnd()).join('\n') + '\n';
  };
}

/** Metrics that are queried on each scrape. Each role reports on its own relays. */
function createScrapeMetrics(core: Core): Registry {
  const { pools, pool, config, log } = core;
  const scrapeRegistry = new Registry();
  const registers = [scrapeRegistry];
  const has = (role: Role) => config.roles.includes(role);
  /** If the database is unavailable, its metrics are left out and the rest of the page still works. */
  const onScrape = (work: () => Promise<void>) => async () => {
    await work().catch((err: unknown) => log.debug({ err }, 'a metric could not be read from the database'));
  };

  // Where two purposes share a pool, it is reported once.
  const poolNames = new Map([
    [pools.background, 'background'],
    [pools.requests, 'requests'],
    [pools.login, 'login'],
  ]);
  new Gauge({
    name: 'herald_database_connections',
    help: 'PostgreSQL connections by purpose: active and idle.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [{ totalCount, idleCount }, name] of poolNames) {
        this.set({ pool: name, state: 'active' }, totalCount - idleCount);
        this.set({ pool: name, state: 'idle' }, idleCount);
      }
    },
  });
  new Gauge({
    name: 'herald_database_waiting',
    help: 'Callers that wait for a PostgreSQL connection (reason connection) or for others of their project (project).',
    labelNames: ['pool', 'reason'],
    registers,
    collect() {
      for (const [{ waitingCount, heldBackCount }, name] of poolNames) {
        this.set({ pool: name, reason: 'connection' }, waitingCount);
        this.set({ pool: name, reason: 'project' }, heldBackCount);
      }
    },
  });
  const parts = readinessParts(core);
  const available: Gauge = new Gauge({
    name: 'herald_dependency_available',
    help: '1 if the process can reach the dependency, else 0.',
    labelNames: ['dependency'],
    registers,
    async collect() {
      for (const { name, ok } of await checkParts(parts)) available.set({ dependency: name }, ok ? 1 : 0);
    },
  });
  const lag: Gauge = new Gauge({
    name: 'herald_relay_lag_seconds',
    help: 'Age of the oldest item that a relay could process now.',
    labelNames: ['relay'],
    registers,
    collect: onScrape(async () => {
      lag.reset();
      if (has('worker')) {
        lag.set({ relay: 'deliveries' }, await claimableLag(pool));
        lag.set({ relay: 'sessions' }, await sessionLag(pool));
      }
      if (has('bots')) {
        const { lag: age, setAside } = await botUpdateLag(pool);
        lag.set({ relay: 'bot_updates' }, age);
        setAsideUpdates.set(setAside);
      }
    }),
  });
  const setAsideUpdates = new Gauge({
    name: 'herald_bot_updates_set_aside',
    help: 'Messenger updates set aside after repeated failures; an operator must act.',
    registers,
  });
  const ownBots: Gauge = new Gauge({
    name: 'herald_own_bots',
    help: 'Bots of the projects by status: connected; away, the messenger does not respond or refuses the token.',
    labelNames: ['channel', 'status'],
    registers,
    collect: onScrape(async () => {
      if (!has('bots')) return;
      ownBots.reset();
      for (const { channel, status, count } of await countOwnBots(pool)) {
        ownBots.set({ channel, status }, count);
      }
    }),
  });
  const late: Gauge = new Gauge({
    name: 'herald_campaigns_late',
    help: `Scheduled and recurring messages, enrolments in chains, broadcasts and batches that are more than five minutes late, by kind; counted up to ${MAX_COUNTED}.`,
    labelNames: ['kind'],
    registers,
    collect: onScrape(async () => {
      if (!has('worker')) return;
      for (const { kind, late: count } of await lateCampaigns(pool)) late.set({ kind }, count);
    }),
  });
  const due: Gauge = new Gauge({
    name: 'herald_deliveries_due',
    help: `Deliveries that are due and not started, including those of full or disabled endpoints; counted up to ${MAX_COUNTED}.`,
    registers,
    collect: onScrape(async () => {
      if (has('worker')) due.set(await countDueDeliveries(pool));
    }),
  });
  return scrapeRegistry;
}
