import { randomUUID } from 'node:crypto';
import { testCipher, type Installation, type TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { withTransaction } from '../../../src/base/db/pool';
import { openHeaders } from '../../../src/domains/webhooks/own-headers';
import { deliveries } from '../../../src/domains/webhooks/queries/fan-out';
import { createEndpoint } from './fixture';

/** The API alone: nothing here needs Temporal. */
let service: Installation;
let project: TestProject;

const url = 'http://127.0.0.1:9/hook';

beforeAll(async () => {
  service = await useService();
});

afterAll(() => service?.stop());

beforeEach(async () => {
  project = await service.createProject();
});

describe('creating', () => {
  test('an endpoint has its secret once, all events by default, and is active', async () => {
    const { status, body } = await project.api('POST', '/v1/webhooks', { url });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      url,
      events: [],
      filter: null,
      delivery_lane: null,
      description: null,
      status: 'active',
      disabled_reason: null,
      retry_policy: 'durable',
      headers: {},
      health: { state: 'idle', failing_since: null, success_rate_24h: null, last_delivery_at: null },
      secrets: [{ created_at: expect.any(String), expires_at: null }],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  test('events, description and retry policy are kept as given, repeated events once', async () => {
    const { body } = await project.api('POST', '/v1/webhooks', {
      url,
      events: ['otp.sent', 'auth.completed', 'otp.sent'],
      description: 'CRM',
      retry_policy: 'quick',
    });
    expect(body).toMatchObject({
      events: ['otp.sent', 'auth.completed'],
      description: 'CRM',
      retry_policy: 'quick',
    });
  });

  test("the project's retry policy is the default", async () => {
    const quick = await service.createProject({ retry_policy: 'quick' });
    const { body } = await quick.api('POST', '/v1/webhooks', { url });
    expect(body.retry_policy).toBe('quick');
  });

  test('a sixth endpoint is refused, and a deleted one makes room', async () => {
    const made = [];
    for (let i = 0; i < 5; i += 1) made.push(await createEndpoint(project, `${url}/${i}`));
    const sixth = await project.api('POST', '/v1/webhooks', { url });
    expect([sixth.status, sixth.body.code]).toEqual([409, 'conflict']);
    expect((await project.api('DELETE', `/v1/webhooks/${made[0]!.id}`)).status).toBe(204);
    expect((await project.api('POST', '/v1/webhooks', { url })).status).toBe(201);
  });

  test('twenty creates at once make exactly five', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => project.api('POST', '/v1/webhooks', { url: `${url}/${i}` })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(5).fill(201), ...Array<number>(15).fill(409)]);
    expect((await project.api('GET', '/v1/webhooks')).body.data).toHaveLength(5);
  });
});

describe('a refusal names its field', () => {
  test.each([
    ['url', 'validation_failed', {}],
    ['url', 'validation_failed', { url: 42 }],
    ['url', 'invalid_url', { url: 'not a url' }],
    ['url', 'invalid_url', { url: 'http://example.com/hook' }],
    ['url', 'invalid_url', { url: 'https://user:pass@example.com/' }],
    ['url', 'invalid_url', { url: 'https://example.com/#part' }],
    ['url', 'invalid_url', { url: 'https://10.0.0.1/' }],
    ['url', 'invalid_url', { url: `https://example.com/${'a'.repeat(2048)}` }],
    ['events', 'validation_failed', { url, events: ['no.such_event'] }],
    ['events', 'validation_failed', { url, events: 'auth.completed' }],
    ['description', 'validation_failed', { url, description: 'x'.repeat(501) }],
    ['retry_policy', 'validation_failed', { url, retry_policy: 'never' }],
    ['secret', 'validation_failed', { url, secret: 'whsec_mine' }],
    ['status', 'validation_failed', { url, status: 'disabled' }],
    ['headers.Host', 'validation_failed', { url, headers: { Host: 'x' } }],
    ['headers.content-type', 'validation_failed', { url, headers: { 'content-type': 'x' } }],
    ['headers.Content-Anything', 'validation_failed', { url, headers: { 'Content-Anything': 'x' } }],
    ['headers.Transfer-Encoding', 'validation_failed', { url, headers: { 'Transfer-Encoding': 'chunked' } }],
    ['headers.CONNECTION', 'validation_failed', { url, headers: { CONNECTION: 'close' } }],
    ['headers.Cookie', 'validation_failed', { url, headers: { Cookie: 'a=b' } }],
    ['headers.User-Agent', 'validation_failed', { url, headers: { 'User-Agent': 'x' } }],
    ['headers.webhook-id', 'validation_failed', { url, headers: { 'webhook-id': 'x' } }],
    ['headers.X-Service-Event', 'validation_failed', { url, headers: { 'X-Service-Event': 'x' } }],
    ['headers.x-service-anything', 'validation_failed', { url, headers: { 'x-service-anything': 'x' } }],
    ['headers.Expect', 'validation_failed', { url, headers: { Expect: '100-continue' } }],
    ['headers', 'validation_failed', { url, headers: { X_Underscore: 'x' } }],
    ['headers', 'validation_failed', { url, headers: { 'X-A\r\nX-B': 'x' } }],
    ['headers', 'validation_failed', { url, headers: { '': 'x' } }],
    ['headers', 'validation_failed', { url, headers: { ['X'.repeat(101)]: 'x' } }],
    ['headers', 'validation_failed', { url, headers: { 'X-A': '1', 'x-a': '2' } }],
    ['headers.X-A', 'validation_failed', { url, headers: { 'X-A': 'a\r\nX-B: b' } }],
    ['headers.X-A', 'validation_failed', { url, headers: { 'X-A': 'a\nb' } }],
    ['headers.X-A', 'validation_failed', { url, headers: { 'X-A': '' } }],
    ['headers.X-A', 'validation_failed', { url, headers: { 'X-A': ' padded' } }],
    ['headers.X-A', 'validation_failed', { url, headers: { 'X-A': 'ключ' } }],
    ['headers.X-A', 'validation_failed', { url, headers: { 'X-A': 'x'.repeat(1_025) } }],
    ['headers.X-A', 'validation_failed', { url, headers: { 'X-A': 7 } }],
    ['headers.X-A', 'validation_failed', { url, headers: { 'X-A': '***' } }],
    [
      'headers',
      'validation_failed',
      { url, headers: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, 'x'])) },
    ],
  ])('on creation: %s (%s)', async (field, code, body) => {
    const answer = await project.api('POST', '/v1/webhooks', body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.body.error).toContain(`${field}`);
    expect((await project.api('GET', '/v1/webhooks')).body.data).toEqual([]);
  });

  test.each([
    ['status', 'validation_failed', { status: 'paused' }],
    ['events', 'validation_failed', { events: ['nope'] }],
    ['url', 'invalid_url', { url: 'ftp://example.com' }],
    ['colour', 'validation_failed', { colour: 'red' }],
    ['id', 'validation_failed', { id: randomUUID() }],
  ])('on change: %s (%s)', async (field, code, body) => {
    const { id } = await createEndpoint(project, url);
    const answer = await project.api('PUT', `/v1/webhooks/${id}`, body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.body.error).toContain(field);
    expect((await project.api('GET', `/v1/webhooks/${id}`)).body).toMatchObject({ url, status: 'active' });
  });
});

describe('reading and changing', () => {
  test('lists are newest first, of one project, without secrets', async () => {
    const first = await createEndpoint(project, `${url}/1`);
    const second = await createEndpoint(project, `${url}/2`);
    await createEndpoint(await service.createProject(), url);
    const { status, body } = await project.api('GET', '/v1/webhooks');
    expect(status).toBe(200);
    expect(body.next_cursor).toBeNull();
    expect(body.data.map((endpoint: { id: string }) => endpoint.id)).toEqual([second.id, first.id]);
    expect(JSON.stringify(body)).not.toContain('whsec_');
  });

  test('a change of any field leaves the others, and never shows the secret', async () => {
    const { id } = await createEndpoint(project, url, { events: ['otp.sent'], description: 'one' });
    const path = `/v1/webhooks/${id}`;
    expect((await project.api('PUT', path, { description: 'two' })).body).toMatchObject({
      id,
      url,
      events: ['otp.sent'],
      description: 'two',
      status: 'active',
    });
    expect((await project.api('PUT', path, { events: [] })).body).toMatchObject({
      events: [],
      description: 'two',
    });
    expect((await project.api('PUT', path, { description: null })).body.description).toBeNull();
    expect((await project.api('PUT', path, { url: `${url}/new` })).body.url).toBe(`${url}/new`);
    expect((await project.api('PUT', path, { status: 'disabled' })).body).toMatchObject({
      status: 'disabled',
      disabled_reason: null,
    });
    expect((await project.api('PUT', path, { status: 'active' })).body.status).toBe('active');
    const unchanged = await project.api('PUT', path, {});
    expect(unchanged.status).toBe(200);
    expect(JSON.stringify(unchanged.body)).not.toContain('whsec_');
    expect((await project.api('GET', path)).body).toEqual(unchanged.body);
  });

  test('headers of its own are shown as a mask, replaced as a whole, and kept by the mask', async () => {
    const value = 'Bearer top-secret-value';
    const created = await project.api('POST', '/v1/webhooks', {
      url,
      headers: { Authorization: value, 'X-Long': 'x'.repeat(1_024) },
    });
    expect(created.status).toBe(201);
    expect(created.body.headers).toEqual({ Authorization: '***', 'X-Long': '***' });
    const path = `/v1/webhooks/${created.body.id}`;
    const storedHeaders = async () => {
      const { rows } = await service.pool.query<{ sealed: string | null }>(
        'SELECT headers_sealed AS sealed FROM endpoints WHERE id = $1',
        [created.body.id],
      );
      expect(JSON.stringify(rows)).not.toContain('top-secret');
      return openHeaders(testCipher, rows[0]!.sealed, created.body.id as string);
    };
    expect((await project.api('GET', path)).body.headers).toEqual({ Authorization: '***', 'X-Long': '***' });
    expect((await project.api('PUT', path, { description: 'other' })).body.headers).toEqual({
      Authorization: '***',
      'X-Long': '***',
    });
    const changed = await project.api('PUT', path, { headers: { authorization: '***', 'X-New': 'new' } });
    expect(changed.body.headers).toEqual({ authorization: '***', 'X-New': '***' });
    expect(await storedHeaders()).toEqual({ authorization: value, 'X-New': 'new' });
    const unknown = await project.api('PUT', path, { headers: { 'X-Other': '***' } });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'validation_failed']);
    expect(unknown.body.error).toContain('headers.X-Other');
    expect((await project.api('PUT', path, { headers: {} })).body.headers).toEqual({});
    expect(await storedHeaders()).toEqual({});
  });

  test('headers of its own never go to another host', async () => {
    const headers = { Authorization: 'Bearer top-secret-value' };
    const { body } = await project.api('POST', '/v1/webhooks', { url, headers });
    const path = `/v1/webhooks/${body.id}`;
    const samePlace = await project.api('PUT', path, { url: `${url}/further` });
    expect(samePlace.body.headers).toEqual({ Authorization: '***' });
    const elsewhere = new URL(url);
    elsewhere.port = String(Number(elsewhere.port || 443) + 1);
    const masked = await project.api('PUT', path, { url: elsewhere.href, headers: samePlace.body.headers });
    expect([masked.status, masked.body.code]).toEqual([400, 'validation_failed']);
    expect((await project.api('PUT', path, { url: elsewhere.href })).body.headers).toEqual({});
    const given = await project.api('PUT', path, { url, headers });
    expect(given.body.headers).toEqual({ Authorization: '***' });
  });

  test('a deleted endpoint is gone', async () => {
    const { id } = await createEndpoint(project, url);
    const gone = await project.api('DELETE', `/v1/webhooks/${id}`);
    expect([gone.status, gone.body]).toEqual([204, '']);
    expect((await project.api('GET', `/v1/webhooks/${id}`)).status).toBe(404);
    expect((await project.api('DELETE', `/v1/webhooks/${id}`)).status).toBe(404);
    expect((await project.api('GET', '/v1/webhooks')).body.data).toEqual([]);
  });
});

describe('a filter', () => {
  const data = {
    ticket_id: 't-1',
    subject: 'Refund of order 7',
    priority: 5,
    urgent: true,
    tags: ['vip', 'refund'],
    customer: { plan: 'pro', since: null },
  };
  const filtered = (rules: object[], match?: 'all' | 'any') => ({ ...(match && { match }), rules });

  test.each([
    ['eq', { field: 'customer.plan', op: 'eq', value: 'pro' }, true],
    ['eq of another type', { field: 'priority', op: 'eq', value: '5' }, false],
    ['eq of a boolean', { field: 'urgent', op: 'eq', value: true }, true],
    ['ne', { field: 'customer.plan', op: 'ne', value: 'free' }, true],
    ['ne of what is not there', { field: 'nothing', op: 'ne', value: 'x' }, false],
    ['gt', { field: 'priority', op: 'gt', value: 4 }, true],
    ['gt of its own value', { field: 'priority', op: 'gt', value: 5 }, false],
    ['gt of another type', { field: 'customer.plan', op: 'gt', value: 1 }, false],
    ['lt', { field: 'priority', op: 'lt', value: 10 }, true],
    ['contains in a text', { field: 'subject', op: 'contains', value: 'order' }, true],
    ['contains in a list', { field: 'tags', op: 'contains', value: 'vip' }, true],
    ['contains of a part of an element', { field: 'tags', op: 'contains', value: 'vi' }, false],
    ['contains in a number', { field: 'priority', op: 'contains', value: '5' }, false],
    ['exists', { field: 'customer.plan', op: 'exists' }, true],
    ['exists of null', { field: 'customer.since', op: 'exists' }, false],
    ['exists of what is not there', { field: 'customer.plan.name', op: 'exists' }, false],
    ['exists, true', { field: 'customer.plan', op: 'exists', value: true }, true],
    ['exists, true, of what is not there', { field: 'nothing', op: 'exists', value: true }, false],
    ['exists, false', { field: 'customer.plan', op: 'exists', value: false }, false],
    ['exists, false, of null', { field: 'customer.since', op: 'exists', value: false }, true],
    ['exists, false, of what is not there', { field: 'nothing', op: 'exists', value: false }, true],
  ])('%s', async (_, rule, matches) => {
    expect(await judged(filtered([rule]))).toBe(matches);
  });

  /** The number of its deliveries. A made-up event, of which the contract knows nothing. */
  async function emitted(): Promise<number> {
    const id = randomUUID();
    const body = JSON.stringify({ event: 'ticket.created', data });
    return withTransaction(service.pool, async (db) => {
      await db.query(
        `INSERT INTO events (id, project_id, name, body) VALUES ($1, $2, 'ticket.created', $3)`,
        [id, project.id, body],
      );
      return (await deliveries.fanOut(db, [{ id }])).get(id) ?? 0;
    });
  }

  async function judged(filter: object): Promise<boolean> {
    const { body } = await project.api('POST', '/v1/webhooks', { url, filter });
    const count = await emitted();
    await project.api('DELETE', `/v1/webhooks/${body.id}`);
    return count === 1;
  }

  test('needs all of its rules, or any', async () => {
    const rules = [
      { field: 'priority', op: 'gt', value: 4 },
      { field: 'urgent', op: 'eq', value: false },
    ];
    expect(await judged(filtered(rules))).toBe(false);
    expect(await judged(filtered(rules, 'any'))).toBe(true);
  });

  test('is kept, changed and removed; it decides about published events, and test events ignore it', async () => {
    const filter = filtered([{ field: 'subject', op: 'eq', value: 'something else' }]);
    const { body } = await project.api('POST', '/v1/webhooks', { url, filter });
    expect(body.filter).toEqual({ match: 'all', ...filter });
    const path = `/v1/webhooks/${body.id}`;
    expect(await emitted()).toBe(0);
    expect((await project.api('POST', `${path}/test`)).status).toBe(202);
    expect((await project.api('POST', '/v1/webhooks/test', {})).body.deliveries).toBe(1);
    const preview = await project.api('POST', '/v1/webhooks/filter-preview', { filter });
    expect(preview.body.data).toEqual([
      {
        event_id: expect.any(String),
        event: 'ticket.created',
        created_at: expect.any(String),
        matches: false,
      },
    ]);
    expect((await project.api('PUT', path, { description: 'x' })).body.filter).toEqual(body.filter);
    expect((await project.api('PUT', path, { filter: null })).body.filter).toBeNull();
    expect(await emitted()).toBe(1);
  });

  test.each([
    ['without rules', { rules: [] }, /^filter\.rules: /],
    ['with eleven', { rules: Array(11).fill({ field: 'a', op: 'exists' }) }, /^filter\.rules: /],
    ['a field with a hyphen', filtered([{ field: 'a-b', op: 'exists' }]), /field: must be/],
    ['six names', filtered([{ field: 'a.b.c.d.e.f', op: 'exists' }]), /field: must be/],
    ['no value', filtered([{ field: 'a', op: 'eq' }]), /value: is required/],
    [
      'exists of a number',
      filtered([{ field: 'a', op: 'exists', value: 1 }]),
      /value: must be true or false/,
    ],
    ['gt of a boolean', filtered([{ field: 'a', op: 'gt', value: true }]), /value: must be a number/],
  ])('%s is refused', async (_, filter, message) => {
    const answer = await project.api('POST', '/v1/webhooks', { url, filter });
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed']);
    expect(answer.body.error).toMatch(message);
  });
});

describe('rotating the secret', () => {
  test('returns a new secret and keeps both valid', async () => {
    const { id, secret } = await createEndpoint(project, url);
    const { status, body } = await project.api('POST', `/v1/webhooks/${id}/rotate-secret`);
    expect(status).toBe(200);
    expect(body).toEqual({ id, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) });
    expect(body.secret).not.toBe(secret);
    const { rows } = await service.pool.query<{ hours: number | null }>(
      `SELECT extract(epoch FROM expires_at - now())::float / 3600 AS hours FROM endpoint_secrets
       WHERE endpoint_id = $1 ORDER BY id`,
      [id],
    );
    expect(rows[0]!.hours).toBeCloseTo(24, 1);
    const { secrets } = (await project.api('GET', `/v1/webhooks/${id}`)).body;
    expect(secrets).toEqual([
      { created_at: expect.any(String), expires_at: null },
      { created_at: expect.any(String), expires_at: expect.any(String) },
    ]);
    expect(rows[1]!.hours).toBeNull();
    await service.pool.query(
      'UPDATE endpoint_secrets SET expires_at = now() WHERE endpoint_id = $1 AND expires_at IS NOT NULL',
      [id],
    );
    expect((await project.api('GET', `/v1/webhooks/${id}`)).body.secrets).toEqual([
      { created_at: secrets[0].created_at, expires_at: null },
    ]);
  });

  test('ten an hour, even at once; then 429 until the oldest is an hour old', async () => {
    const { id } = await createEndpoint(project, url);
    const path = `/v1/webhooks/${id}/rotate-secret`;
    const answers = await Promise.all(Array.from({ length: 14 }, () => project.api('POST', path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ code: 'rate_limit_rotations', retryable: true });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3500);
    expect(wait).toBeLessThanOrEqual(3600);
    await service.pool.query(
      `UPDATE endpoint_secrets SET expires_at = expires_at - interval '61 minutes' WHERE id =
         (SELECT min(id) FROM endpoint_secrets WHERE endpoint_id = $1)`,
      [id],
    );
    expect((await project.api('POST', path)).status).toBe(200);
    expect((await project.api('POST', path)).status).toBe(429);
  });

  test('secrets are not readable in the database', async () => {
    const { id, secret } = await createEndpoint(project, url);
    const { rows } = await service.pool.query<{ sealed: string }>(
      'SELECT sealed FROM endpoint_secrets WHERE endpoint_id = $1',
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]!.sealed).not.toContain(secret.slice('whsec_'.length));
  });
});

test('ids that are unknown, malformed or of another project all get 404', async () => {
  const stranger = await createEndpoint(await service.createProject(), url);
  const calls: [string, string, unknown?][] = [
    ['GET', '/v1/webhooks/{id}'],
    ['PUT', '/v1/webhooks/{id}', { description: 'mine now' }],
    ['DELETE', '/v1/webhooks/{id}'],
    ['POST', '/v1/webhooks/{id}/rotate-secret'],
    ['POST', '/v1/webhooks/{id}/test'],
    ['POST', '/v1/webhooks/{id}/recover', { since: new Date().toISOString() }],
    ['GET', '/v1/webhooks/{id}/deliveries'],
    ['GET', '/v1/deliveries/{id}'],
    ['POST', '/v1/deliveries/{id}/retry'],
    ['POST', '/v1/deliveries/{id}/cancel'],
  ];
  for (const [method, path, body] of calls) {
    for (const id of [randomUUID(), 'nonsense', stranger.id]) {
      const answer = await project.api(method, path.replace('{id}', id), body);
      expect([method, path, id, answer.status, answer.body.code]).toEqual([
        method,
        path,
        id,
        404,
        'not_found',
      ]);
    }
  }
});

describe('sending a test event', () => {
  test('is refused on a disabled endpoint and for an unknown event', async () => {
    const { id } = await createEndpoint(project, url);
    const unknown = await project.api('POST', `/v1/webhooks/${id}/test`, { event: 'no.such' });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'validation_failed']);
    await project.api('PUT', `/v1/webhooks/${id}`, { status: 'disabled' });
    const disabled = await project.api('POST', `/v1/webhooks/${id}/test`, {});
    expect([disabled.status, disabled.body.code]).toEqual([409, 'conflict']);
  });
});
