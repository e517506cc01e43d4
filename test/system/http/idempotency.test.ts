import { randomBytes } from 'node:crypto';
import { eventRegistry } from '../../../src/domains/events/contract';
import { createRoutes } from '../../../src/process/roles/api';
import { eventually } from '../../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../../support/herald-process';
import { loseResponse } from '../../support/lose-response';
import type { ApiResponse } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { stablePort } from '../../support/stable-port';
import { createEndpoint } from '../webhooks/fixture';
import { eventsOf, subscribePerson, textsTo, type Person } from '../messages/fixture';

let service: TestService;
let project: TestProject;
let person: Person;

beforeAll(async () => {
  // Its own: the list of its routes, and no worker beside the killed process.
  service = await startTestService({ roles: 'api,bots' });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  project = await service.createProject();
});
afterEach(() => service.control.faults('telegram', { clear: true }));

/** The first of them that a response, or the first entry of its list, has names what the request has created. */
const ID_FIELDS = [
  'session_id',
  'scheduled_id',
  'job_id',
  'delivery_id',
  'batch_id',
  'run_id',
  'recurring_id',
  'enrolment_id',
  'event_id',
  'drip_id',
  'form_id',
  'ticket_id',
  'message_id',
  'type_id',
  'id',
  'key',
] as const;

/** What the request has created: its id; for a response without one, the whole response. */
function createdBy({ body }: ApiResponse): unknown {
  const [record = body] = (body['data'] ?? []) as Record<string, unknown>[];
  const field = ID_FIELDS.find((each) => each in record);
  return field ? { [field]: record[field] } : body;
}

const newKey = () => `key-${randomBytes(8).toString('hex')}`;

interface Work {
  path: string;
  body?: unknown;
  /** What the request creates, counted. */
  count: () => Promise<number>;
  /** The field of the response that is shown once. */
  secret?: string;
  /** Default: the project's. */
  key?: string;
}

const count = async (text: string): Promise<number> => {
  const { rows } = await service.pool.query<{ count: number }>(text, [project.id]);
  return rows[0]?.count ?? 0;
};

/** One of each route that creates or sends, besides /v1/send, which has tests of its own. */
const works: Record<string, () => Promise<Work>> = {
  session: async () => ({
    path: '/v1/auth/session',
    body: { state: 's' },
    count: () => count('SELECT count(*) FROM auth_sessions WHERE project_id = $1'),
  }),
  broadcast: async () => ({
    path: '/v1/broadcast',
    body: { text: 'hello' },
    count: () => count('SELECT count(*) FROM broadcasts WHERE project_id = $1'),
  }),
  'one-time code': async () => {
    person = await subscribePerson(service, project);
    return {
      path: '/v1/otp/send',
      body: { subscriber_id: person.subscriberId },
      count: async () => (await codesSent()).length,
    };
  },
  endpoint: async () => ({
    path: '/v1/webhooks',
    body: { url: 'https://example.com/hook' },
    count: () => count('SELECT count(*) FROM endpoints WHERE project_id = $1'),
    secret: 'secret',
  }),
  rotation: async () => {
    const { id } = await createEndpoint(project, 'http://127.0.0.1:9/');
    return {
      path: `/v1/webhooks/${id}/rotate-secret`,
      count: async () =>
        (await count(
          `SELECT count(*) FROM endpoint_secrets s JOIN endpoints e ON e.id = s.endpoint_id WHERE e.project_id = $1`,
        )) - 1,
      secret: 'secret',
    };
  },
  'test event': async () => {
    const { id } = await createEndpoint(project, 'http://127.0.0.1:9/');
    return {
      path: `/v1/webhooks/${id}/test`,
      body: { event: 'auth.completed' },
      count: () => count('SELECT count(*) FROM deliveries WHERE project_id = $1'),
    };
  },
  'retry of a delivery': async () => {
    const { id } = await createEndpoint(project, 'http://127.0.0.1:9/');
    const { body } = await project.api('POST', `/v1/webhooks/${id}/test`, { event: 'auth.completed' });
    return {
      path: `/v1/deliveries/${body['delivery_id']}/retry`,
      count: () => count('SELECT sum(round)::int AS count FROM deliveries WHERE project_id = $1'),
    };
  },
  'published event': async () => ({
    path: '/v1/publish',
    body: { events: [{ event: 'ticket.created', data: eventRegistry['ticket.created'].example }] },
    count: () => count('SELECT count(*) FROM events WHERE project_id = $1'),
    key: await service.createKey(project.id, ['publish']),
  }),
  'tracked event': async () => {
    person = await subscribePerson(service, project);
    return {
      path: '/v1/events',
      body: { events: [{ name: 'visit', subscriber_id: person.subscriberId }] },
      count: () => count('SELECT count(*) FROM tracked_events WHERE project_id = $1'),
    };
  },
  'API key': async () => ({
    path: '/v1/keys',
    body: { name: 'new' },
    count: async () => (await count('SELECT count(*) FROM api_keys WHERE project_id = $1')) - 1,
    secret: 'api_key',
  }),
  template: async () => ({
    path: '/v1/templates',
    body: { key: 'hello', variants: { en: { text: 'Hello' } } },
    count: () => count('SELECT count(*) FROM templates WHERE project_id = $1'),
  }),
  batch: async () => ({
    path: '/v1/send/batch',
    body: { messages: [{ external_id: 'a', text: 'x' }] },
    count: () => count('SELECT count(*) FROM broadcasts WHERE project_id = $1'),
  }),
  'scheduled message': async () => ({
    path: '/v1/scheduled',
    body: { external_id: 'a', content: { text: 'x' }, scheduled_at: tomorrow() },
    count: () => count('SELECT count(*) FROM scheduled WHERE project_id = $1'),
  }),
  'recurring message': async () => ({
    path: '/v1/recurring',
    body: yearly,
    count: () => count('SELECT count(*) FROM recurring WHERE project_id = $1'),
  }),
  'run of a recurring message': async () => ({
    path: `/v1/recurring/${await createdId('/v1/recurring', yearly, 'recurring_id')}/run`,
    count: () => count(RUNS),
  }),
  'skipped occurrence': async () => {
    // Its only one: skipped, it ends the message.
    const end_at = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 0, 1, 0, 1)).toISOString();
    const body = { ...yearly, end_at };
    const id = await createdId('/v1/recurring', body, 'recurring_id');
    return { path: `/v1/recurring/${id}/skip`, count: () => count(RUNS) };
  },
  form: async () => ({
    path: '/v1/forms',
    body: { name: 'Form', fields: [{ key: 'size', type: 'text', label_en: 'Size' }] },
    count: () => count('SELECT count(*) FROM forms WHERE project_id = $1'),
  }),
  'ticket type': async () => ({
    path: '/v1/helpdesk/types',
    body: { name_en: 'Delivery', name_ru: 'Доставка' },
    count: () => count('SELECT count(*) FROM ticket_types WHERE project_id = $1'),
  }),
  ticket: async () => {
    await project.api('PATCH', '/v1/helpdesk', { enabled: true });
    return {
      path: '/v1/helpdesk/tickets',
      body: { customer: { name: 'Ann' }, text: 'Hello' },
      count: () => count('SELECT count(*) FROM tickets WHERE project_id = $1'),
    };
  },
  'ticket reply': async () => {
    await project.api('PATCH', '/v1/helpdesk', { enabled: true });
    person = await subscribePerson(service, project);
    const ticket = { subscriber_id: person.subscriberId, text: 'Hello' };
    return {
      path: `/v1/helpdesk/tickets/${await createdId('/v1/helpdesk/tickets', ticket, 'ticket_id')}/messages`,
      body: { content: { text: 'Hi' } },
      count: () => count('SELECT count(*) FROM messages WHERE project_id = $1'),
    };
  },
  'drip chain': async () => ({
    path: '/v1/drip-chains',
    body: chain,
    count: () => count('SELECT count(*) FROM drip_chains WHERE project_id = $1'),
  }),
  enrolment: async () => {
    person = await subscribePerson(service, project);
    return {
      path: `/v1/drip-chains/${await createdId('/v1/drip-chains', chain, 'drip_id')}/enrolments`,
      body: { subscriber_id: person.subscriberId },
      count: () => count('SELECT count(*) FROM drip_enrolments WHERE project_id = $1'),
    };
  },
};

const RUNS = `SELECT count(*) FROM recurring_runs r JOIN recurring c ON c.id = r.recurring_id WHERE c.project_id = $1`;
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const yearly = { name: 'Yearly', content: { text: 'x' }, audience: {}, cron: '0 0 1 1 *' };
const chain = {
  name: 'Chain',
  trigger: { type: 'manual' },
  steps: [{ id: 'wait', type: 'delay', minutes: 1_000 }],
  status: 'active',
};

async function createdId(path: string, body: object, field: string): Promise<string> {
  return (await project.api('POST', path, body)).body[field] as string;
}

const call = ({ path, body, key: apiKey = project.api_key }: Work, key: string): Promise<ApiResponse> =>
  service.apiWith(apiKey)('POST', path, body, { 'idempotency-key': key });

const codesSent = async () => (await textsTo(service, person)).filter((text) => /\d{6}/.test(text));

test('every POST that creates or sends takes a key, and says so in its description', () => {
  const without = createRoutes(service.service.core, { parts: [], waiter: null as never })
    .map(({ spec }) => spec)
    .filter(({ method, path, auth }) => method === 'POST' && auth === 'key' && path.startsWith('/v1/'))
    .filter(({ idempotent }) => !idempotent)
    .map(({ path }) => path);
  // These redeem or end something: repeated, they find it redeemed or ended. A preview changes nothing.
  expect(without.sort()).toEqual([
    '/v1/auth/verify',
    '/v1/deliveries/{id}/cancel',
    '/v1/otp/verify',
    '/v1/templates/preview',
    '/v1/webhooks/filter-preview',
  ]);
});

describe.each(Object.keys(works))('the Idempotency-Key of a request for a %s', (name) => {
  let work: Work;
  beforeEach(async () => {
    work = await works[name]!();
  });

  it('repeats the first response, without its secret, and does nothing', async () => {
    const key = newKey();
    const first = await call(work, key);
    expect(first.status).toBeLessThan(300);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const again = await call(work, key);
    expect(again.status).toBe(first.status);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    if (work.secret) expect(first.body[work.secret]).toEqual(expect.any(String));
    expect(again.body).toEqual(work.secret ? { ...first.body, [work.secret]: null } : first.body);
    expect(await work.count()).toBe(1);
  });

  it('is not valid for another path', async () => {
    const key = newKey();
    await call(work, key);
    const elsewhere = await project.api(
      'POST',
      '/v1/send',
      { external_id: 'nobody', text: 'x' },
      { 'idempotency-key': key },
    );
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'idempotency_conflict']);
    expect(await work.count()).toBe(1);
  });

  it('lets one of many concurrent requests through', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 6 }, () => call(work, key)));
    for (const { status, body } of answers) {
      if (status >= 300) expect([status, body.code]).toEqual([425, 'request_in_progress']);
    }
    expect(answers.some(({ status }) => status < 300)).toBe(true);
    expect(await work.count()).toBe(1);
  });

  it('finds the work that a crash left before the response was recorded', async () => {
    const key = newKey();
    const first = await call(work, key);
    await loseResponse(service, project, key);
    const resumed = await call(work, key);
    expect(resumed.status).toBe(first.status);
    expect(resumed.headers.get('idempotent-replayed')).toBeNull();
    expect(createdBy(resumed)).toEqual(createdBy(first));
    if (work.secret) expect(resumed.body[work.secret]).toEqual(expect.any(String));
    expect(await work.count()).toBe(1);
  });
});

describe('after a crash', () => {
  it('a session’s new links work, and only they', async () => {
    const key = newKey();
    const work = await works['session']!();
    const lost = await call(work, key);
    await loseResponse(service, project, key);
    const { body } = await call(work, key);
    expect(body['telegram_link']).toBe(lost.body['telegram_link']);
    expect(body['match_code']).toBe(lost.body['match_code']);
    expect((await fetch(body['hosted_url'] as string)).status).toBe(200);
    expect((await fetch(lost.body['hosted_url'] as string)).status).toBe(404);
  });

  it('an API key that was never shown is replaced', async () => {
    const key = newKey();
    const work = await works['API key']!();
    const lost = await call(work, key);
    await loseResponse(service, project, key);
    const { body } = await call(work, key);
    expect((await service.apiWith(body['api_key'] as string)('GET', '/v1/project')).status).toBe(200);
    expect((await service.apiWith(lost.body['api_key'] as string)('GET', '/v1/project')).status).toBe(401);
  });

  it('what was removed meanwhile does not come back', async () => {
    const removals = { endpoint: '/v1/webhooks', 'API key': '/v1/keys' } as const;
    for (const [name, path] of Object.entries(removals)) {
      const key = newKey();
      const work = await works[name]!();
      const { body } = await call(work, key);
      expect((await project.api('DELETE', `${path}/${body['id']}`)).status).toBe(204);
      await loseResponse(service, project, key);
      expect((await call(work, key)).body['id']).toBe(body['id']);
      const { body: list } = await project.api('GET', path);
      const live = (list.data as { id: string; revoked_at?: string | null }[]).filter(
        (one) => !one.revoked_at,
      );
      expect(live.map(({ id }) => id)).not.toContain(body['id']);
    }
  });

  it('the secret of the resumed request signs', async () => {
    const key = newKey();
    const work = await works['rotation']!();
    const lost = await call(work, key);
    await loseResponse(service, project, key);
    expect((await call(work, key)).body['secret']).toBe(lost.body['secret']);
  });
});

test('a recorded response is not readable in the database', async () => {
  const key = newKey();
  const { body } = await call(await works['session']!(), key);
  const { rows } = await service.pool.query<{ row: string }>(
    'SELECT row_to_json(k)::text AS row FROM idempotency_keys k WHERE key = $1',
    [key],
  );
  for (const value of [body['hosted_url'], body['match_code'], body['telegram_link']]) {
    expect(rows[0]?.row).not.toContain(value);
  }
});

test('a limit that was met can pass: the same key succeeds later', async () => {
  const limited = await service.createProject({ sessions_per_hour: 1 });
  const create = (key: string) =>
    limited.api('POST', '/v1/auth/session', { state: 's' }, { 'idempotency-key': key });
  expect((await create(newKey())).status).toBe(201);
  const key = newKey();
  expect((await create(key)).status).toBe(429);
  await service.pool.query(
    `UPDATE auth_sessions SET created_at = created_at - interval '1 hour' WHERE project_id = $1`,
    [limited.id],
  );
  expect((await create(key)).status).toBe(201);
});

describe('a one-time code', () => {
  beforeEach(async () => {
    person = await subscribePerson(service, project);
  });
  const send = (key: string) =>
    project.api('POST', '/v1/otp/send', { subscriber_id: person.subscriberId }, { 'idempotency-key': key });
  const verify = (code: string | undefined) =>
    project.api('POST', '/v1/otp/verify', { subscriber_id: person.subscriberId, code });
  const codeIn = (text: string | undefined) => /\d{6}/.exec(text ?? '')?.[0];

  it('that the messenger refused for the moment is sent by the next request with the same key', async () => {
    const key = newKey();
    await service.control.faults('telegram', { user: person.name, method: 'sendMessage', status: 502 });
    expect((await send(key)).body['code']).toBe('platform_busy');
    expect(await codesSent()).toHaveLength(0);
    expect((await send(key)).status).toBe(200);
    expect(await codesSent()).toHaveLength(1);
  });

  it('that was not sent before a crash is sent once, and works', async () => {
    const key = newKey();
    await send(key);
    const [lost] = await codesSent();
    // As a process leaves it that dies between the rows and the call.
    await service.pool.query(
      `UPDATE messages SET status = 'queued', ended_at = NULL, platform_message_id = NULL WHERE project_id = $1`,
      [project.id],
    );
    await service.pool.query(`UPDATE otp_codes SET status = 'sending' WHERE subscriber_id = $1`, [
      person.subscriberId,
    ]);
    await loseResponse(service, project, key);
    expect((await send(key)).status).toBe(200);
    const codes = await codesSent();
    expect(codes).toHaveLength(2);
    expect((await verify(codeIn(lost))).status).toBe(400);
    expect((await verify(codeIn(codes[1]))).status).toBe(200);
  });

  describe('whose process is killed while it is being sent', () => {
    let killed: HeraldProcess | undefined;
    afterEach(() => killed?.kill9());

    it('is not sent again: the caller is told, and the code works if it has arrived', async () => {
      const key = newKey();
      const port = String(await stablePort());
      killed = await startSecondProcess(service, 'api', { PORT: port });
      const calls = () => service.control.callCount('telegram', 'sendMessage');
      const before = await calls();
      await service.control.faults('telegram', {
        user: person.name,
        method: 'sendMessage',
        delay_ms: 60_000,
      });
      const lost = fetch(`http://127.0.0.1:${port}/v1/otp/send`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${project.api_key}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ subscriber_id: person.subscriberId }),
      }).catch(() => null);
      // The messenger has the request and has not answered yet.
      await eventually(async () => (await calls()) > before);
      await killed.kill9();
      await lost;
      await service.control.faults('telegram', { clear: true });
      await eventually(async () => (await codesSent()).length === 1);
      await service.pool.query(`UPDATE idempotency_keys SET leased_until = now() WHERE key = $1`, [key]);

      for (let i = 0; i < 2; i += 1) {
        const { status, body } = await send(key);
        expect([status, body['code']]).toEqual([409, 'conflict']);
        expect(body['error']).toContain('may have arrived');
      }
      const codes = await codesSent();
      expect(codes).toHaveLength(1);
      expect((await verify(codeIn(codes[0]))).status).toBe(200);
      expect(await eventsOf(service, project, 'delivery.success', 'delivery.failed')).toMatchObject([
        { name: 'delivery.failed', data: { reason: 'unknown' } },
      ]);
    });
  });
});
