import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createProjects, roleSettings, type ChaosFixture } from '../chaos/fixture';
import { superviseRole, type RolePart } from '../chaos/parts';
import { startTestSimulator } from '../support/simulator';
import { stablePort } from '../support/stable-port';
import { findPostgres, findTemporalServer } from './binaries';
import { startDevelopmentServer } from './development-server';
import { startLoadBalancer, type LoadBalancer } from './load-balancer';
import { startPgBouncer, type PgBouncer } from './pgbouncer';
import { startPostgresPair, type PostgresPair } from './postgres';
import { startTemporalCluster, type TemporalCluster } from './temporal';

/** Herald as on several machines: two processes of each role, PgBouncer, PostgreSQL with a replica, a Temporal cluster. */
export interface ClusterFixture extends ChaosFixture {
  roles: RolePart[];
  postgres: PostgresPair;
  pgBouncer: PgBouncer;
  temporal: TemporalCluster;
  balancer: LoadBalancer;
  directory: string;
  /** The newest lines of each process, for a failure. */
  logs(): string;
}

export interface ClusterOptions {
  /** Major version. */
  postgres: string;
  /** Default: the services as separate processes on PostgreSQL. */
  temporal?: 'cluster' | 'development';
  /** Processes with the role `worker`. */
  workers?: number;
  settings?: Record<string, string>;
  onProgress: (message: string) => void;
}

/** As long as the pods of ops/kubernetes serve after they were removed from the load balancer, in small. */
const DRAIN_MS = 1_000;

export async function startCluster(options: ClusterOptions): Promise<ClusterFixture> {
  const { onProgress, workers = 2, temporal: kind = 'cluster' } = options;
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-cluster-'));
  // As root, PostgreSQL and PgBouncer run as another user, who must be able to pass.
  await chmod(directory, 0o755);
  const stops: (() => Promise<unknown>)[] = [];
  const stopAll = async () => {
    for (const stopOne of stops.reverse()) await stopOne();
    await rm(directory, { recursive: true, force: true });
  };
  let stopping: Promise<void> | undefined;
  /** Once: an interruption and the end of the scenario wait for the same stop. */
  const stop = () => (stopping ??= stopAll());
  try {
    onProgress(`starting PostgreSQL ${options.postgres} with a replica, PgBouncer and Temporal`);
    const postgres = await startPostgresPair(directory, await findPostgres(options.postgres));
    stops.push(() => postgres.stop());
    const pgBouncer = await startPgBouncer(directory, postgres);
    stops.push(() => pgBouncer.stop());
    const temporal =
      kind === 'cluster'
        ? await startTemporalCluster(directory, await findTemporalServer(onProgress), postgres)
        : await startDevelopmentServer(directory);
    stops.push(() => temporal.stop());
    const simulator = await startTestSimulator();
    stops.push(() => simulator.stop());
    const balancer = await startLoadBalancer();
    stops.push(() => balancer.close());
    const directUrl = postgres.url('herald');
    const { project, domainProject, bulkProject } = await createProjects(directUrl);
    const settings: Record<string, string> = {
      ...roleSettings(simulator),
      HERALD_PUBLIC_URL: balancer.url,
      DATABASE_URL: pgBouncer.url,
      HERALD_DATABASE_DIRECT_URL: directUrl,
      HERALD_DATABASE_PREPARED: String(pgBouncer.prepares),
      TEMPORAL_ADDRESS: temporal.address,
      ...options.settings,
    };
    onProgress('starting two processes of each role');
    const roles: RolePart[] = [];
    stops.push(() => Promise.all(roles.map((role) => role.stop())));
    const counts = { api: 2, worker: workers, bots: 2 };
    for (const [role, count] of Object.entries(counts)) {
      for (let number = 1; number <= count; number += 1) {
        const port = await stablePort();
        const metrics = await stablePort();
        const part = superviseRole(
          role,
          { ...settings, PORT: String(port), HERALD_METRICS_PORT: String(metrics) },
          { name: `${role}-${number}` },
        );
        roles.push(role === 'api' ? behind(balancer, port, part) : part);
      }
    }
    await Promise.all(roles.map((role) => role.ready()));
    return {
      apiUrl: balancer.url,
      apiKey: project.apiKey,
      projectId: project.id,
      domainProject,
      bulkProject,
      simulator,
      parts: [...roles, ...temporal.parts],
      roles,
      postgres,
      pgBouncer,
      temporal,
      balancer,
      directory,
      settings,
      databaseUrl: directUrl,
      temporalAddress: temporal.address,
      ends: () => Object.fromEntries(roles.map(({ name, ends }) => [name, ends])),
      logs: () => roles.map(({ name, log }) => `--- ${name}\n${log().slice(-8).join('\n')}`).join('\n'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An update takes a process out of the load balancer before it stops it; a crash does not. */
function behind(balancer: LoadBalancer, port: number, part: RolePart): RolePart {
  balancer.join(port);
  return Object.assign(Object.create(part) as RolePart, {
    async restart() {
      balancer.drain(port);
      await sleep(DRAIN_MS);
      await part.restart();
      balancer.join(port);
    },
  });
}
