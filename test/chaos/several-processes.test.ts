import { limits } from '../../src/base/contract/limits';
import { createSession, linkOf, openAndWait, startOf, waitForStatus } from '../system/login/fixture';
import { eventually, SOON_MS } from '../support/eventually';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { createEndpoint, emitOne, scriptedReceiver, type ScriptedReceiver } from '../system/webhooks/fixture';

jest.setTimeout(120_000);

/** Two whole services of one installation: one database, one prefix of task queues, the same bots. */
let first: TestService;
let second: TestService;
let receiver: ScriptedReceiver;
beforeAll(async () => {
  // Its own: two processes of one installation.
  first = await startTestService({ queues: ['logins', 'deliveries'] });
  second = await startTestService({
    queues: ['logins', 'deliveries'],
    database: first.database,
    simulator: first.simulator,
    queuePrefix: first.queuePrefix,
  });
  receiver = await scriptedReceiver(200);
});
afterAll(async () => {
  await second?.stop();
  await first?.stop();
  await receiver?.close();
});

/** The project's calls, now at one process and now at the other. */
function inTurns(project: TestProject) {
  const apis = [first, second].map((service) => service.apiWith(project.api_key));
  return (n: number) => apis[n % 2]!;
}

const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

test('the limit of requests is exact over both', async () => {
  const project = await first.createProject({ requests_per_minute: 40 });
  const at = inTurns(project);
  const answers = await times(70, (n) => at(n)('GET', '/v1/event-types'));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
});

test('the limit of sessions is exact over both', async () => {
  const project = await first.createProject({ sessions_per_hour: 5 });
  const at = inTurns(project);
  const answers = await times(12, (n) => at(n)('POST', '/v1/auth/session', { state: `s-${n}` }));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
});

test('the limit of endpoints is exact over both', async () => {
  const project = await first.createProject();
  const at = inTurns(project);
  const answers = await times(10, (n) => at(n)('POST', '/v1/webhooks', { url: `${receiver.url}/${n}` }));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(limits.webhookEndpoints);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(10 - limits.webhookEndpoints);
});

test('a key that one process revokes is refused by the other, too', async () => {
  const project = await first.createProject();
  const at = inTurns(project);
  const { body } = await at(0)<{ id: string; api_key: string }>('POST', '/v1/keys', {});
  const other = second.apiWith(body.api_key);
  expect((await other('GET', '/v1/event-types')).status).toBe(200);
  expect((await at(0)('DELETE', `/v1/keys/${body.id}`)).status).toBe(204);
  await eventually(async () => (await other('GET', '/v1/event-types')).status === 401, SOON_MS);
});

test('each delivery is started once and arrives once, and a receiver sees no more at a time than its share', async () => {
  let open = 0;
  let most = 0;
  receiver.behave((res) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open -= 1;
      res.end();
    }, 100);
  });
  const project = await first.createProject();
  const endpoint = await createEndpoint(project, receiver.url, { delivery_lane: 'workflow' });
  const count = 3 * limits.webhookConcurrencyPerEndpoint;
  const ids = await times(count, (n) => emitOne(n % 2 ? first : second, project, endpoint.id));
  await eventually(async () => {
    const { rows } = await first.pool.query<{ status: string; count: number }>(
      'SELECT status, count(*)::int FROM deliveries WHERE endpoint_id = $1 GROUP BY status',
      [endpoint.id],
    );
    return rows.length === 1 && rows[0]?.status === 'succeeded';
  }, 60_000);
  expect(ids.map((id) => receiver.of(id).length)).toEqual(ids.map(() => 1));
  expect(most).toBeLessThanOrEqual(limits.webhookConcurrencyPerEndpoint);
  await eventually(async () => {
    const query = `TaskQueue = '${first.queuePrefix}-deliveries' AND EndpointId = '${endpoint.id}'`;
    expect((await first.client.workflow.count(query)).count).toBe(count);
    return true;
  });
});

test('every update is handled by one process only: one question, one code, one credit, one event for each user', async () => {
  const project = await first.createProject();
  await createEndpoint(project, receiver.url, { events: ['auth.completed'] });
  const at = inTurns(project);
  const users = Array.from({ length: 8 }, (_, n) => ({
    user: `several-${n}`,
    channel: n % 2 ? ('telegram' as const) : ('max' as const),
  }));
  const sessions = await times(users.length, async (n) => {
    const { user, channel } = users[n]!;
    const session = await createSession({ ...project, api: at(n) });
    await openAndWait(first, channel, user, startOf(linkOf(session, channel)));
    // Twice, as impatient people do.
    await Promise.all([0, 1].map(() => first.control.tap(channel, user, { button: 'Yes' }).catch(() => {})));
    await waitForStatus(first, session.session_id, 'confirmed');
    return session;
  });
  const codes = await times(users.length, async (n) => {
    const { body } = await at(n + 1)('GET', `/v1/auth/session/${sessions[n]!.session_id}/status`);
    const verified = await times(2, (turn) => at(turn)('POST', '/v1/auth/verify', { code: body.code }));
    expect(verified.map(({ status }) => status).sort()).toEqual([200, 409]);
    return body.code as string;
  });
  expect(new Set(codes).size).toBe(users.length);
  for (const { user, channel } of users) {
    const { messages } = await first.control.chat(channel, user);
    expect(messages.filter((message) => message.from === 'bot')).toHaveLength(1);
  }
  const { rows } = await first.pool.query<{ credits: number; events: number }>(
    `SELECT (SELECT count(*)::int FROM credit_ledger WHERE project_id = $1) AS credits,
       (SELECT count(*)::int FROM events WHERE project_id = $1 AND name = 'auth.completed') AS events`,
    [project.id],
  );
  expect(rows[0]).toEqual({ credits: users.length, events: users.length });
});

test('when one of the two stops, the other takes over everything', async () => {
  receiver.behave(200);
  const project = await first.createProject();
  const endpoint = await createEndpoint(project, receiver.url);
  const ids = await times(20, () => emitOne(first, project, endpoint.id));
  await first.service.stop();
  const more = await times(20, () => emitOne(second, project, endpoint.id));
  await eventually(() => [...ids, ...more].every((id) => receiver.of(id).length > 0), 60_000);
  const session = await createSession({ ...project, api: second.apiWith(project.api_key) });
  await openAndWait(second, 'telegram', 'left-alone', startOf(session.telegram_link));
  await second.control.tap('telegram', 'left-alone', { button: 'Yes' });
  await waitForStatus(second, session.session_id, 'confirmed');
  expect([...ids, ...more].map((id) => receiver.of(id).length)).toEqual([...ids, ...more].map(() => 1));
});
