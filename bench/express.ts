import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../src/contracts/events';
import { emitTestEvent } from '../src/db/events';
import { besideHanging, event, example } from './deliveries';
import { startBench, type BenchEnvironment } from './environment';
import { measureLatency, measureRate, type Begin } from './pace';
import { startPgBossQueue } from './pg-boss-queue';
import { startBenchReceiver, wallClock } from './receiver';
import type { Figure } from './table';

const COUNT = 4_000;
const IN_FLIGHT = 32;
const PROJECTS = 5;
const ROUNDS = 2;

/** The express lane: its rate beside pg-boss doing the same POST, its waits at 25/s, and a neighbour that hangs. */
export async function benchExpress(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', HERALD_DELIVERY_LANE: 'express' });
  const receiver = await startBenchReceiver();
  try {
    const begins: Begin[] = [];
    for (let i = 0; i < PROJECTS; i += 1) {
      begins.push(await expressBegin(bench, `bench-express-${i}`, `${receiver.url}/hook`));
    }
    let turn = 0;
    const inTurn: Begin = () => (begins[turn++ % PROJECTS] as Begin)();
    const rates: Record<'herald' | 'boss', number[]> = { herald: [], boss: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const boss = await startPgBossQueue(
        bench.environment.databaseUrl,
        receiver.url,
        eventBody(event, example),
      );
      rates.boss.push(await measureRate(receiver, boss.begin, { count: COUNT, inFlight: IN_FLIGHT }));
      await boss.stop();
      await sleep(1_000);
      rates.herald.push(await measureRate(receiver, inTurn, { count: COUNT, inFlight: IN_FLIGHT }));
      await sleep(1_000);
    }
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const [herald, boss] = [mean(rates.herald), mean(rates.boss)];
    const waits = await measureLatency(receiver, inTurn, { perSecond: 25, seconds: 20 });
    return [
      {
        name: 'express deliveries per second, from commit to receipt',
        value: herald.toFixed(0),
        baseline: `pg-boss ${boss.toFixed(0)}`,
        ratio: herald / boss,
        target: 1,
      },
      {
        name: 'express deliveries per second',
        value: herald.toFixed(0),
        baseline: 'goal 500',
        ratio: herald / 500,
        target: 1,
      },
      {
        name: 'express, p50 (p99) at 25/s',
        value: `${waits.p50.toFixed(0)} (${waits.p99.toFixed(0)}) ms`,
        baseline: 'goal 60 ms',
        ratio: waits.p99 / 60,
        target: 1,
        atMost: true,
      },
      ...(await besideHanging(bench, receiver, begins[0] as Begin, 'express')),
    ];
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}

/** One statement that writes the event and its delivery, as any operation that causes an event does in its commit. */
async function expressBegin(bench: BenchEnvironment, slug: string, url: string): Promise<Begin> {
  const { pool } = bench.service.core;
  const project = await bench.createProject(slug);
  const response = await fetch(`${bench.service.apiUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url }),
  });
  const endpoint = (await response.json()) as { id: string };
  return async () => {
    const id = await emitTestEvent(pool, { id: endpoint.id, project_id: project.id }, event, example);
    return { id, at: wallClock() };
  };
}
