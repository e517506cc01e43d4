import { setTimeout as sleep } from 'node:timers/promises';
import { startBench, type BenchEnvironment } from './environment';
import { startBenchReceiver, type BenchReceiver } from './receiver';
import type { Figure } from './table';
import { startWorker } from './worker-process';

/** How many were sent, how many of them never arrived, and how many arrived twice. */
export interface Arrivals {
  expected: number;
  lost: number;
  repeated: number;
}

export interface KilledLoad {
  name: string;
  perSecond: number;
  seconds: number;
  /** Sends for that long, and waits for what arrives. */
  run(bench: BenchEnvironment, receiver: BenchReceiver): Promise<Arrivals>;
}

/** A worker of its own, in the express lane, is killed in the middle of a load. */
export async function killWorker({ name, perSecond, seconds, run }: KilledLoad): Promise<Figure> {
  process.stderr.write('  a worker is killed in the middle\n');
  const express = { HERALD_DELIVERY_LANE: 'express' };
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', HERALD_ROLES: 'api', ...express });
  const receiver = await startBenchReceiver();
  const local = { ...express, HERALD_ALLOW_LOCAL_WEBHOOKS: 'true' };
  let worker = await startWorker(bench, local);
  try {
    const running = run(bench, receiver);
    await sleep((seconds * 1000) / 2);
    await worker.kill9();
    worker = await startWorker(bench, local);
    const { expected, lost, repeated } = await running;
    return {
      name: `${name}, ${perSecond}/s, kill -9 of the worker in the middle: received`,
      value: `${expected - lost} (lost ${lost}, twice ${repeated})`,
      baseline: String(expected),
      ratio: (expected - lost) / expected,
      target: 1,
    };
  } finally {
    await worker.kill9();
    await receiver.stop();
    await bench.stop();
  }
}
