import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { runLoad } from './load';
import { mean } from './numbers';
import { startBenchReceiver, wallClock, type BenchReceiver } from './receiver';
import type { Figure } from './table';

const IN_FLIGHT = 50;
const SECONDS = 8;
const ROUNDS = 2;
const DRAIN_LIMIT_MS = 120_000;

/**
 * Deliveries per second over HTTP (`POST …/test`), from the first request to the last arrival: one endpoint compared
 * with five.
 */
export async function benchOneEndpoint(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', HERALD_DELIVERY_LANE: 'express' });
  const receiver = await startBenchReceiver();
  try {
    const rates: Record<'one' | 'five', { perSecond: number; drainMs: number }[]> = { one: [], five: [] };
    // The first round is warm-up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [side, count] of [
        ['five', 5],
        ['one', 1],
      ] as const) {
        const measured = await measure(bench, receiver, `bench-${side}-${round}`, count);
        if (round > 0) rates[side].push(measured);
        await sleep(1_000);
      }
    }
    const rate = (side: 'one' | 'five') => mean(rates[side].map(({ perSecond }) => perSecond));
    const drain = (side: 'one' | 'five') => mean(rates[side].map(({ drainMs }) => drainMs)).toFixed(0);
    return [
      {
        name: `express deliveries per second over HTTP to one endpoint, ${IN_FLIGHT} in flight`,
        value: `${rate('one').toFixed(0)} (drained in ${drain('one')} ms)`,
        baseline: `to five ${rate('five').toFixed(0)} (drained in ${drain('five')} ms)`,
        ratio: rate('one') / rate('five'),
        target: 0.8,
      },
    ];
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}

async function measure(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  slug: string,
  count: number,
): Promise<{ perSecond: number; drainMs: number }> {
  const project = await bench.createProject(slug);
  const url = bench.service.apiUrl ?? '';
  const paths: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const { id } = await call(url, project.api_key, 'POST', '/v1/webhooks', { url: `${receiver.url}/hook` });
    paths.push(`/v1/webhooks/${id}/test`);
  }
  await receiver.take();
  const began = wallClock();
  const load = await runLoad(
    {
      url,
      headers: { authorization: `Bearer ${project.api_key}` },
      requests: paths.map((path) => ({ method: 'POST', path, body: {} })),
      repeat: true,
    },
    { concurrency: IN_FLIGHT, seconds: SECONDS },
  );
  const sent = wallClock();
  const accepted = load.byStatus['202'] ?? 0;
  let [arrived, last] = [0, began];
  while (arrived < accepted && wallClock() < sent + DRAIN_LIMIT_MS) {
    for (const [first = 0] of (await receiver.take()).values()) {
      arrived += 1;
      last = Math.max(last, first);
    }
    await sleep(20);
  }
  return { perSecond: arrived / ((last - began) / 1000), drainMs: Math.max(0, last - sent) };
}
