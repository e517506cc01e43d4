import { setTimeout as sleep } from 'node:timers/promises';
import { createSimulatorControl, type SimulatorControl } from '../test/support/simulator-control';
import { call, completeLogin } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { percentile } from './numbers';
import { startRoleProcesses, type CpuSeconds, type RoleProcesses } from './role-processes';
import type { Figure } from './table';

const ENROLMENTS = Number(process.env['HERALD_BENCH_ENROLMENTS'] ?? 2_000);
const IDLE_MS = 20_000;
/** How long sends and logins are watched after the chain is active again. */
const WATCHED_MS = 30_000;
const LOGIN_EVERY_MS = 500;
/** Ten workflows of a chain are woken in a second. */
const WOKEN_PER_SECOND = 10;
const USERS_FROM = 3_000_000_000;

/**
 * What enrolments cost while they wait, each with its workflow, and what happens when a paused chain becomes active: the
 * rate of messages, and logins beside it.
 */
export async function benchDrip(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  const roles = await startRoleProcesses(bench);
  const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
  try {
    const project = await bench.createProject('bench-drip');
    const ask = (method: string, path: string, body?: unknown) =>
      call(roles.apiUrl, project.api_key, method, path, body);
    const chain = await ask('POST', '/v1/drip-chains', {
      name: 'Chain',
      trigger: { type: 'manual' },
      steps: [
        { id: 'wait', type: 'delay', minutes: 525_600 },
        { id: 'hello', type: 'send', content: { text: 'Hello' } },
      ],
      status: 'active',
    });
    const path = `/v1/drip-chains/${chain['drip_id']}`;

    process.stderr.write('  without enrolments\n');
    const without = await idleCpu(roles);
    const loginsBefore = await loginTimes(roles, project.api_key, control, 'before');
    process.stderr.write(`  ${ENROLMENTS} enrolments get their workflows\n`);
    const startedIn = await enrol(bench, control, project.id, chain['drip_id'] ?? '');
    process.stderr.write('  with enrolments\n');
    const withThem = await idleCpu(roles);

    process.stderr.write('  paused, due, active\n');
    await ask('PATCH', path, { status: 'paused' });
    await makeDue(bench, chain['drip_id'] ?? '');
    const sentBefore = (await control.stats('telegram')).messages_sent;
    const began = performance.now();
    await ask('PATCH', path, { status: 'active' });
    const patchMs = performance.now() - began;
    const logins = await loginTimes(roles, project.api_key, control, 'beside');
    const seconds = (performance.now() - began) / 1000;
    // The bot's questions to the logins are messages too.
    const sent = (await control.stats('telegram')).messages_sent - sentBefore - logins.length;
    return [
      { name: `drip: seconds until ${ENROLMENTS} enrolments had workflows`, value: startedIn.toFixed(0) },
      ...cpuFigures(without, withThem),
      {
        name: 'drip: messages/s after a paused chain became active',
        value: (sent / seconds).toFixed(1),
        baseline: `${WOKEN_PER_SECOND} at most`,
        ratio: sent / seconds / WOKEN_PER_SECOND,
        target: 1.1,
        atMost: true,
      },
      { name: 'drip: the request that activated it, ms', value: patchMs.toFixed(0) },
      {
        name: 'drip: login question beside it, p50 ms',
        value: percentile(logins, 0.5).toFixed(0),
        baseline: percentile(loginsBefore, 0.5).toFixed(0),
        ratio: percentile(logins, 0.5) / percentile(loginsBefore, 0.5),
        target: 2,
        atMost: true,
      },
      {
        name: 'drip: login question beside it, longest ms',
        value: (logins.at(-1) ?? NaN).toFixed(0),
        baseline: (loginsBefore.at(-1) ?? NaN).toFixed(0),
      },
    ];
  } finally {
    await roles.stop();
    await bench.stop();
  }
}

/** CPU seconds in a second. */
async function idleCpu(roles: RoleProcesses): Promise<CpuSeconds> {
  // Tasks of what came before end first.
  await sleep(5_000);
  const [before, began] = [await roles.cpu(), performance.now()];
  await sleep(IDLE_MS);
  const [after, seconds] = [await roles.cpu(), (performance.now() - began) / 1000];
  const used = (part: keyof CpuSeconds) => (after[part] - before[part]) / seconds;
  return {
    api: used('api'),
    worker: used('worker'),
    bots: used('bots'),
    postgres: used('postgres'),
    temporal: used('temporal'),
    temporalDatabase: used('temporalDatabase'),
  };
}

function cpuFigures(without: CpuSeconds, withThem: CpuSeconds): Figure[] {
  return (['worker', 'api', 'temporal', 'postgres'] as const).map((part) => ({
    name: `drip: CPU of ${part} with ${ENROLMENTS} waiting`,
    value: `${(withThem[part] * 100).toFixed(1)} %`,
    baseline: `${(without[part] * 100).toFixed(1)} % without`,
    // One per cent of a core more or less is noise.
    ratio: (withThem[part] + 0.01) / (without[part] + 0.01),
    target: 1.5,
    atMost: true,
  }));
}

/** Returns how long it took until every enrolment had its workflow and had begun to wait. */
async function enrol(
  { service }: BenchEnvironment,
  control: SimulatorControl,
  projectId: string,
  chain: string,
): Promise<number> {
  const { pool } = service.core;
  await control.addUsers('telegram', { count: ENROLMENTS, from: USERS_FROM });
  const began = performance.now();
  await pool.query(
    `WITH people AS (
       INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
       SELECT $1, 'telegram', n, n, 'Crowd', 'en' FROM generate_series($3::bigint, $3::bigint + $4 - 1) AS n RETURNING id),
     enrolled AS (
       INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id)
       SELECT $1, $2, 1, id, 'wait' FROM people RETURNING id)
     INSERT INTO agenda (kind, id, project_id, due_at) SELECT 'drip', id, $1, now() FROM enrolled`,
    [projectId, chain, USERS_FROM, ENROLMENTS],
  );
  for (;;) {
    const { rows } = await pool.query<{ left: number }>(
      `SELECT count(*)::int AS left FROM drip_enrolments WHERE drip_id = $1 AND NOT (step_began_at IS NOT NULL
         AND next_at > now() + interval '1 day')`,
      [chain],
    );
    if (rows[0]?.left === 0) return (performance.now() - began) / 1000;
    await sleep(1_000);
  }
}

/** As after a pause that was longer than the wait: every enrolment was due and is parked. */
async function makeDue({ service }: BenchEnvironment, chain: string): Promise<void> {
  await service.core.pool.query(
    `WITH due AS (
       UPDATE drip_enrolments SET step_began_at = now() - interval '2 years', next_at = now(), parked = true
       WHERE drip_id = $1 RETURNING id)
     DELETE FROM agenda WHERE kind = 'drip' AND id IN (SELECT id FROM due)`,
    [chain],
  );
}

/** How long the bot takes to ask, for one login after the other, sorted. */
async function loginTimes(
  { apiUrl }: RoleProcesses,
  key: string,
  control: SimulatorControl,
  name: string,
): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + WATCHED_MS;
  for (let n = 0; performance.now() < end; n += 1) {
    const next = performance.now() + LOGIN_EVERY_MS;
    await completeLogin(apiUrl, key, control, `drip-${name}-${n}`, (step, ms) => {
      if (step === 'open') times.push(ms);
    });
    await sleep(Math.max(0, next - performance.now()));
  }
  return times.sort((a, b) => a - b);
}
