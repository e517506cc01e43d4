import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { percentile } from './numbers';

/** The requests for one side of a comparison. */
export interface LoadSide {
  url: string;
  headers: Record<string, string>;
  requests: { method: 'GET' | 'POST'; path: string; body?: unknown }[];
  /** Whether to start over after the last request. */
  repeat: boolean;
}

/**
 * Generates load from a second process, so that the generator does not use the server's thread. The sides take turns of
 * a fraction of a second, because the speed of a shared machine varies from second to second and must affect all sides
 * equally.
 */
export interface LoadOptions {
  sides: LoadSide[];
  concurrency: number;
  /** Per side. */
  seconds: number;
  /** Turns per side. Every request counts. */
  turns: number;
}

export interface LoadResult {
  count: number;
  perSecond: number;
  byStatus: Record<string, number>;
  p99: number;
}

/** Returns one result per side, in order. */
export async function runLoads(options: LoadOptions): Promise<LoadResult[]> {
  const child = spawn(process.execPath, [...process.execArgv, __filename], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(options));
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as LoadResult[];
  throw new Error('the load generator gave no result');
}

/** Measures a single side. */
export async function runLoad(
  side: LoadSide,
  pace: { concurrency: number; seconds: number },
): Promise<LoadResult> {
  const [result] = await runLoads({ ...pace, sides: [side], turns: 1 });
  if (!result) throw new Error('the load generator gave no result');
  return result;
}

async function generate({ sides, concurrency, seconds, turns }: LoadOptions): Promise<LoadResult[]> {
  const loads = sides.map((side) => createLoad(side, concurrency));
  for (let turn = 0; turn < turns; turn += 1) {
    for (const load of loads) await load.turn((seconds * 1000) / turns);
  }
  return Promise.all(loads.map((load) => load.end()));
}

function createLoad(side: LoadSide, concurrency: number) {
  const pool = new Pool(side.url, { connections: concurrency, pipelining: 1 });
  const times: number[] = [];
  const byStatus: Record<string, number> = {};
  // Prepare everything in advance, so that only the service is measured.
  const withBody = { ...side.headers, 'content-type': 'application/json' };
  const requests = side.requests.map(({ method, path, body }) =>
    body === undefined
      ? { method, path, headers: side.headers }
      : { method, path, headers: withBody, body: JSON.stringify(body) },
  );
  let totalMs = 0;
  let next = 0;
  const take = () => {
    if (next >= requests.length && !side.repeat) return null;
    return requests[next++ % requests.length] ?? null;
  };
  return {
    async turn(ms: number): Promise<void> {
      const started = performance.now();
      const caller = async () => {
        while (performance.now() < started + ms) {
          const request = take();
          if (!request) return;
          const began = performance.now();
          const { statusCode, body } = await pool.request(request);
          await body.dump();
          times.push(performance.now() - began);
          byStatus[statusCode] = (byStatus[statusCode] ?? 0) + 1;
        }
      };
      await Promise.all(Array.from({ length: concurrency }, caller));
      totalMs += performance.now() - started;
    },
    async end(): Promise<LoadResult> {
      await pool.close();
      times.sort((a, b) => a - b);
      const seconds = totalMs / 1000;
      return {
        count: times.length,
        perSecond: times.length / seconds,
        byStatus,
        p99: percentile(times, 0.99),
      };
    },
  };
}

async function main(): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const options = JSON.parse(Buffer.concat(chunks).toString('utf8')) as LoadOptions;
  process.stdout.write(`${JSON.stringify(await generate(options))}\n`);
}

if (require.main === module) void main();
