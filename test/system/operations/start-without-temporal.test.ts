import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createSession, openAndWait, startOf } from '../login/fixture';
import { createEndpoint, emitOne, scriptedReceiver, untilStatus } from '../webhooks/fixture';

/** Nothing listens there. */
const temporalAddress = '127.0.0.1:9';

/** Its own: Temporal is unavailable when its processes start. The second one, which waits for it, is stopped in its start. */
let api: TestService;
let project: TestProject;
let waiting: Promise<unknown>;
const stopping = new AbortController();

beforeAll(async () => {
  api = await startTestService({ roles: 'api', lane: 'express', temporalAddress });
  project = await api.createProject();
  waiting = startTestService({
    roles: 'worker,bots',
    lane: 'express',
    temporalAddress,
    database: api.database,
    simulator: api.simulator,
    queuePrefix: api.queuePrefix,
    signal: stopping.signal,
  });
  // Awaited at the end.
  waiting.catch(() => {});
});

afterAll(async () => {
  stopping.abort();
  await expect(waiting).rejects.toThrow(/abort/i);
  await api?.stop();
});

test('a process that starts while Temporal is unavailable asks the user, and stores the tap in time', async () => {
  const session = await createSession(project);
  await openAndWait(api, 'telegram', 'early', startOf(session.telegram_link));
  await api.control.tap('telegram', 'early', { button: 'Yes' });
  await eventually(async () => {
    const { rows } = await api.pool.query(
      `SELECT 1 FROM auth_answers a JOIN auth_sessions s ON s.id = a.session_id
       WHERE s.id = $1 AND a.answer = 'yes' AND a.received_at < s.expires_at`,
      [session.session_id],
    );
    return rows.length === 1;
  });
});

test('a process that starts while Temporal is unavailable delivers in the express lane', async () => {
  const receiver = await scriptedReceiver();
  try {
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(api, project, endpoint.id);
    await untilStatus(project, id, 'succeeded');
    expect(receiver.of(id)).toHaveLength(1);
  } finally {
    await receiver.close();
  }
});
