import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { stringify } from 'yaml';
import { eventually } from '../support/eventually';
import { stablePort } from '../support/stable-port';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { pauseProcesses, type Part } from '../chaos/parts';
import type { TemporalBinaries } from './binaries';
import { startChild, type Child } from './child';

/** A Temporal cluster: each service a process of its own, on PostgreSQL. */
export interface TemporalCluster {
  /** Of the frontend, through a proxy. */
  address: string;
  proxy: TcpProxy;
  /** The processes, by name: frontend, history-1, history-2, matching, internal-worker. */
  parts: Part[];
  /** All of them at once. */
  whole: Part;
  pids(): Record<string, number>;
  stop(): Promise<void>;
}

type ServiceName = 'frontend' | 'history' | 'matching' | 'worker';

const members: { name: string; service: ServiceName }[] = [
  { name: 'frontend', service: 'frontend' },
  { name: 'history-1', service: 'history' },
  { name: 'history-2', service: 'history' },
  { name: 'matching', service: 'matching' },
  { name: 'internal-worker', service: 'worker' },
];

/** Shards are spread over the histories; a cluster of production has thousands. */
const SHARDS = 16;

const run = promisify(execFile);

export async function startTemporalCluster(
  directory: string,
  { server, sqlTool }: TemporalBinaries,
  /** Has the databases `temporal` and `temporal_visibility`. */
  postgres: { url(database: string): string },
): Promise<TemporalCluster> {
  const database = new URL(postgres.url('temporal'));
  await createSchemas(sqlTool, database);
  const frontendPort = await stablePort();
  const started: Member[] = [];
  for (const { name, service } of members) {
    const config = await writeConfig(directory, name, { database, frontendPort });
    started.push(
      superviseMember(name, () =>
        startChild({
          command: server,
          args: ['--config-file', config, '--allow-no-auth', 'start', '--service', service],
          logFile: path.join(directory, `temporal-${name}.log`),
        }),
      ),
    );
  }
  const proxy = await startTcpProxy(frontendPort);
  const address = `127.0.0.1:${proxy.port}`;
  try {
    await createNamespace(address, started);
  } catch (error) {
    await Promise.all(started.map((member) => member.stop()));
    await proxy.close();
    throw error;
  }
  return {
    address,
    proxy,
    parts: started,
    whole: {
      name: 'temporal',
      kill: async (downMs) => void (await Promise.all(started.map((member) => member.kill(downMs)))),
      pause: async (ms) => void (await Promise.all(started.map((member) => member.pause(ms)))),
      restart: async () => void (await Promise.all(started.map((member) => member.restart()))),
      ready: async () => void (await Promise.all(started.map((member) => member.ready()))),
      stop: async () => void (await Promise.all(started.map((member) => member.stop()))),
    },
    pids: () => Object.fromEntries(started.map((member) => [member.name, member.pid()])),
    async stop() {
      await Promise.all(started.map((member) => member.stop()));
      await proxy.close();
    },
  };
}

interface Member extends Part {
  pid(): number;
  exited(): string | null;
}

/** A service that is started again after a while when it is killed, as its supervisor would. */
function superviseMember(name: string, start: () => Child): Member {
  let child = start();
  let starting: Promise<void> = Promise.resolve();
  async function again(signal: NodeJS.Signals, downMs: number): Promise<void> {
    await child.end(signal);
    starting = sleep(downMs).then(() => {
      child = start();
    });
    await starting;
  }
  return {
    name,
    kill: (downMs) => again('SIGKILL', downMs),
    pause: (ms) => pauseProcesses([child.pid], ms),
    restart: () => again('SIGTERM', 0),
    ready: () => starting,
    pid: () => child.pid,
    exited: () => (child.exited() ? child.lastWords() : null),
    async stop() {
      await starting;
      await child.end('SIGKILL');
    },
  };
}

async function createSchemas(sqlTool: string, database: URL): Promise<void> {
  for (const [name, schema] of [
    ['temporal', 'postgresql/v12/temporal'],
    ['temporal_visibility', 'postgresql/v12/visibility'],
  ] as const) {
    const connection = [
      ...['--plugin', 'postgres12', '--endpoint', database.hostname, '--port', database.port],
      ...['--user', database.username, '--password', database.password, '--database', name],
    ];
    await run(sqlTool, [...connection, 'setup-schema', '-v', '0.0']);
    await run(sqlTool, [...connection, 'update-schema', '--schema-name', schema], { maxBuffer: 2 ** 24 });
  }
}

async function writeConfig(
  directory: string,
  name: string,
  { database, frontendPort }: { database: URL; frontendPort: number },
): Promise<string> {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: database.host,
      connectProtocol: 'tcp',
      user: database.username,
      password: database.password,
      maxConns,
      maxIdleConns: maxConns,
      maxConnLifetime: '1h',
    },
  });
  const ports = async (grpcPort?: number) => ({
    rpc: {
      grpcPort: grpcPort ?? (await stablePort()),
      membershipPort: await stablePort(),
      bindOnLocalHost: true,
    },
  });
  const folder = path.join(directory, 'temporal');
  await mkdir(folder, { recursive: true });
  const dynamic = path.join(folder, 'dynamic.yaml');
  // The one setting that docs/scaling.md asks for; all others are those of the server.
  await writeFile(dynamic, stringify({ 'system.enableActivityEagerExecution': [{ value: true }] }));
  const config = {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'default',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: { default: store('temporal', 20), visibility: store('temporal_visibility', 5) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: {
      frontend: await ports(frontendPort),
      history: await ports(),
      matching: await ports(),
      worker: await ports(),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${frontendPort}`,
        },
      },
    },
    publicClient: { hostPort: `127.0.0.1:${frontendPort}` },
    dcRedirectionPolicy: { policy: 'noop' },
    dynamicConfigClient: { filepath: dynamic, pollInterval: '10s' },
  };
  const file = path.join(folder, `${name}.yaml`);
  await writeFile(file, stringify(config));
  return file;
}

/**
 * Creates the namespace and returns when all services have found each other. Of services that start together on a new
 * database, only the one that writes the record of the cluster first goes on; the others exit and are started again.
 */
async function createNamespace(address: string, started: Member[]): Promise<void> {
  await eventually(async () => {
    const exited = started.filter((member) => member.exited() !== null);
    await Promise.all(exited.map((member) => member.restart()));
    if (exited.length > 0) return false;
    const connection = await Connection.connect({ address, connectTimeout: 3_000 });
    try {
      await connection.workflowService
        .registerNamespace({
          namespace: 'default',
          workflowExecutionRetentionPeriod: msToTs('1 day'),
        })
        .catch((error: { code?: number }) => {
          // It exists already.
          if (error.code !== 6) throw error;
        });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      // The cache of namespaces is refreshed every few seconds.
      await connection.workflowService.countWorkflowExecutions({ namespace: 'default' });
      await connection.workflowService
        .describeWorkflowExecution({ namespace: 'default', execution: { workflowId: 'none' } })
        .catch((error: { code?: number }) => {
          // Only a history knows that there is no such workflow.
          if (error.code !== 5) throw error;
        });
      return true;
    } finally {
      await connection.close();
    }
  }, 120_000);
}
