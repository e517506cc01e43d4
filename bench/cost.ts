import { setTimeout as sleep } from 'node:timers/promises';
import type { History } from '@temporalio/common/lib/proto-utils';
import { costUnits, type Unit } from './cost-units';
import type { BenchEnvironment } from './environment';
import { startBenchReceiver } from './receiver';
import { startRoleProcesses, type CpuSeconds, type RoleProcesses } from './role-processes';
import type { Figure } from './table';
import { startBenchOf } from './temporal-cluster';

const IDLE_MS = 20_000;
/** Time for workflow tasks, statistics and pollers to settle. */
const SETTLE_MS = 4_000;

interface Cost {
  cpu: CpuSeconds;
  rowsWritten: number;
  walBytes: number;
}

interface Span extends Cost {
  seconds: number;
}

/**
 * The cost of one login, delivery, message, drip step and ticket message in CPU, rows, WAL and history, with each role in its own
 * process. `npm run bench -- cost cluster` measures with the Temporal server of production in place of the development server.
 */
export async function benchCost(words: string[]): Promise<Figure[]> {
  const { bench, cluster, stop } = await startBenchOf(words);
  const receiver = await startBenchReceiver();
  const roles = await startRoleProcesses(bench, { cluster });
  try {
    const idle = await measure(bench, roles, () => sleep(IDLE_MS));
    const figures = present('a second without work', perSecond(idle));
    for (const unit of costUnits({ bench, roles, receiver })) {
      process.stderr.write(`  ${unit.name}\n`);
      figures.push(...(await figuresOf(unit, bench, roles, idle)));
    }
    return figures;
  } finally {
    await roles.stop();
    await receiver.stop();
    await stop();
  }
}

async function figuresOf(
  unit: Unit,
  bench: BenchEnvironment,
  roles: RoleProcesses,
  idle: Span,
): Promise<Figure[]> {
  const existing = (await unit.prepare?.()) ?? null;
  if (unit.prepare) await sleep(SETTLE_MS);
  const before = await readHistory(bench, existing);
  let workflowId: string | null = null;
  const span = await measure(bench, roles, async () => void (workflowId = await unit.run()));
  const after = await readHistory(bench, workflowId);
  const each = (count: number) => String(count / (unit.inOneWorkflow ?? 1));
  return [
    ...present(unit.name, perItem(span, idle, unit.count)),
    {
      name: `${unit.name}: history events / Cloud actions`,
      value: `${each(after.events - before.events)} / ${each(after.actions - before.actions)}`,
    },
  ];
}

async function measure(
  bench: BenchEnvironment,
  roles: RoleProcesses,
  work: () => Promise<void>,
): Promise<Span> {
  await sleep(SETTLE_MS);
  const began = performance.now();
  const before = await readUsage(bench, roles);
  await work();
  await sleep(SETTLE_MS);
  const after = await readUsage(bench, roles);
  return {
    seconds: (performance.now() - began) / 1000,
    cpu: eachPart((part) => after.cpu[part] - before.cpu[part]),
    rowsWritten: after.rowsWritten - before.rowsWritten,
    walBytes: after.walBytes - before.walBytes,
  };
}

const parts: (keyof CpuSeconds)[] = ['api', 'worker', 'bots', 'postgres', 'temporal', 'temporalDatabase'];

function eachPart(value: (part: keyof CpuSeconds) => number): CpuSeconds {
  return Object.fromEntries(parts.map((part) => [part, value(part)])) as CpuSeconds;
}

function perSecond({ cpu, rowsWritten, walBytes, seconds }: Span): Cost {
  return {
    cpu: eachPart((part) => cpu[part] / seconds),
    rowsWritten: rowsWritten / seconds,
    walBytes: walBytes / seconds,
  };
}

/** What the processes use when they have nothing to do does not count. */
function perItem(span: Span, idle: Span, count: number): Cost {
  const each = (used: number, whenIdle: number) =>
    Math.max(0, (used - (whenIdle / idle.seconds) * span.seconds) / count);
  return {
    cpu: eachPart((part) => each(span.cpu[part], idle.cpu[part])),
    rowsWritten: each(span.rowsWritten, idle.rowsWritten),
    walBytes: each(span.walBytes, idle.walBytes),
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
  const ms = (seconds: number) => (seconds * 1000).toFixed(1);
  return [
    {
      name: `${name}: CPU ms of Herald (api / worker / bots)`,
      value: `${ms(cpu.api + cpu.worker + cpu.bots)} (${ms(cpu.api)} / ${ms(cpu.worker)} / ${ms(cpu.bots)})`,
    },
    { name: `${name}: CPU ms of PostgreSQL`, value: ms(cpu.postgres) },
    {
      name: `${name}: CPU ms of Temporal + its own database`,
      value: `${ms(cpu.temporal)} + ${ms(cpu.temporalDatabase)}`,
    },
    {
      name: `${name}: rows written / WAL`,
      value: `${rowsWritten.toFixed(1)} / ${(walBytes / 1024).toFixed(1)} KiB`,
    },
  ];
}

type HistoryEvent = NonNullable<History['events']>[number];

/** The events that Temporal Cloud bills as actions, as far as a history shows them. */
const actionKinds = new Set([
  'workflowExecutionStartedEventAttributes',
  'activityTaskScheduledEventAttributes',
  'timerStartedEventAttributes',
  'workflowExecutionSignaledEventAttributes',
  'upsertWorkflowSearchAttributesEventAttributes',
]);

/** A local activity is an action too; a history shows it as a marker. */
function isAction(event: HistoryEvent): boolean {
  const kind = Object.keys(event).find((key) => key.endsWith('Attributes')) ?? '';
  return actionKinds.has(kind) || event.markerRecordedEventAttributes?.markerName === 'core_local_activity';
}

async function readHistory(
  { service }: BenchEnvironment,
  workflowId: string | null,
): Promise<{ events: number; actions: number }> {
  if (workflowId === null) return { events: 0, actions: 0 };
  const history: History = await service.core.client.workflow.getHandle(workflowId).fetchHistory();
  const events: HistoryEvent[] = history.events ?? [];
  return { events: events.length, actions: events.filter(isAction).length };
}
