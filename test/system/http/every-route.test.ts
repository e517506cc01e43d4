import { request } from 'undici';
import { MIB } from '../../../src/base/contract/limits';
import { findProjectByKey, revokeApiKey } from '../../../src/domains/projects/queries/keys';
import { updateProject } from '../../../src/domains/projects/queries/projects';
import { sha256 } from '../../../src/base/lib/tokens';
import { stablePort } from '../../support/stable-port';
import { scrape } from '../operations/fixture';
import { createApi, type ApiResponse } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually, SOON_MS } from '../../support/eventually';
import { expectError, sendLarge } from './fixture';

/** Asks until the answer has this status, for a while. */
function untilStatusIs(ask: () => Promise<ApiResponse>, status: number): Promise<ApiResponse> {
  return eventually(async () => {
    const answer = await ask();
    if (answer.status !== status) throw new Error(`still ${answer.status}`);
    return answer;
  }, SOON_MS);
}

const unknownId = '00000000-0000-4000-8000-000000000000';

describe('every route of the API', () => {
  let service: TestService;
  let project: TestProject;

  beforeAll(async () => {
    // Its own: parts of this file take its servers away.
    service = await startTestService({ roles: 'api' });
    project = await service.createProject();
  });
  afterAll(() => service.stop());

  it('returns data when the key is good', async () => {
    const answer = await project.api('GET', '/v1/event-types');
    expect(answer.status).toBe(200);
    expect(answer.body.data.length).toBeGreaterThan(20);
  });

  it.each(['{', '{"url":', 'not json', '"\\ud800', '[1,]', '\u0000'])(
    'refuses malformed JSON %j with validation_failed',
    async (body) => {
      expectError(await project.api('POST', '/v1/webhooks', body), 'validation_failed', /JSON|character/);
    },
  );

  it('refuses bytes that are not UTF-8 with validation_failed', async () => {
    const response = await fetch(`${service.url}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.api_key}`, 'content-type': 'application/json' },
      body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
    });
    const answer = { status: response.status, headers: response.headers, body: await response.json() };
    expectError(answer, 'validation_failed', 'UTF-8');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'refuses the content type %s with unsupported_media_type',
    async (type) => {
      const answer = await project.api('POST', '/v1/webhooks', 'a=1', { 'content-type': type });
      expectError(answer, 'unsupported_media_type');
    },
  );

  it('refuses a compressed body with unsupported_media_type', async () => {
    const answer = await project.api('POST', '/v1/webhooks', '{}', { 'content-encoding': 'gzip' });
    expectError(answer, 'unsupported_media_type', 'compressed');
  });

  it('refuses a body above 1 MiB with payload_too_large, announced or streamed', async () => {
    const large = JSON.stringify({ url: 'x'.repeat(1024 * 1024) });
    expectError(await project.api('POST', '/v1/webhooks', large), 'payload_too_large');

    const chunk = new TextEncoder().encode('x'.repeat(64 * 1024));
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(chunk);
        sent += chunk.length;
        if (sent > 4 * 1024 * 1024) controller.close();
      },
    });
    const response = await fetch(`${service.url}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.api_key}`, 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit);
    const answer = { status: response.status, headers: response.headers, body: await response.json() };
    expectError(answer, 'payload_too_large');
  });

  it('lets a client that closes its connection read the refusal of a large body', async () => {
    for (const key of [project.api_key, 'unknown']) {
      const answer = await sendLarge(`${service.url}/v1/webhooks`, key, 8 * MIB);
      expectError(answer, key === 'unknown' ? 'invalid_api_key' : 'payload_too_large');
    }
  });

  it('refuses a body where there is none to give, and takes an empty object', async () => {
    const withBody = (body: string) =>
      request(`${service.url}/v1/event-types`, {
        method: 'GET',
        headers: { authorization: `Bearer ${project.api_key}`, 'content-type': 'application/json' },
        body,
      });
    const refused = await withBody('{"x":1}');
    expect([refused.statusCode, await refused.body.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'validation_failed' }),
    ]);
    const taken = await withBody('{}');
    expect(taken.statusCode).toBe(200);
    await taken.body.dump();
  });

  it('returns not_found for an unknown path and method_not_allowed for a wrong method', async () => {
    expectError(await project.api('GET', '/v1/nothing-here'), 'not_found');
    expectError(await project.api('GET', '/V1/event-types'), 'not_found');
    expectError(await project.api('GET', '/v1/event-types/'), 'not_found');
    expectError(await service.apiWith(null)('GET', '/nothing-here'), 'not_found');
    const wrong = await project.api('DELETE', '/v1/event-types');
    expectError(wrong, 'method_not_allowed');
    expect(wrong.headers.get('allow')?.split(', ')).toContain('GET');
  });

  it('returns not_found for an unknown id and for a malformed one alike', async () => {
    const unknown = await project.api('GET', `/v1/webhooks/${unknownId}`);
    const malformed = await project.api('GET', '/v1/webhooks/%00%2e%2e');
    expectError(unknown, 'not_found');
    expectError(malformed, 'not_found');
    expect(malformed.body).toEqual(unknown.body);
  });

  it.each([
    ['no header', {}],
    ['another scheme', { authorization: 'Basic aGVsbG86d29ybGQ=' }],
    ['no key after Bearer', { authorization: 'Bearer ' }],
    ['a bare key', { authorization: 'hk_0000000000000000000000000000000000000000' }],
  ])('refuses %s with unauthorized', async (_name, headers) => {
    expectError(
      await service.apiWith(null)('GET', '/v1/event-types', undefined, headers as Record<string, string>),
      'unauthorized',
    );
  });

  it.each(['x', `hk_${'0'.repeat(40)}`, 'ключ', 'two words', `a${' '.repeat(8_000)}b`])(
    'refuses the unknown key %s with invalid_api_key',
    async (key) => {
      const header = Buffer.from(key, 'utf8').toString('latin1');
      expectError(await service.apiWith(header)('GET', '/v1/event-types'), 'invalid_api_key');
    },
  );

  it('checks the key before the body, so that strangers learn nothing', async () => {
    expectError(await service.apiWith('x')('POST', '/v1/webhooks', '{'), 'invalid_api_key');
  });

  it('takes a scheme in any case and more than one space', async () => {
    const answer = await service.apiWith(null)('GET', '/v1/event-types', undefined, {
      authorization: `bearer   ${project.api_key}`,
    });
    expect(answer.status).toBe(200);
  });

  it('refuses a character that cannot be stored, and names its field', async () => {
    for (const text of ['a\0b', '\ud800']) {
      const answer = await project.api('POST', '/v1/webhooks', {
        url: 'https://example.com',
        description: text,
      });
      expectError(answer, 'validation_failed', /^description: /);
    }
    expectError(await project.api('GET', '/v1/webhooks/x/deliveries?cursor=%00'), 'not_found');
  });

  it('names the field at fault', async () => {
    const answer = await project.api('POST', '/v1/webhooks', { url: 7, colour: 'red' });
    expectError(answer, 'validation_failed', /url: .*colour: is not a known field/);
  });

  it('keeps the request id of the caller, and makes one where it has none or an odd one', async () => {
    const given = await project.api('GET', '/v1/event-types', undefined, { 'x-request-id': 'order-42' });
    expect(given.headers.get('x-request-id')).toBe('order-42');
    const odd = await project.api('GET', '/v1/event-types', undefined, { 'x-request-id': 'a b<c>' });
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('stops taking a key soon after its revocation', async () => {
    const { api, api_key, id } = await service.createProject();
    expect((await api('GET', '/v1/event-types')).status).toBe(200);
    const { key_id } = (await findProjectByKey(service.pool, sha256(api_key))) ?? {};
    await revokeApiKey(service.pool, id, key_id ?? '');
    const refused = await untilStatusIs(() => api('GET', '/v1/event-types'), 401);
    expectError(refused, 'invalid_api_key');
  });

  it('returns project_inactive after the switch, and works again after it is switched back', async () => {
    const { api, id } = await service.createProject();
    expect((await api('GET', '/v1/event-types')).status).toBe(200);
    await updateProject(service.pool, id, { active: false });
    const refused = await untilStatusIs(() => api('GET', '/v1/event-types'), 403);
    expectError(refused, 'project_inactive');
    await updateProject(service.pool, id, { active: true });
    await untilStatusIs(() => api('GET', '/v1/event-types'), 200);
  });

  it('keeps the time of the last use of a key', async () => {
    const { api, id } = await service.createProject();
    await api('GET', '/v1/event-types');
    await eventually(async () => {
      const { rows } = await service.pool.query('SELECT last_used_at FROM api_keys WHERE project_id = $1', [
        id,
      ]);
      return rows[0]?.last_used_at;
    });
  });

  it('sends headers that keep browsers from guessing and framing', async () => {
    const { headers } = await service.apiWith(null)('GET', '/docs');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
    // The documentation contains nothing private, so browsers may keep it if they ask whether it has changed.
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  it('has an anchor for the docs_url of every error', async () => {
    const { body } = await project.api('GET', '/v1/nothing-here');
    const [page = '', code] = (body.docs_url as string).split('#');
    expect(page.startsWith(`${service.url}/`)).toBe(true);
    expect(await (await fetch(page)).text()).toContain(`id="${code}"`);
  });
});

describe('without Temporal', () => {
  let service: TestService;
  afterEach(() => service.stop());

  it('the API is ready: it says that it is degraded, and so do the metrics', async () => {
    service = await startTestService({ roles: 'api', temporalAddress: `127.0.0.1:${await stablePort()}` });
    const degraded = {
      status: 200,
      body: { status: 'degraded', parts: { database: 'ok', temporal: 'unavailable' } },
    };
    for (const url of [service.url, service.service.operatorsUrl]) {
      await eventually(async () => {
        expect(await createApi(url, null)('GET', '/readyz')).toMatchObject(degraded);
        return true;
      });
    }
    const page = await scrape(service.service.operatorsUrl);
    expect(page.value('herald_dependency_available', { dependency: 'temporal' })).toBe(0);
    expect(page.value('herald_dependency_available', { dependency: 'database' })).toBe(1);
    const project = await service.createProject();
    expect((await project.api('POST', '/v1/auth/session', { state: 's' })).status).toBe(201);
  });
});

describe('without its database', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let service: TestService;
  let project: TestProject;

  beforeAll(async () => {
    database = await createTestDatabase();
    const url = new URL(database.url);
    proxy = await startTcpProxy(Number(url.port));
    url.port = String(proxy.port);
    service = await startTestService({ roles: 'api', database: { ...database, url: url.href } });
    project = await service.createProject();
  });
  afterAll(async () => {
    await proxy.open();
    await service.stop();
    await proxy.close();
    await database.drop();
  });

  it('returns service_unavailable with Retry-After, names the missing part, and recovers by itself', async () => {
    expect((await project.api('GET', '/v1/event-types')).status).toBe(200);
    await eventually(async () => {
      expect(await service.apiWith(null)('GET', '/readyz')).toMatchObject({
        status: 200,
        body: { status: 'ready', parts: { database: 'ok', temporal: 'ok' } },
      });
      return true;
    });
    await proxy.close();
    // Half a second of what is known of the key may pass before the database is asked again.
    await eventually(async () => (await project.api('GET', '/v1/event-types')).status !== 200);
    expectError(await project.api('GET', '/v1/event-types'), 'service_unavailable');
    expectError(
      await project.api('POST', '/v1/webhooks', { url: 'https://example.com' }),
      'service_unavailable',
    );
    expectError(
      await service.apiWith(null)('GET', '/readyz'),
      'service_unavailable',
      'Not ready: database unavailable',
    );
    expect((await service.apiWith(null)('GET', '/healthz')).body).toEqual({ status: 'ok' });
    await proxy.open();
    await eventually(async () => (await service.apiWith(null)('GET', '/readyz')).status === 200);
    expect((await project.api('GET', '/v1/event-types')).status).toBe(200);
  });
});
