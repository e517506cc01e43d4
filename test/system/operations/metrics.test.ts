import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { startTestService, type TestService } from '../../support/service';
import { eventually } from '../../support/eventually';
import {
  confirmedSession,
  createSession,
  linkOf,
  openAndWait,
  startOf,
  waitForStatus,
} from '../login/fixture';
import { createEndpoint, emitOne, scriptedReceiver, untilAttempts, untilStatus } from '../webhooks/fixture';
import { scrape } from './fixture';

let service: TestService;
beforeAll(async () => {
  // Its own: its metrics since the start.
  service = await startTestService({ queues: ['logins', 'deliveries'] });
});
afterAll(() => service?.stop());

const look = () => scrape(service.service.operatorsUrl);

test('a request is counted by its route, never by its address, and a refusal by its code', async () => {
  const project = await service.createProject({ requests_per_minute: 3 });
  const session = await createSession(project);
  await project.api('GET', `/v1/auth/session/${session.session_id}/status`);
  await project.api('GET', '/v1/event-types');
  expect((await project.api('GET', '/v1/event-types')).status).toBe(429);
  await fetch(`${service.url}/nowhere/private-address`);

  const page = await look();
  const route = '/v1/auth/session/{id}/status';
  expect(page.value('herald_http_requests_total', { route, method: 'GET', status: '2xx' })).toBe(1);
  expect(page.value('herald_http_request_duration_seconds_count', { route, method: 'GET' })).toBe(1);
  expect(page.value('herald_http_errors_total', { code: 'rate_limit_project' })).toBe(1);
  expect(page.value('herald_http_requests_total', { route: 'none', status: '4xx' })).toBe(1);
  expect(page.text).not.toContain(session.session_id);
  expect(page.text).not.toContain(project.id);
  expect(page.text).not.toContain('private-address');
});

test('logins are counted by their outcome, updates and platform calls by theirs', async () => {
  const project = await service.createProject();
  await confirmedSession(service, project, 'metrics-yes');
  const declined = await createSession(project);
  await openAndWait(service, 'max', 'metrics-no', startOf(linkOf(declined, 'max')));
  await service.control.tap('max', 'metrics-no', { button: 'No' });
  await waitForStatus(service, declined.session_id, 'declined');

  await eventually(async () => {
    const page = await look();
    expect(page.value('herald_login_sessions_total', { outcome: 'confirmed' })).toBe(1);
    expect(page.value('herald_login_sessions_total', { outcome: 'declined' })).toBe(1);
    for (const channel of ['telegram', 'max']) {
      expect(page.value('herald_bot_updates_total', { channel, outcome: 'received' })).toBe(2);
      expect(page.value('herald_bot_updates_total', { channel, outcome: 'handled' })).toBe(2);
      expect(page.value('herald_platform_calls_total', { channel, call: 'send', result: 'ok' })).toBe(1);
    }
    return true;
  });
});

test('a platform that refuses shows in its calls by the reason', async () => {
  await service.control.faults('telegram', { user: 'metrics-fault', method: 'sendMessage', status: 500 });
  await service.control.say('telegram', 'metrics-fault', 'hello');
  await eventually(async () => {
    const page = await look();
    expect(page.value('herald_platform_calls_total', { call: 'send', result: 'platform_unavailable' })).toBe(
      1,
    );
    expect(page.value('herald_bot_updates_total', { channel: 'telegram', outcome: 'failed' })).toBe(1);
    return true;
  });
});

test('attempts are counted by verdict and result, deliveries by their end, the relay by what it carried', async () => {
  const project = await service.createProject();
  const receiver = await scriptedReceiver(200);
  const good = await createEndpoint(project, receiver.url, { delivery_lane: 'workflow' });
  await untilStatus(project, await emitOne(service, project, good.id), 'succeeded');
  receiver.behave(503);
  await untilAttempts(project, await emitOne(service, project, good.id), 1);
  receiver.behave(410);
  await untilStatus(project, await emitOne(service, project, good.id), 'failed');
  await receiver.close();

  // They are counted right after the commit.
  await eventually(async () => {
    const page = await look();
    expect(page.value('herald_webhook_attempts_total', { verdict: 'success', result: '2xx' })).toBe(1);
    expect(page.value('herald_webhook_attempts_total', { verdict: 'retry', result: '5xx' })).toBe(1);
    expect(page.value('herald_webhook_attempts_total', { verdict: 'gone', result: '4xx' })).toBe(1);
    expect(page.value('herald_webhook_attempt_duration_seconds_count')).toBe(3);
    expect(page.value('herald_deliveries_ended_total', { status: 'succeeded' })).toBe(1);
    expect(page.value('herald_deliveries_ended_total', { status: 'failed' })).toBe(1);
    expect(page.value('herald_webhook_endpoints_disabled_total')).toBe(1);
    expect(page.value('herald_relay_items_total', { relay: 'deliveries', outcome: 'started' })).toBe(3);
    expect(page.text).not.toContain(good.id);
    return true;
  });
  // The delivery that got a 503 would wait for the disabled endpoint and count as due below.
  await project.api('DELETE', `/v1/webhooks/${good.id}`);
});

test('campaigns that are late are counted by kind', async () => {
  const project = await service.createProject();
  // They are not in the agenda: they are late for good.
  await service.pool.query(
    `INSERT INTO scheduled (id, project_id, content, scheduled_at, next_at)
     SELECT gen_random_uuid(), $1, '{}', 'x', now() - interval '1 minute' * n FROM unnest('{1,10,60}'::int[]) n`,
    [project.id],
  );
  await service.pool.query(
    `WITH chain AS (
       INSERT INTO drip_chains (id, project_id, name, trigger, reentry, status)
       VALUES (gen_random_uuid(), $1, 'Chain', '{"type": "manual"}', 'once', 'active') RETURNING id),
     version AS (
       INSERT INTO drip_versions (drip_id, version, steps)
       SELECT id, 1, '[{"id": "a", "type": "end"}]' FROM chain),
     person AS (
       INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
       VALUES ($1, 'telegram', gen_random_uuid(), 'late', 'Late', 'en') RETURNING id)
     INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id, step_began_at, next_at)
     SELECT $1, chain.id, 1, person.id, 'a', now(), now() - interval '10 minutes' FROM chain, person`,
    [project.id],
  );
  const page = await look();
  expect(page.value('herald_campaigns_late', { kind: 'scheduled' })).toBe(2);
  expect(page.value('herald_campaigns_late', { kind: 'drip' })).toBe(1);
  for (const kind of ['recurring', 'broadcast', 'batch']) {
    expect([kind, page.value('herald_campaigns_late', { kind })]).toEqual([kind, 0]);
  }
});

test('what waits for a disabled endpoint is due but not late; what no relay claims is late', async () => {
  const project = await service.createProject();
  const endpoint = await createEndpoint(project, 'http://127.0.0.1:9/hook');
  await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status: 'disabled' });
  const waiting = await emitOne(service, project, endpoint.id);
  const makeOld = (id: string) =>
    service.pool.query(
      `UPDATE delivery_queue SET due_at = now() - interval '1 hour' WHERE delivery_id = $1`,
      [id],
    );
  await makeOld(waiting);
  // The relay may still end the workflows of the endpoint that was deleted above.
  await eventually(async () => {
    const page = await look();
    expect(page.value('herald_deliveries_due')).toBe(1);
    expect(page.value('herald_relay_lag_seconds', { relay: 'deliveries' })).toBeLessThan(60);
    return true;
  });

  // A relay that cannot claim: another transaction holds the endpoint.
  const late = await createEndpoint(project, 'http://127.0.0.1:9/late');
  // Nothing is late before the last change of its endpoint, which may have been disabled until then.
  await service.pool.query(`UPDATE endpoints SET updated_at = now() - interval '2 hours' WHERE id = $1`, [
    late.id,
  ]);
  const blocker = await service.pool.connect();
  try {
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM endpoints WHERE id = $1 FOR NO KEY UPDATE', [late.id]);
    await makeOld(await emitOne(service, project, late.id));
    expect((await look()).value('herald_relay_lag_seconds', { relay: 'deliveries' })).toBeGreaterThan(3_000);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});

test('the process, the database connections and the Temporal worker are on the same page', async () => {
  const page = await look();
  expect(page.types.get('process_cpu_seconds_total')).toBe('counter');
  const open = ['active', 'idle'].map((state) => page.value('herald_database_connections', { state }));
  expect(open.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  expect(page.value('herald_database_waiting', { reason: 'connection' })).toBe(0);
  const taskQueue = `${service.queuePrefix}-deliveries`;
  expect(page.value('temporal_workflow_completed_total', { task_queue: taskQueue })).toBeGreaterThan(0);
  expect(page.value('temporal_worker_task_slots_available', { task_queue: taskQueue })).toBeGreaterThan(0);
  // Prometheus refuses a page that declares a name twice.
  const declared = [...page.text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(new Set(declared).size).toBe(declared.length);
});

test('health and readiness are on the same port, and nothing else', async () => {
  const { operatorsUrl } = service.service;
  expect((await fetch(`${operatorsUrl}/healthz`)).status).toBe(200);
  await eventually(async () => (await fetch(`${operatorsUrl}/readyz`)).status === 200);
  expect((await fetch(`${operatorsUrl}/v1/event-types`)).status).toBe(404);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
});

test('a port that is taken stops the start with a sentence that names the setting', async () => {
  const taken: Server = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  await expect(
    startTestService({
      roles: 'api',
      env: { HERALD_METRICS_PORT: String(port) },
      database: service.database,
      simulator: service.simulator,
    }),
  ).rejects.toThrow(`Port ${port} for the metrics is already in use; free it, or set HERALD_METRICS_PORT`);
  taken.close();
});
