import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import type { Config } from '../src/base/config';
import { loadConfig } from '../src/process/settings';
import { startEnvironment, type Environment } from '../src/local/environment';
import { newApiKey } from '../src/base/lib/tokens';
import { createPool } from '../src/base/db/pool';
import type { Project } from '../src/domains/projects/contract';
import { insertApiKey } from '../src/domains/projects/queries/keys';
import { insertProject, updateProject } from '../src/domains/projects/queries/projects';
import { startService, type Service } from '../src/process/service';
import { buildWorkflowBundle } from '../src/base/temporal/bundle';

export interface BenchEnvironment {
  config: Config;
  environment: Environment;
  service: Service;
  /** The service's own pool, for what the service itself would write. `service.core.pool` has no time limits. */
  servicePool: Service['core']['pool'];
  createProject(slug: string, options?: { limits: 'default' }): Promise<Project & { api_key: string }>;
  stop(): Promise<void>;
}

/** The whole service as `npm start` runs it, on free ports and with a temporary data directory. */
export async function startBench(env: Record<string, string> = {}): Promise<BenchEnvironment> {
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-bench-'));
  const config = loadConfig({
    PORT: '0',
    HERALD_DATA_DIR: path.join(directory, 'data'),
    HERALD_POSTGRES_PORT: '0',
    HERALD_TEMPORAL_PORT: '0',
    HERALD_TEMPORAL_UI_PORT: '0',
    HERALD_METRICS_PORT: '0',
    HERALD_SIMULATOR_PORT: '0',
    HERALD_LOG_LEVEL: 'warn',
    ...env,
  });
  const fail = (reason: unknown) => {
    throw new Error(`a part of the benchmark stopped unexpectedly: ${JSON.stringify(reason)}`);
  };
  const environment = await startEnvironment({
    config,
    onProgress: () => {},
    onExit: fail,
    signal: new AbortController().signal,
  });
  const bundlePath = path.join(directory, 'workflow-bundle.js');
  await buildWorkflowBundle(bundlePath);
  const service = await startService({
    config,
    log: pino({ level: config.HERALD_LOG_LEVEL }, pino.destination(2)),
    ...environment,
    bundlePath,
    onFailure: fail,
  });
  // Benchmarks prepare and count with statements that take longer than the service allows.
  const pool = createPool({ url: environment.databaseUrl, applicationName: 'bench' });
  return {
    config,
    environment,
    service: { ...service, core: { ...service.core, pool } },
    servicePool: service.core.pool,
    async createProject(slug, options) {
      const { key, hash, hint } = newApiKey();
      const project = await insertProject(pool, { slug, name: slug });
      if (!project) throw new Error(`the slug ${slug} is taken`);
      await insertApiKey(pool, { project_id: project.id, hash, hint });
      if (options?.limits === 'default') return { ...project, api_key: key };
      const highLimits = {
        requests_per_minute: 10_000_000,
        events_per_minute: 10_000_000,
        queued_deliveries: 10_000_000,
        sessions_per_hour: 10_000_000,
        sessions_per_address: 10_000_000,
      };
      await updateProject(pool, project.id, highLimits);
      await pool.query('UPDATE projects SET purchased_credits = 1000000 WHERE id = $1', [project.id]);
      return { ...project, ...highLimits, api_key: key };
    },
    async stop() {
      await pool.end();
      await service.stop();
      await environment.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
