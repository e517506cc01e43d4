import { claimOverdueSessions, findOpenSession } from '../../../src/domains/login/queries/starts';
import { startSessionRelay } from '../../../src/domains/login/relay';
import { createSessionStarter } from '../../../src/domains/login/workflow-client';
import { workflowIds } from '../../../src/base/temporal/names';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  confirmedSession,
  createSession,
  lastBotMessage,
  openAndWait,
  startOf,
  statusInDatabase,
  waitForStatus,
  type CreatedSession,
} from './fixture';

let service: TestService;
let worker: TestService | undefined;
let project: TestProject;
beforeAll(async () => {
  // Its own: its worker starts when a test says so.
  service = await startTestService({ roles: 'api,bots' });
  project = await service.createProject({ callback_url: 'https://shop.example/cb' });
});
afterEach(async () => {
  await worker?.service.stop();
  worker = undefined;
});
afterAll(() => service.stop());

async function startWorker(): Promise<void> {
  const { database, simulator, queuePrefix } = service;
  worker = await startTestService({
    roles: 'worker',
    queues: ['logins'],
    database,
    simulator,
    queuePrefix,
  });
}

const handleOf = ({ session_id: id }: CreatedSession) =>
  service.client.workflow.getHandle(workflowIds.authSession(id));

async function opened(user: string): Promise<CreatedSession> {
  const session = await createSession(project);
  // The API leaves a start that takes longer than a second to the relay, which does not run here.
  const open = await findOpenSession(service.pool, session.session_id);
  if (open) await createSessionStarter(service.service.core).start(open, 20_000);
  await openAndWait(service, 'telegram', user, startOf(session.telegram_link));
  return session;
}

/** The answer is stored, and its signal has been sent. */
async function answered({ session_id: id }: CreatedSession): Promise<void> {
  await eventually(async () => {
    const answers = await service.pool.query('SELECT 1 FROM auth_answers WHERE session_id = $1', [id]);
    const unhandled = await service.pool.query('SELECT 1 FROM bot_updates WHERE handled_at IS NULL');
    return answers.rowCount === 1 && unhandled.rowCount === 0;
  });
}

/** As if a minute had passed since the answer, or since the end. */
async function age({ session_id: id }: CreatedSession): Promise<void> {
  const minute = `interval '1 minute'`;
  await service.pool.query(
    `UPDATE auth_answers SET received_at = received_at - ${minute} WHERE session_id = $1`,
    [id],
  );
}

async function pass({ session_id: id }: CreatedSession, column: string): Promise<void> {
  await service.pool.query(`UPDATE auth_sessions SET ${column} = now() - interval '1 minute' WHERE id = $1`, [
    id,
  ]);
}

async function reconciled<T>(until: () => Promise<T>): Promise<T> {
  const { core } = service.service;
  const relay = startSessionRelay({ ...core, starter: createSessionStarter(core), overdueSweepMs: 0 });
  try {
    return await until();
  } finally {
    await relay.stop();
  }
}

describe('a session whose workflow was terminated', () => {
  test('completes with the Yes that was stored before', async () => {
    const session = await opened('terminated-yes');
    await service.control.tap('telegram', 'terminated-yes', { button: 0 });
    await answered(session);
    await handleOf(session).terminate('by a test');
    await startWorker();
    expect(await statusInDatabase(service, session.session_id)).toBe('pending');
    await age(session);
    await reconciled(() => waitForStatus(service, session.session_id, 'confirmed'));
    const { rows } = await service.pool.query('SELECT source FROM credit_ledger WHERE session_id = $1', [
      session.session_id,
    ]);
    expect(rows).toHaveLength(1);
    await eventually(
      async () => (await lastBotMessage(service, 'telegram', 'terminated-yes'))?.buttons.length === 0,
    );
  });

  test('completes at once with a Yes that comes later', async () => {
    const session = await opened('tap-later');
    await handleOf(session).terminate('by a test');
    await startWorker();
    await service.control.tap('telegram', 'tap-later', { button: 0 });
    await waitForStatus(service, session.session_id, 'confirmed');
  });

  test('expires without an answer', async () => {
    const session = await opened('terminated-nobody');
    await handleOf(session).terminate('by a test');
    await startWorker();
    await pass(session, 'expires_at');
    await reconciled(() => waitForStatus(service, session.session_id, 'expired'));
    await eventually(
      async () => (await lastBotMessage(service, 'telegram', 'terminated-nobody'))?.buttons.length === 0,
    );
  });

  test('expires its code', async () => {
    await startWorker();
    const { session } = await confirmedSession(service, project, 'terminated-code');
    await handleOf(session).terminate('by a test');
    await pass(session, 'code_expires_at');
    await reconciled(() => waitForStatus(service, session.session_id, 'expired'));
  });
});

test('a static link that is opened again after its session has ended keeps the Yes that was stored in time', async () => {
  const start = `auth_${project.slug}`;
  await openAndWait(service, 'telegram', 'static-again', start);
  const sessions = async () => {
    const { rows } = await service.pool.query<{ session_id: string; status: string }>(
      `SELECT id AS session_id, status FROM auth_sessions WHERE project_id = $1 AND flow = 'static'`,
      [project.id],
    );
    return rows;
  };
  const [session] = (await sessions()) as unknown as CreatedSession[];
  await service.control.tap('telegram', 'static-again', { button: 0 });
  await answered(session!);
  await service.pool.query('UPDATE auth_sessions SET expires_at = clock_timestamp() WHERE id = $1', [
    session!.session_id,
  ]);
  await openAndWait(service, 'telegram', 'static-again', start);
  expect(await sessions()).toEqual([{ session_id: session!.session_id, status: 'pending' }]);
  await startWorker();
  await waitForStatus(service, session!.session_id, 'confirmed');
});

test('a session whose workflow runs keeps it, and is claimed again only after two minutes', async () => {
  const session = await opened('running');
  await service.control.tap('telegram', 'running', { button: 0 });
  await answered(session);
  const { runId } = await handleOf(session).describe();
  expect(await claimOverdueSessions(service.pool, 10)).toEqual([]);
  await age(session);
  await reconciled(() =>
    eventually(async () => {
      const { rows } = await service.pool.query<{ done: boolean }>(
        `SELECT start_leased_until > now() + interval '1 minute' AS done FROM auth_sessions WHERE id = $1`,
        [session.session_id],
      );
      return rows[0]?.done;
    }),
  );
  expect((await handleOf(session).describe()).runId).toBe(runId);
  expect(await claimOverdueSessions(service.pool, 10)).toEqual([]);
});
