import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../src/events/contract';
import { startBareWorkflows, type BareKind, type BareWorkflows } from './bare-workflow';
import { startBench } from './environment';
import { event, example } from './herald';
import { bareBegin, measureLatency, measureRate } from './pace';
import { startBenchReceiver, type BenchReceiver } from './receiver';
import type { Figure } from './table';

/** The ways to run a workflow's single POST, measured to justify the one that Herald uses. */
const kinds: BareKind[] = [
  { start: 'ordinary', activity: 'ordinary' },
  { start: 'eager', activity: 'eager' },
  { start: 'ordinary', activity: 'local' },
  { start: 'eager', activity: 'local' },
];

const HANGING = 60;
const SIGNALLED = 20;

export async function benchDispatch(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error' });
  const receiver = await startBenchReceiver();
  try {
    const figures: Figure[] = [];
    for (const kind of kinds) {
      const name = `${kind.start} start, ${kind.activity} activity`;
      process.stderr.write(`  ${name}\n`);
      const body = eventBody(event, example);
      const bare = await startBareWorkflows(bench, kind, receiver.url, body);
      try {
        figures.push({ name, value: await measure(bare, receiver) });
      } finally {
        await bare.stop();
      }
    }
    return figures;
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}

async function measure(bare: BareWorkflows, receiver: BenchReceiver): Promise<string> {
  const begin = bareBegin((id) => bare.start(id));
  const rate = await measureRate(receiver, begin, { count: 200, inFlight: 8 });
  await sleep(2_000);
  const alone = await measureLatency(receiver, begin, { perSecond: 10, seconds: 8 });
  const sentTwice = await signalInFlight(bare, receiver);
  await Promise.all(Array.from({ length: HANGING }, () => bare.start(randomUUID(), '/hang')));
  const beside = await measureLatency(receiver, begin, { perSecond: 10, seconds: 8 });
  await sleep(5_000);
  return [
    `${rate.toFixed(0)}/s`,
    `p50 ${alone.p50.toFixed(0)} ms`,
    `p99 ${alone.p99.toFixed(0)} ms`,
    `p99 beside ${HANGING} hanging ${beside.p99.toFixed(0)} ms`,
    `sent twice when signalled ${sentTwice} of ${SIGNALLED}`,
  ].join(', ');
}

/** Signals each workflow while its receiver takes three seconds, and counts how many are sent twice. */
async function signalInFlight(bare: BareWorkflows, receiver: BenchReceiver): Promise<number> {
  await receiver.take();
  const ids = Array.from({ length: SIGNALLED }, () => randomUUID());
  await Promise.all(ids.map((id) => bare.start(id, '/slow')));
  await sleep(1_000);
  await Promise.all(ids.map((id) => bare.poke(id)));
  await sleep(10_000);
  const arrivals = await receiver.take();
  return ids.filter((id) => (arrivals.get(id)?.length ?? 0) > 1).length;
}
