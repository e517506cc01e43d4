import { randomUUID } from 'node:crypto';
import { randomToken256, sha256 } from '../src/base/lib/tokens';
import { startBareRoute } from './bare-route';
import type { BenchEnvironment } from './environment';
import { runLoads, type LoadSide } from './load';
import type { Figure } from './table';

const SESSIONS = 60_000;
const IN_FLIGHT = 32;
const TURNS = { seconds: 16, turns: 64 };

/** The status poll and verify, through authentication and the request limit, beside a bare Koa + pg route. */
export async function measureLoginRoutes(bench: BenchEnvironment): Promise<Figure[]> {
  const project = await bench.createProject('bench-routes');
  const sessions = await insertSessions(bench, project.id);
  await bench.service.core.pool.query('VACUUM ANALYZE auth_sessions');
  const bare = await startBareRoute(bench.environment.databaseUrl, 'auth_sessions');
  const headers = { authorization: `Bearer ${project.api_key}` };
  const baseline: LoadSide = {
    url: bare.url,
    headers,
    repeat: true,
    requests: sessions.map(({ id }) => ({ method: 'GET', path: `/bare/${id}` })),
  };
  const measure = async (name: string, own: Requests, target: number): Promise<Figure> => {
    process.stderr.write(`  ${name}\n`);
    const sides = [baseline, { url: bench.service.apiUrl ?? '', headers, ...own }];
    const [bareLoad, load] = await runLoads({ ...TURNS, concurrency: IN_FLIGHT, sides });
    if (!bareLoad || !load) throw new Error('a load has no result');
    const share = (load.byStatus[200] ?? 0) / load.count;
    return {
      name: `${name} per second, ${IN_FLIGHT} in flight (${(share * 100).toFixed(0)} % 200)`,
      value: `${load.perSecond.toFixed(0)} (p99 ${load.p99.toFixed(1)} ms)`,
      baseline: `bare route ${bareLoad.perSecond.toFixed(0)}`,
      ratio: load.perSecond / bareLoad.perSecond,
      target,
    };
  };
  try {
    return [
      await measure('status poll', polls(sessions), 0.5),
      await measure('verify', verifications(sessions), 0.4),
    ];
  } finally {
    await bare.stop();
  }
}

type Requests = Pick<LoadSide, 'requests' | 'repeat'>;

export function polls(sessions: { id: string }[]): Requests {
  return {
    requests: sessions.map(({ id }) => ({ method: 'GET', path: `/v1/auth/session/${id}/status` })),
    repeat: true,
  };
}

/** A code works once. */
export function verifications(sessions: { code: string }[]): Requests {
  return {
    requests: sessions.map(({ code }) => ({ method: 'POST', path: '/v1/auth/verify', body: { code } })),
    repeat: false,
  };
}

/** Confirmed sessions with known codes, written straight into the table. */
export async function insertSessions(
  bench: BenchEnvironment,
  projectId: string,
  count = SESSIONS,
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
      sessions.map(({ id, code }) => cipher.encrypt(code, 'auth_code', id)),
    ],
  );
  return sessions;
}
