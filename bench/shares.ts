import { randomUUID } from 'node:crypto';
import { cpus } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventNames, isPublished } from '../src/domains/events/contract';
import { newApiKey } from '../src/base/lib/tokens';
import { freePort } from '../src/base/lib/ports';
import { insertApiKey } from '../src/domains/projects/queries/keys';
import { createSimulatorControl } from '../test/support/simulator-control';
import { call, completeLogin, type Step } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { greedyLoads, startGreedy, type GreedyLoad, type GreedyOptions } from './greedy';
import { metricOf } from './metric';
import { percentile } from './numbers';
import { startBenchReceiver, type BenchReceiver } from './receiver';
import { ownCpu, treeCpu } from './process-cpu';
import { serverPids } from './role-processes';
import { figureTable, type Figure } from './table';
import { startHerald } from './worker-process';

const PER_SECOND = 2;
const ALONE_SECONDS = 20;
const BESIDE_SECONDS = 40;
/** B must be back to its own p50 within this time after the load. */
const RECOVERY_SECONDS = 10;
const RECOVERY_LIMIT_SECONDS = 120;
const FLOOD_ONCE_MS = 5_000;
const CROWD = Number(process.env['HERALD_BENCH_CROWD'] ?? 100_000);
const LONGEST_DELAY_MS = 100;

interface Login {
  ms: number;
  failed: boolean;
  steps: Partial<Record<Step, number>>;
}

interface Measured {
  logins: Login[];
  longestDelayMs: number;
  /** Cores that each part has used on average, and those of all other processes of the machine. */
  cores: Record<string, number>;
}

/**
 * Complete logins of project B, alone and beside a greedy project A that keeps to its limits. All roles are in one
 * process, as `npm start` runs them, and nothing is configured: the lane is `workflow`.
 */
export function benchShares(words: string[] = []): Promise<Figure[]> {
  return benchLoginsBeside(chosenLoads(words));
}

export async function benchLoginsBeside(loads: GreedyLoad[]): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  const receiver = await startBenchReceiver();
  const [apiPort, metricsPort] = [await freePort(), await freePort()];
  const herald = await startHerald(bench, {
    roles: 'api,worker,bots',
    env: {
      PORT: String(apiPort),
      HERALD_METRICS_PORT: String(metricsPort),
      // The submissions of a flood come from many addresses.
      ...(loads.includes('form flood') && { HERALD_TRUST_PROXY: '1' }),
      ...profiled(),
    },
  });
  const url = `http://127.0.0.1:${apiPort}`;
  try {
    const b = await bench.createProject('shares-b');
    const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
    let user = 0;
    const login = async (): Promise<Login> => {
      const began = performance.now();
      const steps: Login['steps'] = {};
      const took = (step: Step, ms: number) => void (steps[step] = ms);
      const failed = await completeLogin(url, b.api_key, control, `shares-${user++}`, took).then(
        () => false,
        (error: unknown) => {
          process.stderr.write(`    a login failed: ${String(error)}\n`);
          return true;
        },
      );
      return { ms: performance.now() - began, failed, steps };
    };
    const servers = serverPids(bench.config.HERALD_DATA_DIR);
    const parts = (load: number | null): Record<string, () => number> => ({
      Herald: () => ownCpu(herald.child.pid ?? 0),
      PostgreSQL: () => treeCpu(servers.postgres),
      Temporal: () => treeCpu(servers.temporal),
      'the bench': () => ownCpu(process.pid),
      ...(load === null ? {} : { 'the load': () => ownCpu(load) }),
    });
    const measure = async (seconds: number, load: number | null = null): Promise<Measured> => {
      const coresUsed = watchCores(parts(load));
      const measured = await measureLogins(login, seconds, metricsPort);
      return { ...measured, cores: coresUsed() };
    };
    await measure(5);
    const figures: Figure[] = [];
    for (const load of loads) {
      process.stderr.write(`  beside ${load}\n`);
      const options = await prepare(bench, receiver, url, load);
      if (load === 'form flood') await floodOnce(await prepare(bench, receiver, url, load));
      const alone = await measure(ALONE_SECONDS);
      const elsewhere = load === 'form flood' ? await besideFloodElsewhere(options, measure) : null;
      if (profileFolder) herald.child.kill('SIGUSR2');
      const greedy = await startGreedy(options);
      const beside = await measure(BESIDE_SECONDS, greedy.pid);
      const answers = await greedy.stop();
      if (profileFolder) herald.child.kill('SIGUSR2');
      const p50 = percentile(sorted(alone), 0.5);
      const recovery = await secondsToRecover(login, p50);
      process.stderr.write(`    responses to ${load}: ${JSON.stringify(answers)}\n`);
      process.stderr.write(`    slowest steps: ${slowestSteps(beside)}; alone: ${slowestSteps(alone)}\n`);
      process.stderr.write(`    cores used: ${coresOf(beside)}; alone: ${coresOf(alone)}\n`);
      const compared = compare(load, alone, beside, recovery);
      if (elsewhere) compared.push(...compareElsewhere(elsewhere, beside));
      // At once: the whole takes a quarter of an hour.
      process.stderr.write(`${figureTable(compared)}\n`);
      figures.push(...compared);
    }
    return figures;
  } finally {
    await herald.stop();
    await receiver.stop();
    await bench.stop();
  }
}

/** Those whose names contain one of the words; without words all. */
function chosenLoads(words: string[]): GreedyLoad[] {
  const has = (load: GreedyLoad, word: string) => load.toLowerCase().includes(word.toLowerCase());
  const unknown = words.filter((word) => !greedyLoads.some((load) => has(load, word)));
  if (unknown.length > 0) {
    throw new Error(`There is no load "${unknown.join('", "')}"; there are ${greedyLoads.join(', ')}.`);
  }
  return greedyLoads.filter((load) => words.length === 0 || words.some((word) => has(load, word)));
}

/** `HERALD_BENCH_PROFILE=/tmp/profiles` writes CPU profiles of Herald's process beside each load into that folder. */
const profileFolder = process.env['HERALD_BENCH_PROFILE'];

function profiled(): Record<string, string> {
  if (!profileFolder) return {};
  const script = path.join(__dirname, 'cpu-profile.js');
  return { HERALD_BENCH_PROFILE: profileFolder, NODE_OPTIONS: `--require ${script}` };
}

/** Each login begins at its time, whether or not earlier ones have ended, and every one counts. */
async function measureLogins(
  login: () => Promise<Login>,
  seconds: number,
  metricsPort: number,
): Promise<Omit<Measured, 'cores'>> {
  const began = performance.now();
  const running: Promise<Login>[] = [];
  let longestDelayMs = 0;
  await longestDelay(metricsPort);
  for (let i = 0; i < PER_SECOND * seconds; i += 1) {
    await sleep(Math.max(0, began + (i * 1000) / PER_SECOND - performance.now()));
    running.push(login());
    if (i % PER_SECOND === 0) longestDelayMs = Math.max(longestDelayMs, await longestDelay(metricsPort));
  }
  const logins = await Promise.all(running);
  return { logins, longestDelayMs: Math.max(longestDelayMs, await longestDelay(metricsPort)) };
}

/** Returns a function that tells the cores used since. What others of the machine use explains figures that differ between runs. */
function watchCores(parts: Record<string, () => number>): () => Record<string, number> {
  const read = () => ({
    at: performance.now() / 1000,
    machine: cpus().reduce((sum, { times: { idle: _idle, ...busy } }) => sum + total(busy) / 1000, 0),
    parts: Object.fromEntries(Object.entries(parts).map(([name, cpu]) => [name, cpu()])),
  });
  const before = read();
  return () => {
    const after = read();
    const seconds = after.at - before.at;
    const used = Object.keys(parts).map(
      (name) => [name, ((after.parts[name] ?? NaN) - (before.parts[name] ?? NaN)) / seconds] as const,
    );
    const ours = used.reduce((sum, [, cores]) => sum + cores, 0);
    return { ...Object.fromEntries(used), others: (after.machine - before.machine) / seconds - ours };
  };
}

const total = (times: Record<string, number>) => Object.values(times).reduce((sum, each) => sum + each, 0);

function coresOf({ cores }: Measured): string {
  return Object.entries(cores)
    .map(([name, used]) => `${name} ${used.toFixed(2)}`)
    .join(', ');
}

/** Since the last scrape. */
async function longestDelay(metricsPort: number): Promise<number> {
  const longest = 'herald_event_loop_delay_seconds{quantile="1"}';
  return 1000 * (await metricOf(`http://127.0.0.1:${metricsPort}/metrics`, longest));
}

/** Until five logins in a row are about as fast as before the load. */
async function secondsToRecover(login: () => Promise<Login>, p50: number): Promise<number> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  let inRow = 0;
  let since = 0;
  while (inRow < 5 && seconds() < RECOVERY_LIMIT_SECONDS) {
    const at = seconds();
    const { ms, failed } = await login();
    const isUsual = !failed && ms <= 1.5 * p50;
    if (isUsual && inRow === 0) since = at;
    inRow = isUsual ? inRow + 1 : 0;
  }
  return inRow < 5 ? Infinity : since;
}

function compare(load: GreedyLoad, alone: Measured, beside: Measured, recovery: number): Figure[] {
  const [value, baseline] = [percentile(sorted(beside), 0.99), percentile(sorted(alone), 0.99)];
  const failed = beside.logins.filter((login) => login.failed).length;
  const at = (measured: Measured, share: number) => percentile(sorted(measured), share).toFixed(0);
  return [
    {
      name: `login p99 beside ${load} (p50 ${at(beside, 0.5)} ms, alone ${at(alone, 0.5)} ms)`,
      value: `${value.toFixed(0)} ms`,
      baseline: `alone ${baseline.toFixed(0)} ms`,
      ratio: value / baseline,
      target: 3,
      atMost: true,
    },
    {
      name: `  of ${beside.logins.length} logins, failed`,
      value: String(failed),
      ratio: failed,
      target: 0,
      atMost: true,
    },
    {
      name: '  longest delay of the event loop',
      value: `${beside.longestDelayMs.toFixed(0)} ms`,
      baseline: `goal ${LONGEST_DELAY_MS} ms; alone ${alone.longestDelayMs.toFixed(0)} ms`,
      ratio: beside.longestDelayMs / LONGEST_DELAY_MS,
      target: 1,
      atMost: true,
    },
    {
      name: '  back to its own p50 after the load',
      value: `${recovery.toFixed(1)} s`,
      baseline: `goal ${RECOVERY_SECONDS} s`,
      ratio: recovery / RECOVERY_SECONDS,
      target: 1,
      atMost: true,
    },
  ];
}

/** On another form: the process has answered such requests before, as one that has run for a while, and has compiled what they run. */
async function floodOnce(options: GreedyOptions): Promise<void> {
  const greedy = await startGreedy(options);
  await sleep(FLOOD_ONCE_MS);
  await greedy.stop();
}

/** The flood's own process takes a part of the two cores, which a flood over a network does not. */
async function besideFloodElsewhere(
  options: GreedyOptions,
  measure: (seconds: number, load: number) => Promise<Measured>,
): Promise<Measured> {
  const greedy = await startGreedy({ ...options, url: null });
  const measured = await measure(BESIDE_SECONDS, greedy.pid);
  await greedy.stop();
  return measured;
}

function compareElsewhere(elsewhere: Measured, beside: Measured): Figure[] {
  return [0.5, 0.99].map((share) => {
    const [value, baseline] = [beside, elsewhere].map((measured) => percentile(sorted(measured), share));
    return {
      name: `  login p${100 * share} beside the flood, and beside one that another server gets`,
      value: `${value?.toFixed(0)} ms`,
      baseline: `bare server ${baseline?.toFixed(0)} ms`,
      ratio: (value ?? NaN) / (baseline ?? NaN),
    };
  });
}

function slowestSteps({ logins }: Measured): string {
  const steps: Step[] = ['create', 'open', 'tap to code', 'verify'];
  const slowest = (step: Step) => Math.max(...logins.map((login) => login.steps[step] ?? 0));
  return steps.map((step) => `${step} ${slowest(step).toFixed(0)} ms`).join(', ');
}

/** A failed login counts as long as it took. */
function sorted({ logins }: Measured): number[] {
  return logins.map(({ ms }) => ms).sort((a, b) => a - b);
}

/** A new project with default limits for each load, with what the load needs. */
async function prepare(
  bench: BenchEnvironment,
  receiver: BenchReceiver,
  url: string,
  load: GreedyLoad,
): Promise<GreedyOptions> {
  const index = greedyLoads.indexOf(load);
  const project = await bench.createProject(`shares-a-${randomUUID()}`, { limits: 'default' });
  const { pool } = bench.service.core;
  await pool.query(`UPDATE projects SET plan = 'basic' WHERE id = $1`, [project.id]);
  const a = (path: string, body: unknown) => call(url, project.api_key, 'POST', path, body);
  for (const [turn, event] of eventNames.filter(isPublished).slice(0, 5).entries()) {
    await a('/v1/webhooks', {
      url: receiver.url + (turn === 0 ? '/hang' : '/hook'),
      events: [event],
    });
  }
  if (['four broadcasts', 'rename of a tag', 'hostile batch', 'exports and searches'].includes(load)) {
    const from = 1_000_000_000 * (index + 1);
    await createSimulatorControl(bench.environment.simulator?.url ?? '').addUsers('telegram', {
      count: CROWD,
      from,
    });
    await a('/v1/tags', { name: 'crowd' });
    // A hundred subscribers share each of the first external ids, as many as one may have.
    await pool.query(
      `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang, tags, external_id)
       SELECT $1, 'telegram', n::text, n::text, 'Crowd', 'en', '{crowd}', 'person-' || ((n - $2::bigint) / 100)
       FROM generate_series($2::bigint, $2::bigint + $3 - 1) AS n`,
      [project.id, from, CROWD],
    );
    await pool.query('VACUUM ANALYZE subscribers');
  }
  if (load === 'hostile batch') {
    const text = Array.from({ length: 100 }, (_, place) => `{{v${place % 20}}}`).join(' ');
    await a('/v1/templates', { key: 'hostile', variants: { en: { text } } });
  }
  const form = {
    name: 'Order',
    fields: [{ key: 'size', type: 'text', label_en: 'Size' }],
    allowed_origins: ['*'],
  };
  const { form_id: formId = '' } = load === 'form flood' ? await a('/v1/forms', form) : {};
  const { key, hash, hint } = newApiKey();
  await insertApiKey(pool, { project_id: project.id, hash, hint, scopes: ['publish'] });
  return {
    load,
    url,
    key: project.api_key,
    publishKey: key,
    projectId: project.id,
    externalIds: Array.from({ length: 100 }, (_, place) => `person-${place}`),
    formId,
  };
}
