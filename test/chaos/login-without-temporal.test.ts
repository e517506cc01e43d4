import { claimUnstartedSessions } from '../../src/domains/login/queries/starts';
import { eventually, SOON_MS } from '../support/eventually';
import { startTestService, type TestService } from '../support/service';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { subscribePerson } from '../system/messages/fixture';
import {
  createSession,
  eventsOf,
  openAndWait,
  startOf,
  waitForStatus,
  type StatusBody,
} from '../system/login/fixture';

jest.setTimeout(120_000);

let proxy: TcpProxy;
let service: TestService;
beforeAll(async () => {
  const port = Number(process.env['HERALD_TEST_TEMPORAL_ADDRESS']?.split(':')[1]);
  proxy = await startTcpProxy(port);
  // Its own: Temporal is unavailable for it.
  service = await startTestService({ temporalAddress: `127.0.0.1:${proxy.port}`, queues: ['logins'] });
});
afterAll(async () => {
  await service.stop();
  await proxy.close();
});

test('Temporal is unavailable at the tap: after its return the login completes, once', async () => {
  const project = await service.createProject();
  const session = await createSession(project);
  await openAndWait(service, 'telegram', 'tapped', startOf(session.telegram_link));
  await proxy.close();
  await service.control.tap('telegram', 'tapped', { button: 'Yes' });
  await eventually(async () => {
    const { rows } = await service.pool.query<{ failures: number }>(
      'SELECT max(failures) AS failures FROM bot_updates WHERE last_error IS NOT NULL',
    );
    return rows.length > 0 && rows[0]?.failures !== null;
  });
  // Polls need Postgres only.
  const poll = await project.api<StatusBody>('GET', `/v1/auth/session/${session.session_id}/status`);
  expect(poll.body.status).toBe('pending');
  await proxy.open();
  await eventually(async () => {
    await waitForStatus(service, session.session_id, 'confirmed');
    return true;
  }, 60_000);
  expect((await eventsOf(service, project)).map((event) => event.name).sort()).toEqual([
    'auth.completed',
    'subscription.created',
  ]);
});

test('Temporal is unavailable when a session and an approval are cancelled: the bot says so soon after its return, long before their end', async () => {
  const project = await service.createProject();
  const session = await createSession(project);
  await openAndWait(service, 'telegram', 'cancelled', startOf(session.telegram_link));
  const { subscriberId, name } = await subscribePerson(service, project);
  const { body: request } = await project.api('POST', '/v1/auth/requests', {
    subscriber_id: subscriberId,
    message: 'Approve the payment?',
  });
  const isShown = async (user: string, part: string, edited: boolean) => {
    const { messages } = await service.control.chat('telegram', user);
    return messages.some((message) => message.edited === edited && message.text.includes(part));
  };
  await eventually(() => isShown(name, 'Approve the payment?', false));
  await proxy.close();
  const cancelled = await Promise.all(
    [`session/${session.session_id}`, `requests/${request.request_id}`].map((path) =>
      project.api<StatusBody>('DELETE', `/v1/auth/${path}`),
    ),
  );
  expect(cancelled.map(({ status, body }) => [status, body.status])).toEqual([
    [200, 'expired'],
    [200, 'expired'],
  ]);
  await proxy.open();
  const ids = [session.session_id, request.request_id as string];
  // The requests have given up; without waiting for the end of their leases.
  await service.pool.query('UPDATE auth_sessions SET start_leased_until = now() WHERE id = ANY ($1)', [ids]);
  await eventually(() => isShown('cancelled', 'has expired', true), 60_000);
  await eventually(() => isShown(name, 'has expired', true), 60_000);
  await eventually(async () => {
    const { rows } = await service.pool.query(
      'SELECT 1 FROM auth_sessions WHERE id = ANY ($1) AND workflow_started_at IS NOT NULL',
      [ids],
    );
    return rows.length === 2;
  });
});

test('Temporal is unavailable when a session is created: 201 after a second, and the relay starts it later', async () => {
  const project = await service.createProject();
  await proxy.close();
  const began = performance.now();
  const session = await createSession(project);
  const tookMs = performance.now() - began;
  // The API waits a second for Temporal and no longer.
  expect(tookMs).toBeGreaterThan(900);
  expect(tookMs).toBeLessThan(SOON_MS);
  await proxy.open();
  await eventually(async () => {
    const { status } = await service.client.workflow.getHandle(`auth/${session.session_id}`).describe();
    return status.name === 'RUNNING';
  }, 60_000);
});

test('the relay leaves a new session alone for five seconds, whether or not it was started', async () => {
  const alone = await startTestService({ roles: 'api', temporalAddress: '127.0.0.1:9' });
  const { pool } = alone;
  const lease = (sessionId: string, seconds: number) =>
    pool.query(
      `UPDATE auth_sessions SET start_leased_until = clock_timestamp() + make_interval(secs => $2) WHERE id = $1`,
      [sessionId, seconds],
    );
  try {
    const project = await alone.createProject();
    const { session_id: id } = await createSession(project);
    const { rows } = await pool.query<{ lease: number; started: boolean }>(
      `SELECT extract(epoch FROM start_leased_until - created_at)::float8 AS lease, workflow_started_at IS NOT NULL AS started
       FROM auth_sessions WHERE id = $1`,
      [id],
    );
    expect(rows[0]?.started).toBe(false);
    expect(rows[0]?.lease).toBeCloseTo(5, 0);
    // As at its beginning, however long the test has taken.
    await lease(id, 60);
    expect(await claimUnstartedSessions(pool, 10)).toEqual([]);

    await lease(id, -1);
    const claimed = await claimUnstartedSessions(pool, 10);
    expect(claimed).toEqual([
      {
        id,
        project_id: project.id,
        project_slug: project.slug,
        flow: 'session',
        cancelled: false,
        wait_ms: expect.any(Number) as number,
      },
    ]);
    expect(await claimUnstartedSessions(pool, 10)).toEqual([]);
  } finally {
    await alone.stop();
  }
});
