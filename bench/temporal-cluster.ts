import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openDataDir } from '../src/embedded/data-dir';
import { startPostgres } from '../src/embedded/postgres';
import { findTemporalServer } from '../test/cluster/binaries';
import { startTemporalCluster } from '../test/cluster/temporal';
import { ownCpu, treeCpu } from './role-processes';

/** A Temporal server of production, with a PostgreSQL of its own, so that the CPU of each is known. */
export interface BenchCluster {
  address: string;
  /** CPU seconds used so far. */
  cpu(): { temporal: number; temporalDatabase: number };
  stop(): Promise<void>;
}

export async function startBenchCluster(): Promise<BenchCluster> {
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
