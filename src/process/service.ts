import type { Client } from '@temporalio/client';
import type { Middleware } from 'koa';
import { connectMessengers, type PlatformAccesses } from '../domains/bots/messengers';
import { createTurns } from '../domains/bots/turns';
import type { Config } from '../base/config';
import type { Core } from '../base/core';
import { migrate } from '../base/db/migrate';
import { createNotifications } from '../base/db/notify';
import { hearFollowers } from '../domains/events/followers';
import { createOutage } from '../base/db/outage';
import { createPool } from '../base/db/pool';
import { createPools } from '../base/db/pools';
import { localUrl } from '../base/http/server';
import { Cipher, type EncryptionKey } from '../base/lib/cipher';
import type { Logger } from '../base/lib/log';
import { startApi } from './roles/api';
import { startBots } from './roles/bots';
import { registerDomains } from './roles/domains';
import { startOperatorServer } from './roles/operators';
import { startWorkerRole } from './roles/worker';
import { createLazyClient } from '../base/temporal/connection';
import { taskQueues, type QueueName } from '../base/temporal/names';
import { closeClient } from '../base/temporal/within';

export interface ServiceOptions {
  config: Config;
  log: Logger;
  databaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string | null;
  encryptionKeys: EncryptionKey[];
  /** dist/workflow-bundle.js, or the bundle built by the tests. */
  bundlePath: string;
  platforms: PlatformAccesses;
  /** Pages of this start only, before all others. */
  pages?: ((core: Core) => Middleware[]) | undefined;
  /** Writes what this start adds to the database, beside the start of the roles. */
  seed?: ((core: Core) => Promise<void>) | undefined;
  /** Called when a required part of the process has stopped unexpectedly. */
  onFailure: (error: unknown) => void;
  /** The task queues that get a worker, for tests that need only some. Default: all. */
  queues?: readonly QueueName[] | undefined;
  /** Aborts the start; what has been started is stopped again. */
  signal?: AbortSignal | undefined;
}

export interface Service {
  core: Core;
  /** The API's URL on this machine; null without the api role. */
  apiUrl: string | null;
  /** The URL of this process's metrics and health checks. */
  operatorsUrl: string;
  /** Stops the API first, then the bots, then the worker, and the database pools last. */
  stop(): Promise<void>;
}

/** Creates the dependencies and starts the configured roles. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, databaseUrl } = options;
  const outage = createOutage(options.log);
  const { log } = outage;
  registerDomains();
  const stops: (() => Promise<unknown> | void)[] = [];
  const stopsFirst: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of stopsFirst.splice(0)) await close();
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    const directUrl = config.HERALD_DATABASE_DIRECT_URL ?? databaseUrl;
    await migrateWithoutLimits(directUrl);
    const pools = createPools({
      url: databaseUrl,
      transactionPooler: config.HERALD_DATABASE_DIRECT_URL !== undefined,
      poolerPrepares: config.HERALD_DATABASE_PREPARED,
      roles: config.roles,
      size: config.HERALD_DATABASE_POOL,
      projectShare: config.HERALD_PROJECT_CONNECTIONS,
      timeLimits: {
        statementMs: config.HERALD_STATEMENT_TIMEOUT_SECONDS * 1000,
        lockMs: config.HERALD_LOCK_TIMEOUT_SECONDS * 1000,
      },
      outage,
    });
    stops.push(() => pools.end());
    const pool = pools.background;

    const notifications = createNotifications({ url: directUrl, outage });
    stops.push(() => notifications.stop());
    hearFollowers(notifications);
    const temporal = { ...config, address: options.temporalAddress };
    const client = await createLazyClient(temporal);
    stops.push(() => closeClient(client));
    const cipher = new Cipher(options.encryptionKeys);
    const messengers = await connectMessengers({
      accesses: options.platforms,
      roots: { ...config.platforms, ...options.platforms },
      allowLocalMedia: config.allowLocalWebhooks,
      pool,
      cipher,
      notifications,
      log,
    });
    stops.push(() => messengers.stop());

    let boundPort = config.PORT;
    let workerClient: Client | null = null;
    const core: Core = {
      config,
      log,
      pools,
      pool,
      cipher,
      notifications,
      client,
      eagerClient: () => workerClient,
      queues: taskQueues(config.HERALD_TASK_QUEUE_PREFIX),
      messengers,
      turns: createTurns({ pool, perSecond: config.HERALD_MESSAGES_PER_SECOND, log }),
      publicUrl: () => config.HERALD_PUBLIC_URL ?? localUrl(config.host, boundPort),
      temporalUiUrl: options.temporalUiUrl,
    };

    const seeding = options.seed?.(core);
    // The pools end after it. Settled, because its error is thrown below, once the roles have started.
    const seeded = Promise.allSettled([seeding]);
    stops.push(() => seeded);

    // First, so that health checks respond while a role waits for its server.
    const operators = await startOperatorServer(core);
    stops.push(() => operators.stop(0));
    const operatorsUrl = localUrl(config.host, operators.port);

    let apiUrl: string | null = null;
    if (config.roles.includes('api')) {
      const api = await startApi(core, options.pages?.(core));
      boundPort = api.port;
      apiUrl = localUrl(config.host, api.port);
      stopsFirst.push(() => api.stop());
    }
    // Before the worker, which waits for Temporal: a tap counts by the time at which it was stored.
    if (config.roles.includes('bots')) {
      const bots = await startBots(core, directUrl);
      stopsFirst.push(() => bots.stop());
    }
    if (config.roles.includes('worker')) {
      const worker = await startWorkerRole(core, {
        temporal,
        bundlePath: options.bundlePath,
        onFailure: options.onFailure,
        queues: options.queues,
        signal: options.signal,
      });
      workerClient = worker.client;
      stops.push(() => worker.stop());
    }
    await seeding;
    return { core, apiUrl, operatorsUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function migrateWithoutLimits(databaseUrl: string): Promise<void> {
  const pool = createPool({ url: databaseUrl, max: 1, applicationName: 'herald migrate' });
  try {
    await migrate(pool);
  } finally {
    await pool.end();
  }
}
