import { setTimeout as sleep } from 'node:timers/promises';
import { emitEvent } from '../src/domains/events';
import { createSimulatorControl } from '../test/support/simulator-control';
import { call, completeLogin } from './calls';
import { startBench } from './environment';
import { event, example } from './herald';
import { mean } from './numbers';
import { startBenchReceiver } from './receiver';
import { startRoleProcesses } from './role-processes';
import type { Figure } from './table';

/** Override with HERALD_BENCH_SECONDS. */
const SECONDS = Number(process.env['HERALD_BENCH_SECONDS'] ?? 300);
const SAMPLE_MS = 5_000;
/** Logins without an answer, per second: enough to fill the share of logins in the worker's memory before its middle. */
const ABANDONED_PER_SECOND = 8;
/** Deliveries per second to each kind of endpoint. */
const ratePerSecond = { express: 50, workflow: 4, refused: 1 };

/** Five minutes of logins, polls and deliveries of every kind, each role in its own process, to detect memory growth. */
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
    const emit = async (kind: keyof typeof ratePerSecond) => {
      const project = await bench.createProject(`soak-${kind}`);
      await call(roles.apiUrl, project.api_key, 'POST', '/v1/webhooks', endpoints[kind]);
      while (!isOver()) {
        await emitEvent(bench.service.core.pool, project.id, event, example);
        await sleep(1000 / ratePerSecond[kind]);
      }
    };
    const loginProject = await bench.createProject('soak-logins');
    let count = 0;
    const logins = async () => {
      while (!isOver()) {
        await completeLogin(roles.apiUrl, loginProject.api_key, control, `soak-${count++}`);
        await sleep(250);
      }
    };
    const abandonedProject = await bench.createProject('soak-abandoned');
    const abandoned = async () => {
      while (!isOver()) {
        await call(roles.apiUrl, abandonedProject.api_key, 'POST', '/v1/auth/session', {
          state: 'abandoned',
        });
        await sleep(1000 / ABANDONED_PER_SECOND);
      }
    };
    const samples: Awaited<ReturnType<typeof roles.memory>>[] = [];
    const cached: number[] = [];
    const watch = async () => {
      while (!isOver()) {
        samples.push(await roles.memory());
        cached.push(await roles.cachedWorkflows());
        await receiver.take();
        process.stderr.write(`\r  ${Math.ceil((end - performance.now()) / 1000)} s left, ${count} logins `);
        await sleep(SAMPLE_MS);
      }
    };
    await Promise.all([emit('express'), emit('workflow'), emit('refused'), logins(), abandoned(), watch()]);
    process.stderr.write('\n');
    return [
      ...(['api', 'worker', 'bots', 'temporal'] as const).map((part) => present(part, samples)),
      {
        name: 'workflows in the memory of the worker at the end',
        value: String(cached.at(-1)),
        baseline: `at most ${bench.config.HERALD_CACHED_WORKFLOWS}`,
        ratio: Math.max(...cached) / bench.config.HERALD_CACHED_WORKFLOWS,
        target: 1,
        atMost: true,
      },
    ];
  } finally {
    await roles.stop();
    await receiver.stop();
    await bench.stop();
  }
}

/** Compares the last fifth with the third: during the first two, caches and the compiler warm up. */
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
    // The Temporal server's history caches may grow, so it has no target.
    ...(part === 'temporal' ? {} : { target: 1.15, atMost: true }),
  };
}
