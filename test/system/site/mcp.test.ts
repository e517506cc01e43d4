import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import Koa from 'koa';
import { createOwnRequests } from '../../../src/base/http/own-requests';
import { mcpEndpoint } from '../../../src/site/mcp/endpoint';
import type { Caller } from '../../../src/base/http/route';
import { createRoutes } from '../../../src/process/roles/api';
import { eventually } from '../../support/eventually';
import { userEnvironment } from '../../support/npm-start';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { cli, herald, settingsOf } from '../cli/fixture';

let service: TestService;
let project: TestProject;
const clients: Client[] = [];

beforeAll(async () => {
  // Its own: the list of its routes.
  service = await startTestService({ env: { HERALD_TRUST_PROXY: '1' }, queues: [] });
  project = await service.createProject();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => service.stop());

async function connect(transport: Transport, options?: ClientOptions): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  await client.connect(transport);
  clients.push(client);
  return client;
}

/** The address of the agent, as the proxy in front of the service says. */
const AGENT = '203.0.113.7';

const overHttp = (key: string, options?: ClientOptions) =>
  connect(
    new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': AGENT } },
    }),
    options,
  );
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

test('a key sees and calls the tools of its scopes, and no other', async () => {
  const reader = await overHttp(await service.createKey(project.id, ['read']));
  const sender = await overHttp(await service.createKey(project.id, ['read', 'send']));
  const [readable, sendable] = [await namesOf(reader), await namesOf(sender)];
  expect(readable).toEqual(expect.arrayContaining(['project_get', 'subscribers_list', 'webhooks_list']));
  expect(readable).not.toContain('messages_send');
  expect(sendable).toContain('messages_send');
  expect(sendable).not.toContain('keys_list');
  await expect(reader.callTool({ name: 'messages_send', arguments: {} })).rejects.toThrow(
    /no tool "messages_send"/,
  );
});

test('a tool is a request to the API: result, refusal and change', async () => {
  const client = await overHttp(project.api_key);
  const created = await client.callTool({
    name: 'templates_create',
    arguments: { body: { key: 'hello', variants: { en: { text: 'Hello {{first_name}}' } } } },
  });
  expect(created.structuredContent).toMatchObject({ key: 'hello', version: 1 });
  const found = await client.callTool({ name: 'templates_get', arguments: { key: 'hello' } });
  expect(found.structuredContent).toEqual(created.structuredContent);
  const listed = await client.callTool({ name: 'templates_list', arguments: { purpose: 'reply' } });
  expect(listed.structuredContent).toMatchObject({ data: [] });
  const refused = await client.callTool({
    name: 'templates_create',
    arguments: { body: { key: 'NOT A KEY', variants: {} } },
  });
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.stringify(refused.content)).toContain('validation_failed');
  const elsewhere = await client.callTool({ name: 'templates_get', arguments: { key: '..' } });
  expect(JSON.stringify(elsewhere.content)).toContain('not_found');
  const removed = await client.callTool({ name: 'templates_delete', arguments: { key: 'hello' } });
  expect(removed).toMatchObject({ isError: false, content: [{ type: 'text', text: 'Done.' }] });
  const { data } = (await project.api<{ data: { action: string; ip: string }[] }>('GET', '/v1/audit')).body;
  const ofTools = data.filter(({ action }) => action.startsWith('template.'));
  expect(ofTools.map(({ ip }) => ip)).toEqual([AGENT, AGENT]);
});

test('a client that prefers a newer protocol agrees on one that the service has', async () => {
  const client = await overHttp(project.api_key, { versionNegotiation: { mode: 'auto' } });
  const shown = await client.callTool({ name: 'project_get', arguments: {} });
  expect(shown.structuredContent).toMatchObject({ slug: project.slug });
});

test('a value in a path leads to no other route', async () => {
  const client = await overHttp(project.api_key);
  for (const [name, given] of [
    ['webhooks_get', { id: 'stream' }],
    ['messages_get', { delivery_id: 'stats' }],
    ['subscribers_get', {}],
  ] as const) {
    const result = await client.callTool({ name, arguments: given });
    expect({ name, isError: result.isError }).toEqual({ name, isError: true });
    expect(JSON.stringify(result.content)).toContain('not_found');
  }
});

test('the request to the API ends when the caller of the tool has gone', async () => {
  const api = http.createServer().listen(0, '127.0.0.1');
  const { url, app } = await mcpInFrontOf(api);
  try {
    const called = once(api, 'request');
    const leaving = new AbortController();
    const call = { method: 'tools/call', params: { name: 'project_get', arguments: {} } };
    const response = fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }),
      signal: leaving.signal,
    }).catch(() => undefined);
    const [, res] = (await called) as [http.IncomingMessage, http.ServerResponse];
    const ended = once(res, 'close');
    leaving.abort();
    await response;
    await ended;
  } finally {
    for (const server of [api, app]) server.close().closeAllConnections();
  }
});

/** The endpoint with the tools of the service, whose calls go to another server. */
async function mcpInFrontOf(api: http.Server) {
  await once(api, 'listening');
  const routes = createRoutes(service.service.core, {
    parts: [],
    waiter: { watch: jest.fn(), stop: jest.fn() },
  });
  const ownUrl = () => `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const caller = { id: project.id, active: true, scopes: ['read'] } as unknown as Caller;
  const endpoint = mcpEndpoint({
    routes,
    authenticate: async () => caller,
    countRequest: async () => ({ allowed: true, limit: 1, remaining: 0, reset: 0, retryAfter: 1 }),
    ownUrl,
    ownRequests: createOwnRequests(),
    version: '1',
  });
  const app = new Koa().use(endpoint).listen(0, '127.0.0.1');
  await once(app, 'listening');
  return { app, url: `http://127.0.0.1:${(app.address() as AddressInfo).port}` };
}

test('no tool returns a secret or a login code', async () => {
  const { tools } = await (await overHttp(project.api_key)).listTools();
  const secrets = tools.filter(({ outputSchema }) =>
    /"(secret|api_key|client_secret|join_link|token)":/.test(JSON.stringify(outputSchema?.properties ?? {})),
  );
  expect(secrets.map(({ name }) => name)).toEqual([]);
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[A-Za-z0-9_]{1,64}$/.test(name))).toEqual([]);
  for (const hidden of [
    'webhooks_create',
    'keys_create',
    'auth_getSessionStatus',
    'auth_getRequest',
    'invitations_create',
  ]) {
    expect(names).not.toContain(hidden);
  }
});

test('every message counts as one request of the project, and a batch is refused', async () => {
  const { id, api_key } = await service.createProject({ requests_per_minute: 3 });
  const post = (body: unknown) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api_key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(body),
    });
  const list = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };
  const call = {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'project_get', arguments: {} },
  };
  const listed = await post(list);
  expect([listed.status, listed.headers.get('x-ratelimit-remaining')]).toEqual([200, '2']);
  expect(await listed.json()).toMatchObject({
    jsonrpc: '2.0',
    id: 'a',
    result: { tools: expect.any(Array) },
  });
  const called = await post(call);
  // The request that the tool makes is not counted again.
  expect([called.status, called.headers.get('x-ratelimit-remaining')]).toEqual([200, '1']);
  expect(await called.json()).toMatchObject({ id: 2, result: { structuredContent: { id } } });
  const batch = await post([list, call]);
  expect([batch.status, await batch.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'validation_failed', error: expect.stringContaining('batch') }),
  ]);
  const refused = await post(list);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
  expect(await refused.json()).toMatchObject({ code: 'rate_limit_project' });
});

test('only a key opens it, and a revoked one no longer', async () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  expect((await post({})).status).toBe(401);
  expect((await post({ cookie: 'herald_dashboard=anything' })).status).toBe(401);
  expect((await fetch(`${service.url}/mcp`)).status).toBe(405);
  const created = await project.api('POST', '/v1/keys', { name: 'agent' });
  const { id, api_key: key } = created.body as { id: string; api_key: string };
  const client = await overHttp(key);
  expect(await namesOf(client)).toContain('project_get');
  await project.api('DELETE', `/v1/keys/${id}`);
  await eventually(async () => (await post({ authorization: `Bearer ${key}` })).status === 401);
});

test('herald mcp responds to the last request of an agent that closes its input', async () => {
  const child = spawn(process.execPath, [cli, 'mcp', '--api-url', service.url], {
    env: { ...userEnvironment(settingsOf(service)), HERALD_API_KEY: project.api_key },
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' })}\n`);
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: 7, result: { tools: expect.any(Array) } });
}, 60_000);

test('herald mcp ends a call that its agent has cancelled', async () => {
  const api = http.createServer().listen(0, '127.0.0.1');
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const child = spawn(process.execPath, [cli, 'mcp', '--api-url', `http://127.0.0.1:${port}`], {
    env: { ...userEnvironment({}), HERALD_API_KEY: 'hk_x' },
  });
  try {
    const write = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const called = once(api, 'request');
    write({ id: 7, method: 'tools/call', params: { name: 'project_get' } });
    const [, response] = (await called) as [http.IncomingMessage, http.ServerResponse];
    const ended = once(response, 'close');
    write({ method: 'notifications/cancelled', params: { requestId: 7 } });
    await ended;
  } finally {
    child.kill();
    api.close().closeAllConnections();
  }
}, 60_000);

test('herald mcp refuses an address that is none with a sentence', async () => {
  const refused = await herald(['mcp', '--api-url', 'nonsense', '--api-key', 'hk_x'], settingsOf(service));
  expect(refused).toMatchObject({ code: 1, stderr: '"nonsense" is not an http address.\n' });
}, 60_000);

test('herald mcp serves a local agent', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, 'mcp', '--api-url', service.url],
    env: { ...userEnvironment(settingsOf(service)), HERALD_API_KEY: project.api_key },
  });
  const client = await connect(transport);
  expect(await namesOf(client)).toContain('project_get');
  const shown = await client.callTool({ name: 'project_get', arguments: {} });
  expect(shown.structuredContent).toMatchObject({ slug: project.slug });
}, 60_000);
