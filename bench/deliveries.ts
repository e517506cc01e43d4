import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody, eventRegistry } from '../src/contracts/events';
import { emitEvent } from '../src/db/events';
import { startBareWorkflows, type BareKind } from './bare-workflow';
import { startBench, type BenchEnvironment } from './environment';
import { bareBegin, measureLatency, measureRate, type Begin, type Latency } from './pace';
import { startBenchReceiver, wallClock, type BenchReceiver } from './receiver';
import type { Figure } from './table';

const COUNT = 200;
const IN_FLIGHT = 16;
const PACE = { perSecond: 10, seconds: 10 };
const ROUNDS = 2;
/** From commit to receipt on a machine that is otherwise idle. */
const GOAL_MS = 150;
export const event = 'auth.completed';
export const { example } = eventRegistry[event];

/** Herald's deliveries from commit to receipt, beside a bare workflow that POSTs the same body, on one server. */
export async function benchDeliveries(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error' });
  const receiver = await startBenchReceiver();
  try {
    const herald = await heraldBegin(bench, receiver, 'bench-deliveries', '/hook');
    const rates = await compareRates(bench, receiver, herald);
    return [...rates, ...(await besideHanging(bench, receiver, herald))];
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}

/** In turns, so that a moment of noise on the machine meets both sides. */
async function compareRates(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  herald: Begin,
): Promise<Figure[]> {
  const kinds: Record<string, BareKind> = {
    bare: { start: 'ordinary', activity: 'ordinary' },
    'bare, eager activity': { start: 'ordinary', activity: 'eager' },
  };
  const rates: Record<string, number[]> = {};
  const waits: Record<string, Latency[]> = {};
  const measure = async (name: string, begin: Begin) => {
    progress(`${name}: rate and latency`);
    (rates[name] ??= []).push(await measureRate(receiver, begin, { count: COUNT, inFlight: IN_FLIGHT }));
    // The server still writes the ends of what has arrived.
    await sleep(3_000);
    (waits[name] ??= []).push(await measureLatency(receiver, begin, PACE));
    await sleep(1_000);
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, kind] of Object.entries(kinds)) {
      const bare = await startBareWorkflows(bench, kind, receiver.url, eventBody(event, example));
      await measure(name, bareBegin(bare.start)).finally(() => bare.stop());
    }
    await measure('herald', herald);
  }
  const rate = (name: string) => mean(rates[name] ?? []);
  const p50 = (name: string) => mean((waits[name] ?? []).map((latency) => latency.p50));
  const p99 = (name: string) => Math.max(...(waits[name] ?? []).map((latency) => latency.p99));
  return Object.keys(kinds).flatMap((name) => [
    {
      name: 'deliveries per second, from commit to receipt',
      value: rate('herald').toFixed(1),
      baseline: `${name} ${rate(name).toFixed(1)}`,
      ratio: rate('herald') / rate(name),
      ...(name === 'bare' ? { target: 1.3 } : {}),
    },
    {
      name: `p50 (p99) at ${PACE.perSecond}/s`,
      value: `${p50('herald').toFixed(0)} (${p99('herald').toFixed(0)}) ms`,
      baseline: `${name} ${p50(name).toFixed(0)} (${p99(name).toFixed(0)}) ms`,
      ratio: p50('herald') / p50(name),
      ...(name === 'bare' ? { target: 2, atMost: true } : {}),
    },
  ]);
}

/** The same pace while another project's receiver answers nothing at all. */
export async function besideHanging(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  herald: Begin,
  lane = 'workflow',
): Promise<Figure[]> {
  const seconds = 90;
  progress('alone, then beside a hanging endpoint');
  const alone = await measureLatency(receiver, herald, { perSecond: 10, seconds });
  const hanging = await heraldBegin(bench, receiver, 'bench-hanging', '/hang');
  let stopped = false;
  const noise = (async () => {
    while (!stopped) await Promise.all([hanging(), sleep(100)]);
  })();
  // Its slots are full within two seconds; its first time-outs come at ten, its retries follow within these 90 seconds.
  await sleep(2_000);
  const beside = await measureLatency(receiver, herald, { perSecond: 10, seconds });
  stopped = true;
  await noise;
  const one = (share: 'p50' | 'p99', target: number): Figure => ({
    name: `${lane} lane, ${share} at 10/s beside an endpoint that hangs on 10/s`,
    value: `${beside[share].toFixed(0)} ms`,
    baseline: `alone ${alone[share].toFixed(0)} ms`,
    ratio: beside[share] / alone[share],
    target,
    atMost: true,
  });
  const goal: Figure = {
    name: `${lane} lane, p99 at 10/s for ${seconds} s`,
    value: `${alone.p99.toFixed(0)} ms`,
    baseline: `goal ${GOAL_MS} ms`,
    ratio: alone.p99 / GOAL_MS,
    target: 1,
    atMost: true,
  };
  return [goal, one('p50', 1.2), one('p99', 1.2)];
}

export async function heraldBegin(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  slug: string,
  path: string,
  lane?: 'workflow' | 'express',
): Promise<Begin> {
  const { pool } = bench.service.core;
  const project = await bench.createProject(slug);
  const response = await fetch(`${bench.service.apiUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url + path, ...(lane ? { delivery_lane: lane } : {}) }),
  });
  if (!response.ok) throw new Error(`no endpoint: ${await response.text()}`);
  return async () => {
    const eventId = await emitEvent(pool, project.id, event, example);
    const at = wallClock();
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM deliveries WHERE event_id = $1', [
      eventId,
    ]);
    return { id: rows[0]?.id ?? '', at };
  };
}

function progress(what: string): void {
  process.stderr.write(`  ${what}\n`);
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
