import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../src/domains/events/contract';
import { createSimulatorControl } from '../test/support/simulator-control';
import { startBareLogins } from './bare-login';
import { startBarePublish } from './bare-publish';
import { call, completeLogin } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { secondsOf } from './four-at-once';
import { event, example } from './herald';
import { memory } from './memory';
import { percentile } from './numbers';
import { measureRate as measureBossRate } from './pace';
import { startPgBossQueue } from './pg-boss-queue';
import { createPublisher, measureRate } from './publish';
import { startBenchReceiver, type BenchReceiver } from './receiver';
import { besideRecorded, record } from './recorded';
import type { Figure } from './table';
import { measureWaits, PER_SECOND, singlePublisher, type Ids } from './waits';

const RATE_SECONDS = 6;
const BOSS_COUNT = 4_000;
const WAIT_SECONDS = 12;
const ROUNDS = 2;
const HANGING_PER_SECOND = 10;
const LOGINS = 100;
const LOGINS_IN_A_TURN = 20;

/**
 * The figures that users feel, in four minutes, each as a ratio to a baseline of the same run, so that a slower machine
 * moves both. `npm run bench -- smoke` compares them with `bench/recorded.json`.
 */
export async function benchSmoke(): Promise<Figure[]> {
  const idle = await memory();
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', HERALD_DELIVERY_LANE: 'express' });
  const receiver = await startBenchReceiver();
  try {
    const figures = [
      idle,
      ...(await rates(bench, receiver)),
      ...(await waits(bench, receiver)),
      await logins(bench),
    ];
    if (process.argv.includes('--record')) record(figures);
    return besideRecorded(figures);
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}

/** Received per second end to end, beside pg-boss doing the same POSTs. */
async function rates(bench: BenchEnvironment, receiver: BenchReceiver): Promise<Figure[]> {
  const shapes = [
    { perRequest: 1, inFlight: 50, endpoints: 5 },
    { perRequest: 100, inFlight: 4, endpoints: 5 },
  ];
  const received = shapes.map(() => 0);
  let boss = 0;
  // The first round only warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const share = round === 0 ? 0 : 1 / ROUNDS;
    const queue = await startPgBossQueue(
      bench.environment.databaseUrl,
      receiver.url,
      eventBody(event, example),
    );
    boss += share * (await measureBossRate(receiver, queue.begin, { count: BOSS_COUNT, inFlight: 32 }));
    await queue.stop();
    for (const [index, shape] of shapes.entries()) {
      const slug = `smoke-rate-${index}-${round}`;
      const seconds = round === 0 ? 2 : RATE_SECONDS;
      const measured = await measureRate(bench, receiver, { ...shape, slug, seconds });
      received[index] = (received[index] ?? 0) + share * measured.received;
    }
  }
  return shapes.map(({ perRequest }, index) => ({
    name: `published, ${perRequest} in a request: received per second`,
    value: (received[index] ?? 0).toFixed(0),
    baseline: `pg-boss ${boss.toFixed(0)}`,
    ratio: (received[index] ?? 0) / boss,
  }));
}

/** From the request to the receipt, beside a bare route that stores and posts, and beside an endpoint that hangs. */
async function waits(bench: BenchEnvironment, receiver: BenchReceiver): Promise<Figure[]> {
  const publisher = await createPublisher(bench, receiver, { slug: 'smoke-waits', endpoints: 1 });
  const { send: publish, ids: deliveryIds } = singlePublisher(bench, publisher);
  const bare = await startBarePublish(bench.environment.databaseUrl, receiver.url);
  const bareIds = new Map<string, string>();
  const publishBare = async (given: string) => {
    const body = JSON.stringify(publisher.body(1));
    const response = await fetch(`${bare.url}/publish`, { method: 'POST', body });
    bareIds.set(given, ((await response.json()) as { id: string }).id);
  };
  const all: Record<'alone' | 'bare' | 'beside', number[]> = { alone: [], bare: [], beside: [] };
  try {
    // The first round only warms up. The three take turns, so that a slow minute of the machine falls on all of them.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const seconds = round === 0 ? 3 : WAIT_SECONDS;
      const measure = (name: string, send: (id: string) => Promise<void>, ids: Ids) =>
        measureWaits(receiver, { name: `${name}-${round}`, send, ids, seconds });
      const alone = await measure('alone', publish, deliveryIds);
      const plain = await measure('bare', publishBare, () => Promise.resolve(bareIds));
      const hanging = await hang(bench, receiver, round);
      const beside = await measure('beside', publish, deliveryIds);
      await hanging.stop();
      if (round === 0) continue;
      all.alone.push(...alone);
      all.bare.push(...plain);
      all.beside.push(...beside);
    }
  } finally {
    await bare.stop();
  }
  const compare = (
    name: string,
    share: number,
    [values, baseline]: [number[], number[]],
    side: string,
  ): Figure => {
    const [value, base] = [values, baseline].map((list) =>
      percentile(
        [...list].sort((a, b) => a - b),
        share,
      ),
    ) as [number, number];
    return {
      name: `published at ${PER_SECOND}/s${name}: p${share * 100}`,
      value: `${value.toFixed(1)} ms`,
      baseline: `${side} ${base.toFixed(1)} ms`,
      ratio: value / base,
      atMost: true,
    };
  };
  return [
    compare('', 0.5, [all.alone, all.bare], 'bare route'),
    compare('', 0.95, [all.alone, all.bare], 'bare route'),
    compare(' beside a hanging endpoint', 0.5, [all.beside, all.alone], 'alone'),
    compare(' beside a hanging endpoint', 0.95, [all.beside, all.alone], 'alone'),
  ];
}

/** Another project whose receiver never responds, and its events. */
async function hang(bench: BenchEnvironment, receiver: BenchReceiver, round: number) {
  const publisher = await createPublisher(bench, receiver, {
    slug: `smoke-hanging-${round}`,
    endpoints: 1,
    path: '/hang',
  });
  const key = publisher.headers['authorization']?.replace('Bearer ', '') ?? '';
  const send = () => call(publisher.url, key, 'POST', '/v1/publish', publisher.body(1)).catch(() => {});
  const timer = setInterval(() => void send(), 1000 / HANGING_PER_SECOND);
  await sleep(1_000);
  return {
    async stop() {
      clearInterval(timer);
      await call(publisher.url, publisher.projectKey, 'DELETE', `/v1/webhooks/${publisher.endpointIds[0]}`);
      // Its attempts in flight end.
      await sleep(round === 0 ? 0 : 11_000);
    },
  };
}

/** Complete logins, four at once, in turns with a bare workflow of the same steps. */
async function logins(bench: BenchEnvironment): Promise<Figure> {
  const project = await bench.createProject('smoke-logins');
  const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
  const url = bench.service.apiUrl ?? '';
  const bare = await startBareLogins(bench);
  const login = (name: string) => completeLogin(url, project.api_key, control, name);
  const seconds = { herald: 0, bare: 0 };
  try {
    // The first round is warm-up.
    for (let round = 0; round <= LOGINS / LOGINS_IN_A_TURN; round += 1) {
      const count = round === 0 ? 8 : LOGINS_IN_A_TURN;
      const herald = await secondsOf(count, (index) => login(`smoke-${round}-${index}`));
      const plain = await secondsOf(count, () => bare.complete());
      if (round === 0) continue;
      seconds.herald += herald;
      seconds.bare += plain;
    }
  } finally {
    await bare.stop();
  }
  return {
    name: 'complete logins per second, four at once',
    value: (LOGINS / seconds.herald).toFixed(1),
    baseline: `bare workflow ${(LOGINS / seconds.bare).toFixed(1)}`,
    ratio: seconds.bare / seconds.herald,
  };
}
