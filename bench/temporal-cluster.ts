import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openDataDir } from '../src/local/data-dir';
import { startPostgres } from '../src/local/postgres';
import { findTemporalServer } from '../test/cluster/binaries';
import { startTemporalCluster } from '../test/cluster/temporal';
import { startBench, type BenchEnvironment } from './environment';
import { ownCpu, treeCpu } from './process-cpu';

/** A Temporal server of production, with a PostgreSQL of its own, so that the CPU of each is known. */
export interface BenchCluster {
  address: string;
  /** CPU seconds used so far. */
  cpu(): { temporal: number; temporalDatabase: number };
  stop(): Promise<void>;
}

export interface ClusterBench {
  bench: BenchEnvironment;
  /** Null with the development server. */
  cluster: BenchCluster | null;
  stop(): Promise<void>;
}

/** A bench for roles in processes of their own, on the server that the words of the command line ask for. */
export async function startBenchOf(words: string[]): Promise<ClusterBench> {
  const cluster = words.includes('cluster') ? await startBenchCluster() : null;
  try {
    const bench = await startBench({
      HERALD_ROLES: 'api',
      HERALD_LOG_LEVEL: 'error',
      ...(cluster && { TEMPORAL_ADDRESS: cluster.address }),
    });
    const stop = async () => {
      await bench.stop();
      await cluster?.stop();
    };
    return { bench, cluster, stop };
  } catch (error) {
    await cluster?.stop();
    throw error;
  }
}

async function startBenchCluster(): Promise<BenchCluster> {
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-bench-cluster-'));
  const binaries = await findTemporalServer((message) => void process.stderr.write(`  ${message}\n`));
  const dataDir = await openDataDir(path.join(directory, 'data'));
  const postgres = await startPostgres({ dataDir, port: 0, settings: { max_connections: '200' } });
  const stopDatabase = async () => {
    await postgres.stop();
    await dataDir.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await createDatabases(postgres.url, ['temporal', 'temporal_visibility']);
    const cluster = await startTemporalCluster(directory, binaries, {
      url: (database) => postgres.url.replace(/\/herald$/, `/${database}`),
    });
    return {
      address: cluster.address,
      cpu: () => ({
        temporal: Object.values(cluster.pids()).reduce((sum, pid) => sum + ownCpu(pid), 0),
        temporalDatabase: treeCpu(postgres.pid),
      }),
      async stop() {
        await cluster.stop();
        await stopDatabase();
      },
    };
  } catch (error) {
    await stopDatabase();
    throw error;
  }
}

async function createDatabases(url: string, names: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const name of names) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
}
