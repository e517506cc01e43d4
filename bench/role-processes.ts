import { readFileSync } from 'node:fs';
import path from 'node:path';
import { roleNames, type Role } from '../src/base/config';
import { freePort } from '../src/base/lib/ports';
import type { BenchEnvironment } from './environment';
import { metricOf, sumOfMetric } from './metric';
import { treeCpu } from './process-cpu';
import type { BenchCluster } from './temporal-cluster';
import { startHerald } from './worker-process';

/** CPU seconds used by each part since it started; the development server has no database of its own. */
export type CpuSeconds = Record<Role | 'postgres' | 'temporal' | 'temporalDatabase', number>;

export interface RoleOptions {
  /** Processes with the role `worker`. */
  workers?: number;
  /** In the place of the development server of the bench. */
  cluster?: BenchCluster | null;
}

export interface RoleProcesses {
  apiUrl: string;
  cpu(): Promise<CpuSeconds>;
  /** Resident memory, in megabytes, of Herald's processes and the Temporal server. */
  memory(): Promise<Record<Role | 'temporal', number>>;
  /** Workflows that the workers keep in memory. */
  cachedWorkflows(): Promise<number>;
  stop(): Promise<void>;
}

/** Long enough for a slow login, short enough to wait for in a benchmark. */
export const CODE_TTL_SECONDS = 15;

/** Starts Herald as in production, each role in its own process, on the servers of a bench. */
export async function startRoleProcesses(
  bench: BenchEnvironment,
  { workers = 1, cluster = null }: RoleOptions = {},
): Promise<RoleProcesses> {
  const apiPort = await freePort();
  const started: { role: Role; metricsUrl: string; stop(): Promise<void> }[] = [];
  const all = roleNames.flatMap((role) => (role === 'worker' ? Array<Role>(workers).fill(role) : [role]));
  for (const role of all) {
    const metricsPort = await freePort();
    const { stop } = await startHerald(bench, {
      roles: role,
      env: {
        PORT: String(apiPort),
        HERALD_PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
        HERALD_METRICS_PORT: String(metricsPort),
        // Short, so that the measurement includes the end of a login's workflow.
        HERALD_CODE_TTL_SECONDS: String(CODE_TTL_SECONDS),
      },
    });
    started.push({ role, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`, stop });
  }
  const servers = serverPids(bench.config.HERALD_DATA_DIR);
  /** The sum of its processes. */
  const metricByRole = async (metric: string, unit = 1) => {
    const sums: Record<Role, number> = { api: 0, worker: 0, bots: 0 };
    await Promise.all(
      started.map(async ({ role, metricsUrl }) => {
        const value = await metricOf(metricsUrl, metric);
        sums[role] += value / unit;
      }),
    );
    return sums;
  };
  return {
    apiUrl: `http://127.0.0.1:${apiPort}`,
    async cpu() {
      return {
        ...(await metricByRole('process_cpu_seconds_total')),
        postgres: treeCpu(servers.postgres),
        ...(cluster?.cpu() ?? { temporal: treeCpu(servers.temporal), temporalDatabase: 0 }),
      };
    },
    async memory() {
      return {
        ...(await metricByRole('process_resident_memory_bytes', 2 ** 20)),
        temporal: residentMegabytes(servers.temporal),
      };
    },
    async cachedWorkflows() {
      const counts = await Promise.all(
        started.map(({ metricsUrl }) => sumOfMetric(metricsUrl, 'temporal_sticky_cache_size')),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
    stop: async () => void (await Promise.all(started.map((each) => each.stop()))),
  };
}

/** Linux only; NaN elsewhere. */
function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN) / 1024;
  } catch {
    return NaN;
  }
}

export function serverPids(dataDirectory: string): Record<'postgres' | 'temporal', number> {
  const children = JSON.parse(readFileSync(path.join(dataDirectory, 'children.json'), 'utf8')) as {
    name: string;
    pid: number;
  }[];
  const pidOf = (name: RegExp) => children.find((child) => name.test(child.name))?.pid ?? 0;
  return { postgres: pidOf(/postgres/i), temporal: pidOf(/temporal/i) };
}
