import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../src/domains/events/contract';
import { startBench, type BenchEnvironment } from './environment';
import { createHeraldEndpoint, event, example } from './herald';
import { killWorker, type Arrivals } from './killed-worker';
import { besideHanging } from './neighbour';
import { mean } from './numbers';
import { measureLatency, measureRate, type Begin } from './pace';
import { startPgBossQueue } from './pg-boss-queue';
import { startBenchReceiver, type BenchReceiver } from './receiver';
import type { Figure } from './table';

const COUNT = 4_000;
const IN_FLIGHT = 32;
const PROJECTS = 5;
const ROUNDS = 3;
const KILLED = { perSecond: 200, seconds: 10 };
const SUSTAINED = { perSecond: 500, seconds: 30 };

/** The express lane: its rate beside pg-boss doing the same POST, its waits at 25/s, and a neighbour that hangs. */
export async function benchExpress(): Promise<Figure[]> {
  const measured = await ratesAndWaits();
  return [...measured, await killWorker({ name: 'express', ...KILLED, run: deliverWhileKilled })];
}

async function ratesAndWaits(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', HERALD_DELIVERY_LANE: 'express' });
  const receiver = await startBenchReceiver();
  try {
    const begins: Begin[] = [];
    for (let i = 0; i < PROJECTS; i += 1) {
      begins.push((await createHeraldEndpoint(bench, `bench-express-${i}`, `${receiver.url}/hook`)).begin);
    }
    let turn = 0;
    const inTurn: Begin = () => (begins[turn++ % PROJECTS] as Begin)();
    const rates: Record<'herald' | 'one' | 'boss', number[]> = { herald: [], one: [], boss: [] };
    // The first round only warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
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
      rates.one.push(await measureRate(receiver, begins[0] as Begin, { count: COUNT, inFlight: IN_FLIGHT }));
      await sleep(1_000);
    }
    const [herald, one, boss] = [rates.herald, rates.one, rates.boss].map((each) => mean(each.slice(1))) as [
      number,
      number,
      number,
    ];
    const sustained = await measureLatency(receiver, inTurn, SUSTAINED);
    await sleep(1_000);
    const waits = await measureLatency(receiver, inTurn, { perSecond: 25, seconds: 20 });
    return [
      {
        name: 'express deliveries per second, from commit to receipt',
        value: herald.toFixed(0),
        baseline: `pg-boss ${boss.toFixed(0)}`,
        ratio: herald / boss,
        target: 0.9,
      },
      {
        name: 'the same, all to one endpoint',
        value: one.toFixed(0),
        baseline: `pg-boss ${boss.toFixed(0)}`,
        ratio: one / boss,
        target: 0.9,
      },
      {
        name: `express, ${SUSTAINED.perSecond}/s for ${SUSTAINED.seconds} s: received a second`,
        value: `${sustained.perSecond.toFixed(0)} (p99 ${sustained.p99.toFixed(0)} ms, lost ${sustained.lost})`,
        baseline: `${SUSTAINED.perSecond} asked for`,
        ratio: sustained.perSecond / SUSTAINED.perSecond,
        target: 0.99,
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

async function deliverWhileKilled(bench: BenchEnvironment, receiver: BenchReceiver): Promise<Arrivals> {
  const { begin } = await createHeraldEndpoint(bench, 'bench-express-killed', `${receiver.url}/hook`);
  const { lost, repeated } = await measureLatency(receiver, begin, KILLED);
  return { expected: KILLED.perSecond * KILLED.seconds, lost, repeated };
}
