import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../src/base/lib/package-root';
import { startBuild, type BuildUnderTest } from './build-under-test';
import { createSimulatorControl } from '../test/support/simulator-control';
import { call, completeLogin } from './calls';
import { secondsOf } from './four-at-once';
import { median, percentile } from './numbers';
import { measurePublisher, untilArrived, type Publisher } from './publish';
import { startBenchReceiver, wallClock, type BenchReceiver } from './receiver';
import type { Figure } from './table';

/** Short and many, because the speed of a shared machine changes within seconds. */
const ROUNDS = 6;
const SECONDS = 3;
const PER_SECOND = 25;
const WAIT_SECONDS = 6;
const LOGINS = 16;

/** Events in a request, requests in flight, and what the rate of this build is to be beside the other one's. */
const shapes = [
  { perRequest: 1, inFlight: 50, endpoints: 5, target: 1.9 },
  { perRequest: 100, inFlight: 4, endpoints: 5, target: 2.2 },
];

interface Rate {
  received: number;
  heraldMs: number;
  postgresMs: number;
}

interface Measured {
  rates: Rate[][];
  waits: number[];
  logins: Logins[];
}

interface Logins {
  perSecond: number;
  heraldMs: number;
  tapToCode: number[];
}

/**
 * `npm run bench -- against DIR [NODE]`: this build and the built one in another directory, in turns, each in a process of its
 * own with its own servers. Both run with this Node, or the other one with the given one. The targets are those for commit
 * cf761d0.
 */
export async function benchAgainst([given, node = process.execPath]: string[]): Promise<Figure[]> {
  if (given === undefined) {
    throw new Error('npm run bench -- against DIR: the directory of another build is missing');
  }
  const builds = [
    { directory: packageRoot, node: process.execPath },
    { directory: path.resolve(given), node },
  ];
  const receiver = await startBenchReceiver();
  const sides: BuildUnderTest[] = [];
  try {
    for (const build of builds) sides.push(await startBuild(build));
    const publishers = await Promise.all(
      sides.map((side) =>
        Promise.all([
          side.createPublisher('bench-rates', 5, `${receiver.url}/hook`),
          side.createPublisher('bench-waits', 1, `${receiver.url}/hook`),
        ]),
      ),
    );
    const measured: Measured[] = sides.map(() => ({ rates: shapes.map(() => []), waits: [], logins: [] }));
    // The first round is warm-up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      // Each build is the first one in half of the rounds.
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      for (const index of order) {
        const side = sides[index];
        const [forRates, forWaits] = publishers[index] ?? [];
        if (!side || !forRates || !forWaits) continue;
        const seconds = (wanted: number) => (round === 0 ? 2 : wanted);
        for (const [at, shape] of shapes.entries()) {
          const rate = await rateOf(side, receiver, forRates, { ...shape, seconds: seconds(SECONDS) });
          if (round > 0) measured[index]?.rates[at]?.push(rate);
          await sleep(500);
        }
        const waits = await waitsOf(side, receiver, forWaits, seconds(WAIT_SECONDS));
        if (round > 0) measured[index]?.waits.push(...waits);
        const logins = await loginsOf(side, forWaits, `${index}-${round}`);
        if (round > 0) measured[index]?.logins.push(logins);
      }
    }
    const [own, other] = measured as [Measured, Measured];
    return figuresOf(own, other);
  } finally {
    for (const side of sides) await side.stop();
    await receiver.stop();
  }
}

async function rateOf(
  side: BuildUnderTest,
  receiver: BenchReceiver,
  publisher: Publisher,
  shape: (typeof shapes)[number] & { seconds: number },
): Promise<Rate> {
  const before = side.cpu();
  const { received, count } = await measurePublisher(publisher, receiver, shape);
  // What is recorded after the last arrival counts as well.
  await sleep(200);
  const after = side.cpu();
  return {
    received,
    heraldMs: (1000 * (after.herald - before.herald)) / count,
    postgresMs: (1000 * (after.postgres - before.postgres)) / count,
  };
}

async function waitsOf(
  { pool }: BuildUnderTest,
  receiver: BenchReceiver,
  publisher: Publisher,
  seconds: number,
): Promise<number[]> {
  await receiver.take();
  const key = publisher.headers['authorization']?.replace('Bearer ', '') ?? '';
  const sentAt = new Map<string, number>();
  const running: Promise<void>[] = [];
  const publish = async () => {
    const at = wallClock();
    const response = await call(publisher.url, key, 'POST', '/v1/publish', publisher.body(1));
    const [event] = response['data'] as unknown as { event_id: string }[];
    sentAt.set(event?.event_id ?? '', at);
  };
  const started = performance.now();
  for (let i = 0; i < PER_SECOND * seconds; i += 1) {
    await sleep(Math.max(0, started + (i * 1000) / PER_SECOND - performance.now()));
    running.push(publish());
  }
  await Promise.all(running);
  const { arrivals } = await untilArrived(receiver, sentAt.size);
  const { rows } = await pool.query<{ id: string; event_id: string }>(
    'SELECT id, event_id FROM deliveries WHERE event_id = ANY ($1::uuid[])',
    [[...sentAt.keys()]],
  );
  return rows.map(({ id, event_id }) => (arrivals.get(id) ?? Infinity) - (sentAt.get(event_id) ?? 0));
}

/** Complete logins, four at once. */
async function loginsOf(side: BuildUnderTest, publisher: Publisher, name: string): Promise<Logins> {
  const control = createSimulatorControl(side.simulatorUrl);
  const tapToCode: number[] = [];
  const before = side.cpu();
  const seconds = await secondsOf(LOGINS, (index) =>
    completeLogin(publisher.url, publisher.projectKey, control, `against-${name}-${index}`, (step, ms) => {
      if (step === 'tap to code') tapToCode.push(ms);
    }),
  );
  return {
    perSecond: LOGINS / seconds,
    heraldMs: (1000 * (side.cpu().herald - before.herald)) / LOGINS,
    tapToCode,
  };
}

function figuresOf(own: Measured, other: Measured): Figure[] {
  const compare = (
    name: string,
    [value, baseline]: [number, number],
    format: (value: number) => string,
    target: Pick<Figure, 'target' | 'atMost'> = {},
  ): Figure => ({
    name,
    value: format(value),
    baseline: format(baseline),
    ratio: value / baseline,
    ...target,
  });
  const of = (measured: Measured, at: number, pick: (rate: Rate) => number) =>
    median((measured.rates[at] ?? []).map(pick));
  const both = (at: number, pick: (rate: Rate) => number): [number, number] => [
    of(own, at, pick),
    of(other, at, pick),
  ];
  const milliseconds = (value: number) => `${value.toFixed(2)} ms`;
  const rates = shapes.flatMap(({ perRequest, target }, at) => {
    const name = `published, ${perRequest} in a request:`;
    const each = (measured: Measured) =>
      (measured.rates[at] ?? []).map(({ received }) => received.toFixed(0)).join(', ');
    return [
      {
        ...compare(
          `${name} received per second`,
          both(at, ({ received }) => received),
          (rate) => rate.toFixed(0),
          {
            target,
          },
        ),
        value: each(own),
        baseline: each(other),
      },
      compare(
        `${name} CPU of Herald for each`,
        both(at, ({ heraldMs }) => heraldMs),
        milliseconds,
      ),
      compare(
        `${name} CPU of PostgreSQL for each`,
        both(at, ({ postgresMs }) => postgresMs),
        milliseconds,
      ),
    ];
  });
  const share = (wanted: number): [number, number] => {
    const at = ({ waits }: Measured) =>
      percentile(
        [...waits].sort((a, b) => a - b),
        wanted,
      );
    return [at(own), at(other)];
  };
  const ofLogins = (pick: (logins: Logins) => number): [number, number] => [
    median(own.logins.map(pick)),
    median(other.logins.map(pick)),
  ];
  return [
    ...rates,
    compare(`published at ${PER_SECOND}/s: p50`, share(0.5), milliseconds, { target: 0.5, atMost: true }),
    compare(`published at ${PER_SECOND}/s: p99`, share(0.99), milliseconds, { target: 0.25, atMost: true }),
    compare(
      'complete logins per second, four at once',
      ofLogins(({ perSecond }) => perSecond),
      (rate) => rate.toFixed(1),
    ),
    compare(
      'CPU of Herald and the simulator for each login',
      ofLogins(({ heraldMs }) => heraldMs),
      milliseconds,
    ),
    compare(
      'tap to code, p50',
      ofLogins(({ tapToCode }) => median(tapToCode)),
      milliseconds,
    ),
  ];
}
