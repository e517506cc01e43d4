import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../src/domains/events/contract';
import { startBareWorkflows, type BareKind } from './bare-workflow';
import { startBench, type BenchEnvironment } from './environment';
import { createHeraldEndpoint, event, example } from './herald';
import { besideHanging } from './neighbour';
import { mean } from './numbers';
import { bareBegin, measureLatency, measureRate, type Begin, type Latency } from './pace';
import { startBenchReceiver, type BenchReceiver } from './receiver';
import type { Figure } from './table';

const COUNT = 200;
const IN_FLIGHT = 16;
const PACE = { perSecond: 10, seconds: 10 };
const ROUNDS = 2;

/** Herald's deliveries from commit to receipt, beside a bare workflow that POSTs the same body, on one server. */
export async function benchDeliveries(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error' });
  const receiver = await startBenchReceiver();
  try {
    const herald = await createHeraldEndpoint(bench, 'bench-deliveries', `${receiver.url}/hook`);
    const rates = await compareRates(bench, receiver, herald.begin);
    return [...rates, ...(await besideHanging(bench, receiver, herald.begin, 'workflow'))];
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
    bare: 'ordinary',
    'bare, eager activity': 'eager',
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

function progress(what: string): void {
  process.stderr.write(`  ${what}\n`);
}
