import { workflowIds } from '../src/base/temporal/names';
import { createSimulatorControl } from '../test/support/simulator-control';
import { completeLogin, type Step } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { measureLoginRoutes } from './login-routes';
import { percentile } from './numbers';
import { measureSessionCreation } from './session-creation';
import type { Figure } from './table';

const LOGINS = 120;
const TARGETS = { perSecond: 20, tapToCodeMs: 100, historyEvents: 20 };

/** The events are the same in number with a code of any lifetime; this one ends within the benchmark. */
const SHORT_CODE_TTL_SECONDS = 5;

/** Complete logins, the routes that a login's backend calls, and session creation. */
export async function benchLogin(): Promise<Figure[]> {
  const histories = await measureHistories();
  const bench = await startBench();
  try {
    return [
      ...(await measureLogins(bench, 4, TARGETS)),
      ...(await measureLogins(bench, 16)),
      ...(await measureLoginRoutes(bench)),
      // Last, because it leaves thousands of running workflows behind.
      ...(await measureSessionCreation(bench)),
      ...histories,
    ];
  } finally {
    await bench.stop();
  }
}

async function measureLogins(
  bench: BenchEnvironment,
  atOnce: number,
  targets?: typeof TARGETS,
): Promise<Figure[]> {
  process.stderr.write(`  logins, ${atOnce} at once\n`);
  const project = await bench.createProject(`bench-login-${atOnce}`);
  const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
  const times: Record<Step, number[]> = { create: [], open: [], 'tap to code': [], verify: [] };
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < LOGINS) {
        const user = `bench-${atOnce}-${next++}`;
        await completeLogin(bench.service.apiUrl ?? '', project.api_key, control, user, (step, ms) =>
          times[step].push(ms),
        );
      }
    }),
  );
  const perSecond = LOGINS / ((performance.now() - began) / 1000);
  const sorted = Object.entries(times).map(([step, values]) => [step, values.sort((a, b) => a - b)] as const);
  const tapToCode = percentile(times['tap to code'], 0.5);
  const name = (figure: string) => `${figure}, ${atOnce} at once`;
  return [
    {
      name: name('complete logins per second'),
      value: perSecond.toFixed(1),
      ...(targets
        ? { baseline: `goal ${targets.perSecond}`, ratio: perSecond / targets.perSecond, target: 1 }
        : {}),
    },
    {
      name: name('tap to code, p50 ms'),
      value: tapToCode.toFixed(0),
      ...(targets
        ? {
            baseline: `goal ${targets.tapToCodeMs}`,
            ratio: tapToCode / targets.tapToCodeMs,
            target: 1,
            atMost: true,
          }
        : {}),
    },
    ...sorted.map(([step, values]) => ({
      name: name(`${step}: p50 / p95 / p99 ms`),
      value: [0.5, 0.95, 0.99].map((share) => percentile(values, share).toFixed(0)).join(' / '),
    })),
  ];
}

/** History events of a login whose code is redeemed, and of one whose code expires. */
async function measureHistories(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_CODE_TTL_SECONDS: String(SHORT_CODE_TTL_SECONDS) });
  try {
    const project = await bench.createProject('bench-histories');
    const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
    const figures: Figure[] = [];
    for (const verify of [true, false]) {
      const user = `history-${String(verify)}`;
      const url = bench.service.apiUrl ?? '';
      const id = await completeLogin(url, project.api_key, control, user, () => {}, { verify });
      const handle = bench.service.core.client.workflow.getHandle(workflowIds.authSession(id));
      await handle.result();
      const { events } = await handle.fetchHistory();
      const count = events?.length ?? NaN;
      figures.push({
        name: `history events of a login, code ${verify ? 'redeemed' : 'expired'}`,
        value: String(count),
        baseline: `goal ${TARGETS.historyEvents}`,
        ratio: count / TARGETS.historyEvents,
        target: 1,
        atMost: true,
      });
    }
    return figures;
  } finally {
    await bench.stop();
  }
}
