import { createTestDatabase, type TestDatabase } from '../../support/database';
import { installDatabaseClock, type DatabaseClock } from '../../support/database-clock';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { confirmedSession, type StatusBody } from './fixture';

let database: TestDatabase;
let clock: DatabaseClock;
let service: TestService;
let project: TestProject;

beforeAll(async () => {
  database = await createTestDatabase();
  clock = await installDatabaseClock(database);
  // Its own: it stops the database's clock.
  service = await startTestService({ database, queues: ['logins'] });
  project = await service.createProject();
});
afterEach(() => clock.run());
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

/** A code that is exactly so many seconds old by the database's clock. */
async function codeOfAge(seconds: number, user: string): Promise<{ sessionId: string; code: string }> {
  const { session, status } = await confirmedSession(service, project, user);
  const { rows } = await service.pool.query<{ moment: string }>(
    `SELECT (code_expires_at + make_interval(secs => $2::int - 300))::text AS moment FROM auth_sessions WHERE id = $1`,
    [session.session_id, seconds],
  );
  await clock.stopAt(rows[0]!.moment);
  return { sessionId: session.session_id, code: status.code ?? '' };
}

const verify = (code: string) => project.api('POST', '/v1/auth/verify', { code });

/** The application's clock is an hour wrong: the database's clock rules. */
async function withWrongClock<T>(hours: number, work: () => Promise<T>): Promise<T> {
  const real = Date.now;
  const spy = jest.spyOn(Date, 'now').mockImplementation(() => real() + hours * 3_600_000);
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}

test.each([-1, 1])(
  'a code is accepted at 299 seconds, with the application’s clock wrong by %i hour',
  async (hours) => {
    const { code } = await codeOfAge(299, `at-299-${hours}`);
    const { status } = await withWrongClock(hours, () => verify(code));
    expect(status).toBe(200);
  },
);

test.each([-1, 1])(
  'a code is expired at 301 seconds, with the application’s clock wrong by %i hour',
  async (hours) => {
    const { code } = await codeOfAge(301, `at-301-${hours}`);
    const { status, body } = await withWrongClock(hours, () => verify(code));
    expect([status, body.code]).toEqual([400, 'code_expired']);
  },
);

test('the status poll shows the code with its last second at 299 seconds, and expired at 301', async () => {
  const poll = async (sessionId: string) => {
    await service.pool.query('DELETE FROM auth_polls');
    return (await project.api<StatusBody>('GET', `/v1/auth/session/${sessionId}/status`)).body;
  };
  const young = await codeOfAge(299, 'polled-at-299');
  expect(await poll(young.sessionId)).toMatchObject({ status: 'confirmed', code: young.code, expires_in: 1 });
  await clock.run();
  const old = await codeOfAge(301, 'polled-at-301');
  expect(await poll(old.sessionId)).toEqual({ status: 'expired', expires_in: 0, interval: 2 });
});
