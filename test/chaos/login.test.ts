import { eventually } from '../support/eventually';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import {
  createSession,
  eventsOf,
  lastBotMessage,
  linkOf,
  openAndWait,
  startOf,
  statusInDatabase,
  waitForStatus,
  type CreatedSession,
} from '../system/login/fixture';

jest.setTimeout(180_000);

const env = { HERALD_CODE_TTL_SECONDS: '300' };
let service: TestService;
let worker: HeraldProcess | undefined;

beforeAll(async () => {
  // Its own: its worker is a process that is killed.
  service = await startTestService({ roles: 'api,bots', env });
});
afterEach(async () => {
  await worker?.kill9();
  await service.control.faults('telegram', { clear: true });
});
afterAll(() => service.stop());

const startWorker = async () => {
  worker = await startSecondProcess(service, 'worker', env);
  return worker;
};

async function openedSession(project: TestProject, user: string): Promise<CreatedSession> {
  const session = await createSession(project);
  await openAndWait(service, 'telegram', user, startOf(linkOf(session, 'telegram')));
  return session;
}

/** The login ended once: one code, one credit, one event of each kind, and the chat says so. */
async function expectOneLogin(project: TestProject, session: CreatedSession, user: string): Promise<void> {
  await waitForStatus(service, session.session_id, 'confirmed').catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${(worker?.log ?? []).slice(-20).join('\n')}`);
  });
  await eventually(async () => {
    const last = await lastBotMessage(service, 'telegram', user);
    return last?.edited && last.buttons.length === 0;
  }, 60_000);
  const { rows } = await service.pool.query(
    `SELECT (SELECT count(*) FROM auth_sessions WHERE project_id = $1 AND code_hash IS NOT NULL) AS codes,
            (SELECT count(*) FROM credit_ledger WHERE project_id = $1) AS credits,
            (SELECT count(*) FROM subscribers WHERE project_id = $1) AS subscribers`,
    [project.id],
  );
  expect(rows[0]).toEqual({ codes: 1, credits: 1, subscribers: 1 });
  expect((await eventsOf(service, project)).map((event) => event.name).sort()).toEqual([
    'auth.completed',
    'subscription.created',
  ]);
  const { body } = await project.api('GET', `/v1/auth/session/${session.session_id}/status`);
  expect((await project.api('POST', '/v1/auth/verify', { code: body.code })).status).toBe(200);
}

test('killed before the tap: the next worker completes the login', async () => {
  const project = await service.createProject();
  await (await startWorker()).kill9();
  const session = await openedSession(project, 'before');
  await service.control.tap('telegram', 'before', { button: 'Yes' });
  await eventually(
    async () =>
      (await service.pool.query('SELECT 1 FROM auth_answers WHERE session_id = $1', [session.session_id]))
        .rowCount,
  );
  await startWorker();
  await expectOneLogin(project, session, 'before');
});

test('killed inside the confirming transaction: nothing of it stays, and the next worker does it once', async () => {
  const project = await service.createProject();
  const first = await startWorker();
  const session = await openedSession(project, 'inside');
  const blocker = await service.pool.connect();
  try {
    // The transaction waits for the project's lock while the worker is killed.
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM projects WHERE id = $1 FOR UPDATE', [project.id]);
    await service.control.tap('telegram', 'inside', { button: 'Yes' });
    await eventually(async () => {
      const waiting = await service.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return waiting.rowCount;
    });
    await first.kill9();
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  await startWorker();
  await expectOneLogin(project, session, 'inside');
});

test('killed after the commit and before the edit: the next worker edits, and nothing is done twice', async () => {
  const project = await service.createProject();
  const first = await startWorker();
  const session = await openedSession(project, 'edit');
  const fault = { method: 'editMessageText', times: 1, delay_ms: 60_000, drop: true };
  await service.control.faults('telegram', fault);
  await service.control.tap('telegram', 'edit', { button: 'Yes' });
  await waitForStatus(service, session.session_id, 'confirmed');
  await first.kill9();
  await service.control.faults('telegram', { clear: true });
  await startWorker();
  await expectOneLogin(project, session, 'edit');
});

test('killed while the code waits: the timer goes on in the next worker', async () => {
  const short = { HERALD_CODE_TTL_SECONDS: '3' };
  const project = await service.createProject();
  worker = await startSecondProcess(service, 'worker', short);
  const session = await openedSession(project, 'timer');
  await service.control.tap('telegram', 'timer', { button: 'Yes' });
  // On a slow machine the code may have expired before the test sees it.
  await eventually(async () => (await statusInDatabase(service, session.session_id)) !== 'pending');
  await worker.kill9();
  worker = await startSecondProcess(service, 'worker', short);
  await eventually(async () => {
    const { rows } = await service.pool.query<{ status: string }>(
      'SELECT status FROM auth_sessions WHERE id = $1',
      [session.session_id],
    );
    return rows[0]?.status === 'expired';
  }, 60_000);
  const result = await service.client.workflow.getHandle(`auth/${session.session_id}`).result();
  expect(result).toEqual({ status: 'expired', reason: 'the code was not used in time' });
});
