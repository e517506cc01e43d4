import { limits } from '../../../src/base/contract/limits';
import { errorCodes, type ErrorCode } from '../../../src/base/contract/errors';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import type { ApiResponse } from '../../support/api';
import type { Installation, TestProject } from '../../support/installation';
import { startTestService, type TestService } from '../../support/service';
import { useService } from '../../support/use-service';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { confirmedSession, createSession } from '../login/fixture';
import { blockBilling, freshName, subscribePerson } from '../messages/fixture';
import { expectEnvelope, sendRaw, type Answer } from './fixture';
import { ownPage } from '../../support/own-page';

const url = 'https://example.com/hook';

let service: Installation;
let project: TestProject;

/** An API whose database can be taken away. */
let database: TestDatabase;
let proxy: TcpProxy;
let cutOff: TestService;
const logLines: string[] = [];

beforeAll(async () => {
  service = await useService();
  database = await createTestDatabase();
  const address = new URL(database.url);
  proxy = await startTcpProxy(Number(address.port));
  address.port = String(proxy.port);
  // Its own: it loses its database.
  cutOff = await startTestService({ roles: 'api', logLines, database: { ...database, url: address.href } });
});
afterAll(async () => {
  await proxy?.open();
  await cutOff?.stop();
  await proxy?.close();
  await database?.drop();
  await service?.stop();
});
beforeEach(async () => {
  project = await service.createProject();
});
afterEach(() => service.control.faults('telegram', { clear: true }));

const verify = (body: object) => project.api('POST', '/v1/auth/verify', body);

async function newCode(): Promise<{ sessionId: string; code: string }> {
  const { session, status } = await confirmedSession(service, project, freshName('coded'));
  return { sessionId: session.session_id, code: status.code ?? '' };
}

/** The last of several answers; the ones before it must all have succeeded. */
async function lastOf(count: number, call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let i = 1; i < count; i += 1) expect((await call()).status).toBeLessThan(300);
  return call();
}

/** How a caller meets each code, over HTTP and without any help from inside the service. */
/** Where a new form takes submissions. */
async function formPath(more: object): Promise<string> {
  const fields = [{ key: 'size', type: 'text', label_en: 'Size' }];
  const { body } = await project.api('POST', '/v1/forms', { name: 'Form', fields, ...more });
  return `/f/${body.form_id}`;
}

const producers: Partial<Record<ErrorCode, () => Promise<Answer>>> = {
  bad_request: () => sendRaw(Number(new URL(service.url).port), 'no HTTP\r\n\r\n'),
  validation_failed: () => project.api('POST', '/v1/webhooks', '{'),
  invalid_url: () => project.api('POST', '/v1/webhooks', { url: 'https://10.0.0.1/' }),
  invalid_external_id: () => project.api('POST', '/v1/send', { external_id: ' padded ', text: 'x' }),
  mutually_exclusive_identifiers: () =>
    project.api('POST', '/v1/send', { external_id: 'a', subscriber_id: 'b', text: 'x' }),
  async template_variable_missing() {
    await project.api('POST', '/v1/templates', { key: 'named', variants: { en: { text: '{{order}}' } } });
    return project.api('POST', '/v1/send', { external_id: 'a', template: 'named' });
  },
  invalid_code: () => verify({ code: 'x'.repeat(43) }),
  async code_expired() {
    const { sessionId, code } = await newCode();
    await service.pool.query('UPDATE auth_sessions SET code_expires_at = now() WHERE id = $1', [sessionId]);
    return verify({ code });
  },
  async invalid_code_verifier() {
    const { code } = await newCode();
    return verify({ code, code_verifier: 'v'.repeat(43) });
  },
  unauthorized: () => service.apiWith(null)('GET', '/v1/webhooks'),
  invalid_api_key: () => service.apiWith('hk_unknown')('GET', '/v1/webhooks'),
  async billing_blocked() {
    await blockBilling(service, project);
    return project.api('POST', '/v1/auth/session', { state: 's' });
  },
  invalid_init_data: () =>
    service.apiWith(null)('POST', '/mini/subscribe', { channel: 'telegram', init_data: 'x' }),
  async already_subscribed() {
    const { name } = await subscribePerson(service, project);
    const { init_data } = await service.control.miniApp('telegram', name, `proj_${project.slug}`);
    return service.apiWith(null)('POST', '/mini/subscribe', { channel: 'telegram', init_data });
  },
  forbidden: () =>
    service.apiWith(null)(
      'POST',
      '/dashboard/session',
      { api_key: project.api_key },
      { 'sec-fetch-site': 'cross-site' },
    ),
  async project_inactive() {
    const inactive = await service.createProject({ active: false });
    return inactive.api('GET', '/v1/webhooks');
  },
  subscriber_not_found: () => project.api('GET', '/v1/subscribers/nobody'),
  not_found: () => project.api('GET', '/v1/webhooks/nothing'),
  method_not_allowed: () => project.api('PATCH', '/v1/webhooks', {}),
  conflict: () => lastOf(6, () => project.api('POST', '/v1/webhooks', { url })),
  async idempotency_conflict() {
    const { subscriberId } = await subscribePerson(service, project);
    const send = (text: string) =>
      project.api(
        'POST',
        '/v1/send',
        { subscriber_id: subscriberId, text },
        { 'idempotency-key': 'the-same-key' },
      );
    expect((await send('one')).status).toBe(200);
    return send('another');
  },
  async code_already_used() {
    const { code } = await newCode();
    return lastOf(2, () => verify({ code }));
  },
  payload_too_large: () => project.api('POST', '/v1/webhooks', { url: 'x'.repeat(1024 * 1024) }),
  unsupported_media_type: () =>
    project.api('POST', '/v1/webhooks', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
  async request_in_progress() {
    const { subscriberId } = await subscribePerson(service, project);
    const body = { subscriber_id: subscriberId, text: 'slow' };
    const send = () => project.api('POST', '/v1/send', body, { 'idempotency-key': 'still-running' });
    // The first request waits for this lock until the second one has its response.
    const lock = await service.pool.connect();
    try {
      await lock.query('BEGIN; LOCK TABLE messages IN SHARE ROW EXCLUSIVE MODE');
      const first = send();
      await eventually(async () => {
        const { rowCount } = await service.pool.query(
          'SELECT 1 FROM idempotency_keys WHERE project_id = $1',
          [project.id],
        );
        return rowCount;
      });
      const second = await send();
      await lock.query('ROLLBACK');
      await first;
      return second;
    } finally {
      lock.release(true);
    }
  },
  async rate_limit_project() {
    const limited = await service.createProject({ requests_per_minute: 1 });
    return lastOf(2, () => limited.api('GET', '/v1/webhooks'));
  },
  async rate_limit_auth_sessions() {
    const limited = await service.createProject({ sessions_per_hour: 1 });
    return lastOf(2, () => limited.api('POST', '/v1/auth/session', { state: 's' }));
  },
  async rate_limit_auth_requests() {
    const { subscriberId } = await subscribePerson(service, project);
    const body = { subscriber_id: subscriberId, message: 'Approve?' };
    return lastOf(4, () => project.api('POST', '/v1/auth/requests', body));
  },
  async rate_limit_verify() {
    for (let i = 0; i < 20; i += 1) expectEnvelope(await verify({ code: `guess-${i}` }), 'invalid_code');
    return verify({ code: 'guess' });
  },
  async invalid_bot_token() {
    return project.api('PUT', '/v1/channels/telegram', { token: '1234567:a-revoked-token' });
  },
  async rate_limit_otp() {
    const { subscriberId } = await subscribePerson(service, project);
    return lastOf(4, () => project.api('POST', '/v1/otp/send', { subscriber_id: subscriberId }));
  },
  async captcha_failed() {
    const captcha = { verify_url: 'https://captcha.example/verify', secret: 'x' };
    return service.apiWith(null)('POST', await formPath({ captcha, allowed_origins: ['*'] }), { size: 'M' });
  },
  origin_not_allowed: async () => service.apiWith(null)('POST', await formPath({}), { size: 'M' }),
  async rate_limit_form() {
    const path = await formPath({ allowed_origins: ['*'] });
    return lastOf(6, () => service.apiWith(null)('POST', path, { size: 'M' }));
  },
  plan_limit: () => project.api('GET', '/v1/export/subscribers'),
  async rate_limit_export() {
    const paying = await service.createProject({ plan: 'basic' });
    await service.pool.query(
      `INSERT INTO exports (project_id, token, leased_until) VALUES ($1, gen_random_uuid(), now() + interval '1 hour')`,
      [paying.id],
    );
    return paying.api('GET', '/v1/export/subscribers');
  },
  async rate_limit_rotations() {
    const { body } = await project.api('POST', '/v1/webhooks', { url });
    return lastOf(11, () => project.api('POST', `/v1/webhooks/${body.id}/rotate-secret`));
  },
  async rate_limit_events() {
    const limited = await service.createProject({ events_per_minute: 2 });
    const events = [{ name: 'seen', external_id: freshName('unknown') }];
    return lastOf(3, () => limited.api('POST', '/v1/events', { events }));
  },
  async rate_limit_queue() {
    const limited = await service.createProject({ queued_deliveries: 1 });
    const { body } = await limited.api('POST', '/v1/webhooks', { url });
    // Nothing is attempted.
    await service.pool.query('UPDATE endpoints SET concurrency = 0 WHERE id = $1', [body.id]);
    for (let i = 0; i < 2; i += 1) await service.emitExample(limited.id, 'auth.completed');
    return limited.api('POST', '/v1/events', { events: [{ name: 'seen', external_id: 'unknown' }] });
  },
  async rate_limit_address() {
    const post = () => service.apiWith(null)('POST', '/mini/subscribe', {});
    for (let i = 0; i < limits.miniRequestsPerMinute; i += 1) await post();
    return post();
  },
  async rate_limit_sign_in() {
    const signIn = () =>
      service.apiWith(null)('POST', '/dashboard/session', { api_key: 'hk_guess' }, ownPage);
    for (let i = 0; i < 10; i += 1) expectEnvelope(await signIn(), 'invalid_api_key');
    return signIn();
  },
  async slow_down() {
    const { session_id } = await createSession(project);
    const poll = () => project.api('GET', `/v1/auth/session/${session_id}/status`);
    expect((await poll()).status).toBe(200);
    // A minute ahead: the next poll comes too early on any machine.
    await service.pool.query(
      `UPDATE auth_polls SET polled_at = now() + interval '1 minute' WHERE session_id = $1`,
      [session_id],
    );
    return poll();
  },
  async internal_error() {
    // A row that the service cannot have written: the code does not open.
    const { sessionId } = await newCode();
    await service.pool.query(`UPDATE auth_sessions SET code_sealed = 'k1.damaged' WHERE id = $1`, [
      sessionId,
    ]);
    await service.pool.query('DELETE FROM auth_polls WHERE session_id = $1', [sessionId]);
    return project.api('GET', `/v1/auth/session/${sessionId}/status`);
  },
  async platform_busy() {
    const { subscriberId, name } = await subscribePerson(service, project);
    await service.control.faults('telegram', { user: name, method: 'sendMessage', status: 502 });
    return project.api('POST', '/v1/otp/send', { subscriber_id: subscriberId });
  },
  async service_unavailable() {
    const { api } = await cutOff.createProject();
    await proxy.close();
    return api('GET', '/v1/webhooks');
  },
};

test('while the database is unavailable the log has one line, and another one with a count when it is back', async () => {
  const { api } = await cutOff.createProject();
  const before = logLines.length;
  const complaints = () =>
    logLines
      .slice(before)
      .map((line) => JSON.parse(line) as { level: number; msg: string; errors?: number })
      .filter(({ level }) => level > 30);
  await proxy.close();
  for (let i = 0; i < 5; i += 1) expect((await api('GET', '/v1/webhooks')).status).toBe(503);
  await proxy.open();
  await eventually(async () => (await api('GET', '/v1/webhooks')).status === 200 && complaints().length > 1);
  const [lost, back, ...others] = complaints();
  expect(lost?.msg).toContain('the connection to the database was lost');
  expect(back?.msg).toBe('the database is available again');
  expect(back?.errors).toBeGreaterThanOrEqual(5);
  expect(others).toEqual([]);
});

test('every code can be produced: none is only reserved', () => {
  expect(Object.keys(producers).sort()).toEqual([...errorCodes].sort());
});

test.each(Object.entries(producers) as [ErrorCode, () => Promise<Answer>][])(
  'a request gets %s with its status and whether a retry helps, and its docs_url leads to the explanation',
  async (code, produce) => {
    const answer = await produce();
    expectEnvelope(answer, code);
    const { docs_url } = answer.body as { docs_url: string };
    const [page = '', anchor] = docs_url.split('#');
    const response = await fetch(page);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`id="${anchor}"`);
  },
);
