import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { workflowIds } from '../src/base/temporal/names';
import type { HeraldProcess } from '../test/support/herald-process';
import { createSimulatorControl, type SimulatorControl } from '../test/support/simulator-control';
import { startBench, type BenchEnvironment } from './environment';
import { mean } from './numbers';
import type { Figure } from './table';
import { startWorker } from './worker-process';

const run = promisify(execFile);

/** Above a real bot's limit, so that the figure shows Herald's own; override with HERALD_BENCH_PER_SECOND. */
const PER_SECOND = Number(process.env['HERALD_BENCH_PER_SECOND'] ?? 150);
const RECIPIENTS = Number(process.env['HERALD_BENCH_RECIPIENTS'] ?? 20_000);
/** Recipients of the second broadcast, whose worker is killed halfway. */
const KILLED_RECIPIENTS = Math.min(10_000, RECIPIENTS);
const MAX_HISTORY_EVENTS = 10_000;
const workerEnv = { HERALD_MESSAGES_PER_SECOND: String(PER_SECOND) };
const SAMPLE_MS = 1_000;
const RESPONSE_MS = 100;

interface View {
  status: string;
  sent: number;
  failed: number;
  skipped: number;
  remaining: number;
  total_subscribers: number;
  possible_duplicates: number;
  started_at: string;
  ended_at: string;
}

interface Project {
  id: string;
  api_key: string;
}

/**
 * A broadcast to 100,000 simulated subscribers, and another whose worker is killed. The worker runs in its own process.
 */
export async function benchBroadcast(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  let worker: HeraldProcess | undefined;
  try {
    worker = await startWorker(bench, workerEnv);
    const paced = await pacedBroadcast(bench, worker);
    const killed = await killedBroadcast(bench, async () => {
      await worker?.kill9();
      worker = await startWorker(bench, workerEnv);
    });
    return [...paced, ...killed];
  } finally {
    await worker?.kill9();
    await bench.stop();
  }
}

async function pacedBroadcast(bench: BenchEnvironment, worker: HeraldProcess): Promise<Figure[]> {
  const project = await bench.createProject('bench-broadcast');
  await addCrowd(bench, project, RECIPIENTS, 1_000_000_000);
  const jobId = await startBroadcast(bench, project);
  const memory: number[] = [];
  const end = await untilEnded(bench, project, jobId, async () => {
    memory.push(await megabytes(worker));
  });
  const seconds = (Date.parse(end.ended_at) - Date.parse(end.started_at)) / 1000;
  const rate = RECIPIENTS / seconds;
  const early = mean(memory.slice(Math.floor(memory.length * 0.1), Math.ceil(memory.length * 0.3)));
  const late = mean(memory.slice(Math.floor(memory.length * 0.8)));
  const handle = bench.service.core.client.workflow.getHandle(workflowIds.broadcast(jobId));
  const { historyLength } = await handle.describe();
  return [
    {
      name: `broadcast to ${RECIPIENTS}: messages/s`,
      value: rate.toFixed(1),
      baseline: `${PER_SECOND} asked for`,
      ratio: rate / PER_SECOND,
      target: 0.95,
    },
    {
      name: 'broadcast: sent, failed, skipped',
      value: `${end.sent}, ${end.failed}, ${end.skipped}`,
      baseline: `${RECIPIENTS}`,
      ratio: (end.sent + end.failed + end.skipped) / RECIPIENTS,
      target: 1,
    },
    {
      name: 'broadcast: memory of the worker at the end',
      value: `${late.toFixed(0)} MB`,
      baseline: `${early.toFixed(0)} MB early`,
      ratio: late / early,
      target: 1.2,
      atMost: true,
    },
    {
      name: 'broadcast: history events',
      value: String(historyLength),
      baseline: String(MAX_HISTORY_EVENTS),
      ratio: historyLength / MAX_HISTORY_EVENTS,
      target: 1,
      atMost: true,
    },
  ];
}

async function killedBroadcast(
  bench: BenchEnvironment,
  killAndRestart: () => Promise<void>,
): Promise<Figure[]> {
  const project = await bench.createProject('bench-broadcast-killed');
  await addCrowd(bench, project, KILLED_RECIPIENTS, 2_000_000_000);
  const before = await controlOf(bench).stats('telegram');
  // Responses as slow as a real platform's, so that calls are in flight when the worker is killed; they still take
  // effect.
  await controlOf(bench).faults('telegram', {
    method: 'sendMessage',
    delay_ms: RESPONSE_MS,
    times: 10 * KILLED_RECIPIENTS,
  });
  const jobId = await startBroadcast(bench, project);
  let isKilled = false;
  const end = await untilEnded(bench, project, jobId, async (view) => {
    if (isKilled || view.sent < KILLED_RECIPIENTS / 2) return;
    isKilled = true;
    await killAndRestart();
  });
  const after = await controlOf(bench).stats('telegram');
  const reached = after.recipients - before.recipients;
  const copies = after.messages_sent - before.messages_sent - reached;
  return [
    {
      name: `broadcast to ${KILLED_RECIPIENTS}, kill -9 in the middle: reached`,
      value: `${reached} (left out: ${KILLED_RECIPIENTS - reached})`,
      baseline: String(KILLED_RECIPIENTS),
      ratio: reached / KILLED_RECIPIENTS,
      target: 1,
    },
    {
      name: 'broadcast, kill -9: second copies',
      value: String(copies),
      baseline: `${end.possible_duplicates} under way at the kill`,
      ratio: copies / Math.max(1, end.possible_duplicates),
      target: 1,
      atMost: true,
    },
    {
      name: 'broadcast, kill -9: counts add up',
      value: `${end.sent} + ${end.failed} + ${end.skipped}`,
      baseline: String(end.total_subscribers),
      ratio: (end.sent + end.failed + end.skipped) / end.total_subscribers,
      target: 1,
    },
  ];
}

/** Creates subscribers that the simulator stores only as counters. */
async function addCrowd(
  bench: BenchEnvironment,
  project: Project,
  count: number,
  from: number,
): Promise<void> {
  await controlOf(bench).addUsers('telegram', { count, from });
  await bench.service.core.pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     SELECT $1, 'telegram', n::text, n::text, 'Crowd', 'en' FROM generate_series($2::bigint, $2::bigint + $3 - 1) AS n`,
    [project.id, from, count],
  );
}

async function startBroadcast(bench: BenchEnvironment, project: Project): Promise<string> {
  const { job_id } = await call<{ job_id: string }>(bench, project, 'POST', '/v1/broadcast', {
    text: 'Hello!',
  });
  return job_id;
}

async function untilEnded(
  bench: BenchEnvironment,
  project: Project,
  jobId: string,
  onSample: (view: View) => Promise<void>,
): Promise<View> {
  for (;;) {
    const view = await call<View>(bench, project, 'GET', `/v1/broadcast/${jobId}`);
    if (view.status === 'completed') return view;
    await onSample(view);
    process.stderr.write(`\r${view.sent} of ${view.total_subscribers} `);
    await sleep(SAMPLE_MS);
  }
}

async function call<T>(
  { service }: BenchEnvironment,
  { api_key }: Project,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(service.apiUrl + path, {
    method,
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

function controlOf({ environment }: BenchEnvironment): SimulatorControl {
  return createSimulatorControl(environment.simulator?.url ?? '');
}

async function megabytes({ child }: HeraldProcess): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(child.pid)]);
  return Number(stdout.trim()) / 1024;
}
