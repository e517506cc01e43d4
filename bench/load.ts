import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';

/**
 * Load from a second process, so that the generator does not take the server's thread. Every request of the plan is
 * sent at most once in a round; rounds repeat until the time is up.
 */
export interface LoadPlan {
  url: string;
  requests: { method: 'GET' | 'POST'; path: string; body?: unknown }[];
  headers: Record<string, string>;
  concurrency: number;
  seconds: number;
  /** Whether requests may be sent again once all were sent. */
  repeat: boolean;
}

export interface LoadResult {
  count: number;
  seconds: number;
  perSecond: number;
  byStatus: Record<string, number>;
  p50: number;
  p95: number;
  p99: number;
}

export function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = spawn(process.execPath, [...process.execArgv, __filename], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(plan));
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line) as LoadResult;
  throw new Error('the load generator gave no result');
}

async function generate(plan: LoadPlan): Promise<LoadResult> {
  const pool = new Pool(plan.url, { connections: plan.concurrency, pipelining: 1 });
  const times: number[] = [];
  const byStatus: Record<string, number> = {};
  // Whatever can be made before is made before: only the service is to be measured.
  const withBody = { ...plan.headers, 'content-type': 'application/json' };
  const requests = plan.requests.map(({ method, path, body }) =>
    body === undefined
      ? { method, path, headers: plan.headers }
      : { method, path, headers: withBody, body: JSON.stringify(body) },
  );
  const started = performance.now();
  const end = started + plan.seconds * 1000;
  let next = 0;
  const take = () => {
    if (next >= requests.length && !plan.repeat) return null;
    return requests[next++ % requests.length] ?? null;
  };
  const worker = async () => {
    for (let request = take(); request && performance.now() < end; request = take()) {
      const began = performance.now();
      const { statusCode, body } = await pool.request(request);
      await body.dump();
      times.push(performance.now() - began);
      byStatus[statusCode] = (byStatus[statusCode] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: plan.concurrency }, worker));
  const seconds = (performance.now() - started) / 1000;
  await pool.close();
  times.sort((a, b) => a - b);
  return {
    count: times.length,
    seconds,
    perSecond: times.length / seconds,
    byStatus,
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
  };
}

async function main(): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  const plan = JSON.parse(Buffer.concat(chunks).toString('utf8')) as LoadPlan;
  process.stdout.write(`${JSON.stringify(await generate(plan))}\n`);
}

if (require.main === module) void main();
