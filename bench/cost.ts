import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '@temporalio/common/lib/proto-utils';
import { emitEvent } from '../src/events';
import { workflowIds } from '../src/temporal/names';
import { createSimulatorControl } from '../test/support/simulator-control';
import { call, completeLogin } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { event, example } from './herald';
import { startBenchReceiver } from './receiver';
import { CODE_TTL_SECONDS, startRoleProcesses, type CpuSeconds, type RoleProcesses } from './role-processes';
import type { Figure } from './table';

const LOGINS = 100;
const CONCURRENT_LOGINS = 4;
const DELIVERIES = 300;
/** Slow enough that no retry waits for a free slot of its endpoint. */
const failing = { count: 60, everyMs: 400 };
const IDLE_MS = 10_000;
/** Time for workflow tasks, statistics and pollers to settle. */
const SETTLE_MS = 4_000;

interface Cost {
  cpu: CpuSeconds;
  rowsWritten: number;
  walBytes: number;
}

/** The cost of one login and one delivery in CPU, rows, WAL and history, with each role in its own process. */
export async function benchCost(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  const receiver = await startBenchReceiver();
  const roles = await startRoleProcesses(bench);
  try {
    const idle = await measure(bench, roles, 1, () => sleep(IDLE_MS), null);
    const figures: Figure[] = [];
    const add = async (name: string, count: number, work: () => Promise<string>) => {
      process.stderr.write(`  ${name}\n`);
      let workflowId = '';
      const cost = await measure(bench, roles, count, async () => void (workflowId = await work()), idle);
      figures.push(...present(name, cost), ...(await historyFigures(bench, name, workflowId)));
    };
    await add('login', LOGINS, () => logins(bench, roles));
    await add('delivery, workflow lane', DELIVERIES, () => deliveries(bench, roles, `${receiver.url}/ok`));
    await add('delivery, express lane', DELIVERIES, () =>
      deliveries(bench, roles, `${receiver.url}/ok`, { delivery_lane: 'express' }),
    );
    await add('delivery that fails four times', failing.count, () =>
      deliveries(bench, roles, 'http://127.0.0.1:9/refused', { retry_policy: 'quick' }, failing),
    );
    return figures;
  } finally {
    await roles.stop();
    await receiver.stop();
    await bench.stop();
  }
}

/** Measures the work, subtracts the idle consumption, and divides by `count`. */
async function measure(
  bench: BenchEnvironment,
  roles: RoleProcesses,
  count: number,
  work: () => Promise<void>,
  idle: (Cost & { seconds: number }) | null,
): Promise<Cost & { seconds: number }> {
  await sleep(SETTLE_MS);
  const began = performance.now();
  const before = await readUsage(bench, roles);
  await work();
  await sleep(SETTLE_MS);
  const after = await readUsage(bench, roles);
  const seconds = (performance.now() - began) / 1000;
  const perItem = (name: keyof CpuSeconds) => {
    const used = after.cpu[name] - before.cpu[name];
    return (used - (idle ? (idle.cpu[name] / idle.seconds) * seconds : 0)) / count;
  };
  return {
    seconds,
    cpu: {
      api: perItem('api'),
      worker: perItem('worker'),
      bots: perItem('bots'),
      postgres: perItem('postgres'),
      temporal: perItem('temporal'),
    },
    rowsWritten: (after.rowsWritten - before.rowsWritten) / count,
    walBytes: (after.walBytes - before.walBytes) / count,
  };
}

async function readUsage(bench: BenchEnvironment, roles: RoleProcesses): Promise<Cost> {
  const { rows } = await bench.service.core.pool.query<{ written: number; wal: number }>(
    `SELECT (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 FROM pg_stat_user_tables) AS written,
       pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`,
  );
  return { cpu: await roles.cpu(), rowsWritten: rows[0]?.written ?? NaN, walBytes: rows[0]?.wal ?? NaN };
}

function present(name: string, { cpu, rowsWritten, walBytes }: Cost): Figure[] {
  const ms = (part: keyof CpuSeconds) => (Math.max(0, cpu[part]) * 1000).toFixed(1);
  const herald = (Math.max(0, cpu.api) + Math.max(0, cpu.worker) + Math.max(0, cpu.bots)) * 1000;
  return [
    {
      name: `${name}: CPU ms of Herald (api / worker / bots)`,
      value: `${herald.toFixed(1)} (${ms('api')} / ${ms('worker')} / ${ms('bots')})`,
    },
    { name: `${name}: CPU ms of PostgreSQL / Temporal`, value: `${ms('postgres')} / ${ms('temporal')}` },
    {
      name: `${name}: rows written / WAL`,
      value: `${rowsWritten.toFixed(1)} / ${(walBytes / 1024).toFixed(1)} KiB`,
    },
  ];
}

/** Returns the id of one of the workflows. */
async function logins(bench: BenchEnvironment, roles: RoleProcesses): Promise<string> {
  const project = await bench.createProject('cost-logins');
  const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
  let last = '';
  let next = 0;
  await Promise.all(
    Array.from({ length: CONCURRENT_LOGINS }, async () => {
      while (next < LOGINS) {
        last = await completeLogin(roles.apiUrl, project.api_key, control, `cost-${next++}`);
      }
    }),
  );
  await sleep((CODE_TTL_SECONDS + 5) * 1000);
  return workflowIds.authSession(last);
}

/** Emits events for one endpoint, waits until every delivery has ended, and returns the id of one of the workflows. */
async function deliveries(
  bench: BenchEnvironment,
  roles: RoleProcesses,
  url: string,
  settings: Record<string, string> = {},
  { count, everyMs } = { count: DELIVERIES, everyMs: 30 },
): Promise<string> {
  const { pool } = bench.service.core;
  const project = await bench.createProject(`cost-${Object.values(settings).join('-') || 'workflow'}`);
  await call(roles.apiUrl, project.api_key, 'POST', '/v1/webhooks', { url, ...settings });
  for (let sent = 0; sent < count; sent += 1) {
    await emitEvent(pool, project.id, event, example);
    await sleep(everyMs);
  }
  for (;;) {
    const { rows } = await pool.query<{ open: number; last: string }>(
      `SELECT count(*) FILTER (WHERE status = 'pending')::int AS open, max(id::text) AS last
       FROM deliveries WHERE project_id = $1`,
      [project.id],
    );
    if (rows[0]?.open === 0) return workflowIds.delivery(rows[0].last);
    await sleep(250);
  }
}

type HistoryEvent = NonNullable<History['events']>[number];

/** The events that Temporal Cloud bills as actions, as far as a history shows them. */
const actions = new Set([
  'workflowExecutionStartedEventAttributes',
  'activityTaskScheduledEventAttributes',
  'timerStartedEventAttributes',
  'workflowExecutionSignaledEventAttributes',
  'upsertWorkflowSearchAttributesEventAttributes',
]);

/** A local activity is an action too; a history shows it as a marker. */
function isAction(event: HistoryEvent, kind: string): boolean {
  return actions.has(kind) || event.markerRecordedEventAttributes?.markerName === 'core_local_activity';
}

async function historyFigures(bench: BenchEnvironment, name: string, workflowId: string): Promise<Figure[]> {
  const { client } = bench.service.core;
  const history: History | null = await client.workflow
    .getHandle(workflowId)
    .fetchHistory()
    .catch(() => null);
  const events: HistoryEvent[] = history?.events ?? [];
  const kinds = events.map((each) => Object.keys(each).find((key) => key.endsWith('Attributes')) ?? '');
  const counted = events.filter((each, index) => isAction(each, kinds[index] ?? '')).length;
  for (const kind of new Set(kinds)) {
    const times = kinds.filter((each) => each === kind).length;
    process.stderr.write(`    ${times} × ${kind.replace('EventAttributes', '')}\n`);
  }
  return [{ name: `${name}: history events / Cloud actions`, value: `${events.length} / ${counted}` }];
}
