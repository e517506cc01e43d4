import { createSimulatorControl } from '../test/support/simulator-control';
import { completeLogin } from './calls';
import type { BenchEnvironment } from './environment';
import { secondsOf } from './four-at-once';
import { createPublisher, measurePublisher } from './publish';
import { startBenchReceiver, type BenchReceiver } from './receiver';
import { startRoleProcesses, type CpuSeconds, type RoleProcesses } from './role-processes';
import type { Figure } from './table';
import { startBenchOf } from './temporal-cluster';

const counts = [1, 2, 4];
const LOGINS = 60;
const WARM_UP = 24;
const FOUR_AT_ONCE = 4;
const SECONDS = { express: 8, workflow: 3 };
/** Each new process compiles what it uses first, and four of them take four times as long for it on the same cores. */
const WARM_UP_SECONDS = { express: 6, workflow: 3 };

/**
 * Received events and complete logins per second with one, two and four worker processes, and what each part uses of the cores
 * meanwhile. `npm run bench -- workers cluster` measures with the Temporal server of production.
 */
export async function benchWorkers(words: string[]): Promise<Figure[]> {
  const { bench, cluster, stop } = await startBenchOf(words);
  const receiver = await startBenchReceiver();
  try {
    const figures: Figure[] = [];
    const firsts = new Map<string, number>();
    for (const workers of counts) {
      process.stderr.write(`  ${workers} ${workers === 1 ? 'worker' : 'workers'}\n`);
      const roles = await startRoleProcesses(bench, { workers, cluster });
      try {
        for (const [name, { perSecond, cores }] of Object.entries(
          await measure(bench, roles, receiver, workers),
        )) {
          const first = firsts.get(name) ?? perSecond;
          firsts.set(name, first);
          figures.push({
            name: `${name} per second, worker processes: ${workers}`,
            value: `${perSecond.toFixed(1)} (${shown(cores)})`,
            baseline: `with one ${first.toFixed(1)}`,
            ratio: perSecond / first,
          });
        }
      } finally {
        await roles.stop();
      }
    }
    return figures;
  } finally {
    await receiver.stop();
    await stop();
  }
}

interface Measured {
  perSecond: number;
  /** Used by each part at the same time. */
  cores: CpuSeconds;
}

async function measure(
  bench: BenchEnvironment,
  roles: RoleProcesses,
  receiver: BenchReceiver,
  workers: number,
): Promise<Record<string, Measured>> {
  const published = async (lane: keyof typeof SECONDS) => {
    const created = await createPublisher(bench, receiver, {
      slug: `workers-${workers}-${lane}`,
      endpoints: 5,
      lane,
    });
    const publisher = { ...created, url: roles.apiUrl };
    const shape = { perRequest: 1, inFlight: lane === 'express' ? 50 : FOUR_AT_ONCE, endpoints: 5 };
    // What is compiled at first use, and the statistics of new tables, are not measured.
    await measurePublisher(publisher, receiver, { ...shape, seconds: WARM_UP_SECONDS[lane] });
    return beside(roles, async () => {
      const { received } = await measurePublisher(publisher, receiver, { ...shape, seconds: SECONDS[lane] });
      return received;
    });
  };
  return {
    'received, lane express': await published('express'),
    'received, lane workflow': await published('workflow'),
    'complete logins': await logins(bench, roles, workers),
  };
}

async function logins(bench: BenchEnvironment, roles: RoleProcesses, workers: number): Promise<Measured> {
  const project = await bench.createProject(`workers-${workers}-logins`);
  const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
  const logIn = (name: string) => completeLogin(roles.apiUrl, project.api_key, control, name);
  await secondsOf(WARM_UP, (index) => logIn(`warm-${workers}-${index}`));
  return beside(
    roles,
    async () => LOGINS / (await secondsOf(LOGINS, (index) => logIn(`user-${workers}-${index}`))),
  );
}

/** What each part uses while the work runs. */
async function beside(roles: RoleProcesses, work: () => Promise<number>): Promise<Measured> {
  const [before, began] = [await roles.cpu(), performance.now()];
  const perSecond = await work();
  const [after, seconds] = [await roles.cpu(), (performance.now() - began) / 1000];
  const cores = Object.fromEntries(
    Object.entries(after).map(([part, used]) => [part, (used - before[part as keyof CpuSeconds]) / seconds]),
  ) as CpuSeconds;
  return { perSecond, cores };
}

function shown(cores: CpuSeconds): string {
  const used = Object.entries(cores).filter(([, share]) => share >= 0.005);
  return `cores: ${used.map(([part, share]) => `${part} ${share.toFixed(2)}`).join(', ')}`;
}
