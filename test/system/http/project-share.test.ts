import { randomUUID } from 'node:crypto';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';

let service: TestService;
let greedy: TestProject;
let other: TestProject;

beforeAll(async () => {
  // Its own: its pools are impatient, and a wait for a lock lasts as long as the test needs.
  const limits = { HERALD_STATEMENT_TIMEOUT_SECONDS: '120', HERALD_LOCK_TIMEOUT_SECONDS: '120' };
  service = await startTestService({ roles: 'api', env: limits });
  const { login, requests } = service.service.core.pools;
  for (const pool of [login, requests]) pool.shareWaitMs = 1_000;
  [greedy, other] = [await service.createProject(), await service.createProject()];
});
afterAll(() => service.stop());

/** Runs `work` while a transaction holds the project's row. */
async function whileLocked<T>(project: TestProject, work: () => Promise<T>): Promise<T> {
  const lock = await service.pool.connect();
  try {
    await lock.query('BEGIN');
    await lock.query('SELECT 1 FROM projects WHERE id = $1 FOR NO KEY UPDATE', [project.id]);
    return await work();
  } finally {
    await lock.query('ROLLBACK');
    lock.release();
  }
}

/** More than the connections of a process. */
const MANY = 25;
const SHARE = 3;

test.each([
  ['logins', (project: TestProject) => project.api('POST', '/v1/auth/session', { state: 'st-1' })],
  [
    'other requests',
    (project: TestProject) => project.api('POST', '/v1/tags', { name: randomUUID().slice(0, 8) }),
  ],
])(
  '%s of a project that wait for the database get 503, and another project notices nothing',
  async (_name, send) => {
    const { own, others } = await whileLocked(greedy, async () => {
      let refused = 0;
      const sent = Array.from({ length: MANY }, async () => {
        const response = await send(greedy);
        refused += 1;
        return response;
      });
      await eventually(async () => (await lockWaits()) === SHARE);
      const served = [];
      for (let n = 0; n < 10; n += 1) {
        served.push(
          (await other.api('POST', '/v1/auth/session', { state: 'st-1' })).status,
          (await send(other)).status,
        );
      }
      await eventually(() => refused === MANY - SHARE);
      return { own: sent, others: served };
    });
    expect(others).toEqual(others.map(() => 201));
    const responses = await Promise.all(own);
    const unavailable = responses.filter(({ status }) => status !== 201);
    expect(unavailable).toHaveLength(MANY - SHARE);
    for (const { status, body, headers } of unavailable) {
      expect([status, body.code]).toEqual([503, 'service_unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await send(greedy)).status).toBe(201);
  },
);

async function lockWaits(): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return rows[0]?.count ?? 0;
}
