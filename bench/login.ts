import { randomUUID } from 'node:crypto';
import { randomToken256, sha256 } from '../src/lib/tokens';
import { createSimulatorControl } from '../test/support/simulator-control';
import { startBareRoute } from './bare-route';
import { completeLogin, type Step } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { runLoads, type LoadSide } from './load';
import { percentile } from './numbers';
import type { Figure } from './table';

const LOGINS = 60;
const AT_ONCE = 4;
const ROWS = 60_000;
const TURNS = { seconds: 16, turns: 64 };
const IN_FLIGHT = 32;

/** Complete logins, then the status poll and verify beside a bare Koa + pg route, all in one run. */
export async function benchLogin(): Promise<Figure[]> {
  const bench = await startBench();
  try {
    return [...(await completeLogins(bench)), ...(await besideBareRoute(bench))];
  } finally {
    await bench.stop();
  }
}

async function completeLogins(bench: BenchEnvironment): Promise<Figure[]> {
  const project = await bench.createProject('bench-login');
  const control = createSimulatorControl(bench.environment.simulator?.url ?? '');
  const times: Record<Step, number[]> = { create: [], open: [], 'tap to code': [], verify: [] };
  const login = (user: string) =>
    completeLogin(bench.service.apiUrl ?? '', project.api_key, control, user, (step, ms) =>
      times[step].push(ms),
    );
  const began = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < LOGINS) await login(`bench-${next++}`);
    }),
  );
  const perSecond = LOGINS / ((performance.now() - began) / 1000);
  const spread = (values: number[]) => {
    const sorted = [...values].sort((a, b) => a - b);
    return [0.5, 0.95, 0.99].map((share) => percentile(sorted, share).toFixed(0)).join(' / ');
  };
  return [
    { name: `complete logins per second (${AT_ONCE} at once)`, value: perSecond.toFixed(1) },
    ...Object.entries(times).map(([name, values]) => ({
      name: `${name}: p50 / p95 / p99 ms`,
      value: spread(values),
    })),
  ];
}

async function besideBareRoute(bench: BenchEnvironment): Promise<Figure[]> {
  const { pool } = bench.service.core;
  const project = await bench.createProject('bench-rates');
  const sessions = await insertSessions(bench, project.id);
  const bare = await startBareRoute(bench.environment.databaseUrl, 'auth_sessions');
  await pool.query('VACUUM ANALYZE auth_sessions');
  const headers = { authorization: `Bearer ${project.api_key}` };
  const url = bench.service.apiUrl ?? '';
  const baseline: LoadSide = {
    url: bare.url,
    headers,
    repeat: true,
    requests: sessions.map(({ id }) => ({ method: 'GET', path: `/bare/${id}` })),
  };
  const figure = async (
    name: string,
    own: Asked,
    good: number,
    { target, inFlight = IN_FLIGHT }: { target?: number; inFlight?: number },
  ): Promise<Figure> => {
    const sides = [baseline, { url, headers, ...own }];
    const [bareLoad, load] = await runLoads({ ...TURNS, concurrency: inFlight, sides });
    if (!bareLoad || !load) throw new Error('a load has no result');
    const share = (load.byStatus[good] ?? 0) / load.count;
    return {
      name: `${name} per second, ${inFlight} in flight (${(share * 100).toFixed(0)} % ${good})`,
      value: `${load.perSecond.toFixed(0)} (p99 ${load.p99.toFixed(1)} ms)`,
      baseline: `bare route ${bareLoad.perSecond.toFixed(0)}`,
      ratio: load.perSecond / bareLoad.perSecond,
      ...(target === undefined ? {} : { target }),
    };
  };
  try {
    const creation = { method: 'POST' as const, path: '/v1/auth/session', body: { state: 'bench' } };
    return [
      await figure('status poll', polls(sessions), 200, { target: 0.6 }),
      await figure('verify', verifications(sessions), 200, { target: 0.4 }),
      // Last, because it leaves workflows to be started behind it.
      await figure('session creation', { requests: [creation], repeat: true }, 201, { target: 0.4 }),
      await figure('session creation', { requests: [creation], repeat: true }, 201, { inFlight: 16 }),
    ];
  } finally {
    await bare.stop();
  }
}

type Asked = Pick<LoadSide, 'requests' | 'repeat'>;

export function polls(sessions: { id: string }[]): Asked {
  return {
    requests: sessions.map(({ id }) => ({ method: 'GET', path: `/v1/auth/session/${id}/status` })),
    repeat: true,
  };
}

/** A code works once. */
export function verifications(sessions: { code: string }[]): Asked {
  return {
    requests: sessions.map(({ code }) => ({ method: 'POST', path: '/v1/auth/verify', body: { code } })),
    repeat: false,
  };
}

/** Confirmed sessions with known codes, written straight into the table. */
export async function insertSessions(
  bench: BenchEnvironment,
  projectId: string,
  count = ROWS,
): Promise<{ id: string; code: string }[]> {
  const { pool, cipher } = bench.service.core;
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     VALUES ($1, 'telegram', 'bench', 'bench', 'Bench', 'en')
     ON CONFLICT (project_id, channel, platform_user_id) DO UPDATE SET lang = 'en' RETURNING id`,
    [projectId],
  );
  const sessions = Array.from({ length: count }, () => ({ id: randomUUID(), code: randomToken256() }));
  await pool.query(
    `INSERT INTO auth_sessions (id, project_id, flow, status, state, expires_at, workflow_started_at, subscriber_id,
       code_hash, code_sealed, code_expires_at)
     SELECT id, $1, 'session', 'confirmed', 'bench', now() + interval '1 hour', now(), $2, hash, sealed, now() + interval '1 hour'
     FROM unnest($3::uuid[], $4::bytea[], $5::text[]) AS given (id, hash, sealed)`,
    [
      projectId,
      rows[0]?.id,
      sessions.map(({ id }) => id),
      sessions.map(({ code }) => sha256(code)),
      sessions.map(({ code }) => cipher.encrypt(code, 'auth_code')),
    ],
  );
  return sessions;
}
