import { setTimeout as sleep } from 'node:timers/promises';
import { createSimulatorControl } from '../test/support/simulator-control';
import { emitEvent } from '../src/events/queries/emit';
import { call, completeLogin } from './calls';
import { startBench } from './environment';
import { event, example } from './herald';
import { mean } from './numbers';
import { startBenchReceiver } from './receiver';
import { startRoleProcesses } from './role-processes';
import type { Figure } from './table';

/** HERALD_BENCH_SECONDS asks for another length. */
const SECONDS = Number(process.env['HERALD_BENCH_SECONDS'] ?? 600);
const SAMPLE_MS = 5_000;
/** Deliveries a second to each kind of endpoint. */
const pace = { express: 50, workflow: 4, refused: 1 };

/** Ten minutes of logins, polls and deliveries of every kind, each role in a process of its own: does memory grow? */
export async function benchSoak(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  const receiver = await startBenchReceiver();
  const roles = await startRoleProcesses(bench);
  const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
  const end = performance.now() + SECONDS * 1000;
  const isOver = () => performance.now() > end;
  try {
    const endpoints = {
      express: { url: `${receiver.url}/hook`, delivery_lane: 'express' },
      workflow: { url: `${receiver.url}/hook`, delivery_lane: 'workflow' },
      refused: { url: 'http://127.0.0.1:9/refused', retry_policy: 'quick' },
    };
    const emit = async (kind: keyof typeof pace) => {
      const project = await bench.createProject(`soak-${kind}`);
      await call(roles.apiUrl, project.api_key, 'POST', '/v1/webhooks', endpoints[kind]);
      while (!isOver()) {
        await emitEvent(bench.service.core.pool, project.id, event, example);
        await sleep(1000 / pace[kind]);
      }
    };
    const shop = await bench.createProject('soak-logins');
    let count = 0;
    const logins = async () => {
      while (!isOver()) {
        await completeLogin(roles.apiUrl, shop.api_key, control, `soak-${count++}`);
        await sleep(250);
      }
    };
    const samples: Awaited<ReturnType<typeof roles.memory>>[] = [];
    const watch = async () => {
      while (!isOver()) {
        samples.push(await roles.memory());
        await receiver.take();
        process.stderr.write(`\r  ${Math.ceil((end - performance.now()) / 1000)} s left, ${count} logins `);
        await sleep(SAMPLE_MS);
      }
    };
    await Promise.all([emit('express'), emit('workflow'), emit('refused'), logins(), watch()]);
    process.stderr.write('\n');
    return (['api', 'worker', 'bots', 'temporal'] as const).map((part) => present(part, samples));
  } finally {
    await roles.stop();
    await receiver.stop();
    await bench.stop();
  }
}

/** The last fifth against the third one: the first two are the caches and the compiler warming up. */
function present(part: 'api' | 'worker' | 'bots' | 'temporal', samples: Record<string, number>[]): Figure {
  const values = samples.map((sample) => sample[part] ?? NaN);
  const fifth = (n: number) =>
    mean(values.slice(Math.floor((values.length * n) / 5), Math.floor((values.length * (n + 1)) / 5)));
  const [middle, late] = [fifth(2), fifth(4)];
  return {
    name: `memory of ${part} after ${SECONDS} s of load`,
    value: `${late.toFixed(0)} MB`,
    baseline: `${middle.toFixed(0)} MB in the middle`,
    ratio: late / middle,
    // The server is not ours; its caches of histories are.
    ...(part === 'temporal' ? {} : { target: 1.15, atMost: true }),
  };
}
