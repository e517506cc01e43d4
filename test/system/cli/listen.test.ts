import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isValidWebhook } from '../../../sdk/typescript/src';
import { writeRuntime } from '../../../src/local/data-dir';
import { insertProject } from '../../../src/domains/projects/queries/projects';
import { createTestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { userEnvironment } from '../../support/npm-start';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy';
import { createSession } from '../login/fixture';
import { subscribePerson } from '../messages/fixture';
import {
  createEndpoint,
  emitExample,
  emitOne,
  scriptedReceiver,
  untilStatus,
  type ScriptedReceiver,
} from '../webhooks/fixture';
import { cli, herald, heraldJson, settingsOf } from './fixture';

jest.setTimeout(120_000);

let service: Installation;
let settings: Record<string, string>;
let project: TestProject;
let receiver: ScriptedReceiver;
const running: ChildProcess[] = [];
const proxies: TcpProxy[] = [];

beforeAll(async () => {
  service = await useService();
  settings = settingsOf(service);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  project = await service.createProject();
  receiver = await scriptedReceiver(200);
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
  }
  for (const proxy of proxies.splice(0)) await proxy.close();
  await receiver.close();
});

async function proxyTo(port: string): Promise<TcpProxy> {
  const proxy = await startTcpProxy(Number(port));
  proxies.push(proxy);
  return proxy;
}

/** A command that runs until it is ended. */
function run(args: string[], env = settings) {
  const child = spawn(process.execPath, [cli, ...args], { env: userEnvironment(env) });
  running.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output.stderr += chunk));
  const lines = () => output.stdout.split('\n').slice(0, -1);
  return { child, output, lines };
}

const untilReady = async (listening: ReturnType<typeof run>) => {
  await eventually(() => listening.lines().length > 0, 60_000);
  return /signed with (whsec_\S+)/.exec(listening.lines()[0] ?? '')?.[1] ?? '';
};
const deliveredIds = () => receiver.received.map(({ headers }) => headers['x-service-delivery-id']);

test('listen against a remote service forwards what happened while the connection was lost, signed, each once', async () => {
  const proxy = await proxyTo(new URL(service.url).port);
  const listening = run([
    ...['listen', '--forward-to', receiver.url, '--api-url', `http://127.0.0.1:${proxy.port}`],
    ...['--api-key', project.api_key],
  ]);
  const secret = await untilReady(listening);
  const ids = [await emitExample(service, project)];
  await eventually(() => receiver.received.length === 1);
  await proxy.close();
  ids.push(await emitExample(service, project, 'otp.sent'), await emitExample(service, project));
  await proxy.open();
  await eventually(() => receiver.received.length === 3);
  await proxy.close();

  expect(deliveredIds()).toEqual(ids);
  for (const { body, headers } of receiver.received) expect(isValidWebhook(body, headers, secret)).toBe(true);
  await eventually(() => listening.lines().length === 4);
  expect(listening.lines()[2]).toMatch(/otp\.sent {2}200 {2}\d+ ms/);
  await eventually(() => {
    expect(listening.output.stderr).toMatch(/Disconnected: .+ Reconnecting in/);
    expect(listening.output.stderr).toContain('Connected again.');
    return true;
  });
});

/** Every line of `herald tail`, as text or JSON, has its time in the form of the API. */
function expectTimes(...tails: { lines(): string[] }[]): void {
  for (const line of tails.flatMap((tail) => tail.lines())) {
    expect(line).toMatch(/^(\{"at":")?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00[" ]/);
  }
}

test('listen and tail on this installation show what trigger sends, and what could not be forwarded', async () => {
  const { id: endpointId } = await createEndpoint(project, receiver.url, { events: ['otp.sent'] });
  const nowhere = await scriptedReceiver(200);
  await nowhere.close();
  const listening = run(['listen', '--forward-to', nowhere.url, '--project', project.slug]);
  const tailing = run(['tail', 'deliveries', '--project', project.slug]);
  await untilReady(listening);
  await eventually(() => tailing.output.stderr.includes('Waiting for deliveries'), 60_000);

  const sent = await heraldJson<{ event_id: string; deliveries: number }>(
    ['trigger', 'otp.sent', '--project', project.slug],
    settings,
  );
  expect(sent.deliveries).toBe(1);
  await eventually(() => listening.lines().some((line) => line.includes(sent.event_id)));
  expect(listening.lines()[1]).toMatch(/otp\.sent {2}could not forward: .*ECONNREFUSED/);
  await eventually(() => receiver.received.length === 1);
  expect(receiver.received[0]?.headers['x-service-test']).toBe('true');
  const path = new URL(receiver.url).pathname;
  const succeeded = `otp.sent  succeeded  200  ${path}`;
  await eventually(() => tailing.lines().some((line) => line.includes(succeeded)));
  const { body: listed } = await project.api<{ data: { ended_at: string }[] }>('GET', '/v1/deliveries');
  expect(tailing.lines().find((line) => line.includes(succeeded))).toContain(listed.data[0]?.ended_at);
  expectTimes(tailing);

  const named = await heraldJson<{ delivery_id: string }>(
    ['trigger', 'auth.completed', '--project', project.slug, '--endpoint', endpointId],
    settings,
  );
  await eventually(() => receiver.of(named.delivery_id).length === 1);
  const { body: audit } = await project.api<{ data: unknown[] }>('GET', '/v1/audit?actor=cli');
  expect(audit.data).toEqual([
    expect.objectContaining({ action: 'webhook.tested', target_id: endpointId }),
    expect.objectContaining({ action: 'webhook.tested', target_id: sent.event_id }),
  ]);

  await project.api('PUT', `/v1/webhooks/${endpointId}`, { status: 'disabled' });
  const refused = await herald(['trigger', 'otp.sent', '--endpoint', endpointId], settings);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `Endpoint "${endpointId}" is disabled: enable it first.\n`,
  ]);
});

test('tail on this installation shows logins, and messages of every kind', async () => {
  const { subscriberId } = await subscribePerson(service, project);
  const logins = run(['tail', 'logins', '--project', project.slug, '--json']);
  const messages = run(['tail', 'messages', '--project', project.slug, '--json']);
  for (const { output } of [logins, messages]) {
    await eventually(() => output.stderr.includes('Waiting for'), 60_000);
  }
  const session = await createSession(project);
  await eventually(() => logins.lines().length > 0);
  expect(JSON.parse(logins.lines()[0] ?? '')).toMatchObject({ id: session.session_id, status: 'pending' });

  const content = { text: 'Hello' };
  for (const [path, body] of [
    ['/v1/send', { subscriber_id: subscriberId, ...content }],
    ['/v1/send/batch', { messages: [{ subscriber_id: subscriberId, ...content }] }],
    ['/v1/broadcast', content],
  ] as const) {
    expect((await project.api('POST', path, body)).status).toBeLessThan(300);
  }
  const sent = () =>
    messages
      .lines()
      .map((line) => JSON.parse(line) as { what: string; status: string })
      .filter(({ status }) => status === 'sent')
      .map(({ what }) => what);
  await eventually(() => sent().length === 3);
  expect(sent().toSorted()).toEqual(['batch telegram', 'broadcast telegram', 'send telegram']);
  expectTimes(logins, messages);
});

test('listen on this installation says that it is connected again only when it is', async () => {
  const address = new URL(service.database.url);
  const proxy = await proxyTo(address.port);
  address.port = String(proxy.port);
  const listening = run(
    ['listen', '--forward-to', receiver.url, '--events', 'auth.completed', '--project', project.slug],
    { ...settings, DATABASE_URL: address.href },
  );
  await untilReady(listening);
  await proxy.close();
  await emitExample(service, project, 'otp.sent');
  const id = await emitExample(service, project, 'auth.completed');
  await eventually(() => listening.output.stderr.includes('Reconnecting in 2 s'));
  expect(listening.output.stderr).not.toContain('Connected again.');
  await proxy.open();
  await eventually(() => listening.lines().length > 1);
  expect(deliveredIds()).toEqual([id]);
  await eventually(() => listening.output.stderr.includes('Connected again.'));
  expect(listening.output.stderr.match(/Connected again\./g)).toHaveLength(1);
});

test('trigger and tail work on a remote service, with nothing but its address and a key', async () => {
  const { id: endpointId } = await createEndpoint(project, receiver.url, { events: ['otp.sent'] });
  await untilStatus(project, await emitOne(service, project, endpointId, 'otp.sent'), 'succeeded');
  const remote = ['--api-url', service.url];
  const env = { HERALD_API_KEY: project.api_key };
  const deliveries = run(['tail', 'deliveries', ...remote], env);
  const logins = run(['tail', 'logins', '--json', ...remote], env);
  const messages = run(['tail', 'messages', ...remote], env);
  for (const { output } of [deliveries, logins, messages]) {
    await eventually(() => output.stderr.includes('Waiting for'), 60_000);
  }

  const all = await heraldJson<{ event_id: string; deliveries: number }>(
    ['trigger', 'otp.sent', ...remote],
    env,
  );
  expect(all).toEqual({ event_id: expect.any(String), deliveries: 1 });
  await eventually(() => receiver.received.length === 2);
  expect(receiver.received[1]?.headers['x-service-test']).toBe('true');
  const one = await heraldJson<{ delivery_id: string }>(
    ['trigger', 'auth.completed', '--endpoint', endpointId, ...remote],
    env,
  );
  await eventually(() => receiver.of(one.delivery_id).length === 1);
  await eventually(() => deliveries.lines().some((line) => /auth\.completed {2}succeeded {2}200/.test(line)));
  // What was there before is not shown.
  const shown = () => new Set(deliveries.lines().map((line) => line.split('  ').at(-1)));
  await eventually(() => shown().size >= 2);
  expect(shown().size).toBe(2);

  const session = await createSession(project);
  await eventually(() => logins.lines().length > 0);
  expect(JSON.parse(logins.lines()[0] ?? '')).toMatchObject({ id: session.session_id, status: 'pending' });
  await project.api('DELETE', `/v1/auth/session/${session.session_id}`);
  await eventually(() => logins.lines().some((line) => line.includes('"expired"')));
  const sent = await emitExample(service, project, 'delivery.failed');
  await eventually(() => messages.lines().some((line) => line.includes(sent)));
  expect(messages.lines()[0]).toMatch(/telegram {2}failed {2}user_blocked_bot/);
  expectTimes(deliveries, logins, messages);
});

test('without --project trigger and listen take the only project', async () => {
  const database = await createTestDatabase();
  try {
    const env = { ...settings, DATABASE_URL: database.url };
    const none = await herald(['trigger', 'otp.sent'], env);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/^There is no project yet: .+\n$/) });
    await insertProject(database.pool, { slug: 'only', name: 'Only' });
    const listening = run(['listen', '--forward-to', receiver.url], env);
    await untilReady(listening);
    const { event_id } = await heraldJson<{ event_id: string }>(['trigger', 'otp.sent'], env);
    await eventually(() => deliveredIds().includes(event_id));
    listening.child.kill('SIGTERM');
    await once(listening.child, 'exit');
  } finally {
    await database.drop();
  }
});

test('without --project, of several projects the one of the endpoint or of the embedded demo is taken', async () => {
  const other = await service.createProject();
  const { id: endpointId } = await createEndpoint(other, receiver.url, { events: ['otp.sent'] });
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-demo-'));
  const embedded = { HERALD_DATA_DIR: directory };
  const writeDemo = (demo: { slug: string } | null) =>
    writeRuntime(directory, { database_url: service.database.url, demo });
  try {
    const one = ['trigger', 'auth.completed', '--endpoint', endpointId];
    const { delivery_id } = await heraldJson<{ delivery_id: string }>(one, settings);
    await eventually(() => receiver.of(delivery_id).length === 1);
    const wrong = await herald([...one, '--project', project.slug], settings);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: `Endpoint "${endpointId}" not found in ${project.slug}.\n`,
    });

    writeDemo({ slug: other.slug });
    const sent = await heraldJson<{ deliveries: number }>(['trigger', 'otp.sent'], embedded);
    expect(sent.deliveries).toBe(1);
    // The record of a service with another database says nothing about this one.
    const elsewhere = { ...embedded, DATABASE_URL: `${service.database.url}?application_name=other` };
    const refusals = [await herald(['trigger', 'otp.sent'], elsewhere)];
    writeDemo(null);
    refusals.push(await herald(['listen', '--forward-to', receiver.url], embedded));
    for (const { code, stderr } of refusals) {
      expect([stderr, code]).toEqual(['There are several projects: choose one with --project.\n', 1]);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});

test.each([
  [['trigger', 'otp.sent', '--api-url', 'http://127.0.0.1:9/'], /needs both --api-url and --api-key/],
  [['trigger', 'otp.sent', '--api-url', 'http://127.0.0.1:9/', '--api-key', 'hk_x'], /127\.0\.0\.1/],
  [['listen', '--forward-to', 'nowhere', '--project', 'demo'], /"nowhere" is not an http address/],
  [['listen', '--forward-to', 'http://127.0.0.1:9/', '--events', 'nothing'], /"nothing" is not an event/],
  [['trigger', 'nothing', '--project', 'demo'], /nothing/],
  [['trigger', 'auth.complete', '--project', 'demo'], /Did you mean auth\.completed\?\s*$/],
  [['tail', 'nothing'], /nothing/],
])('%j is refused with a sentence', async (args, sentence) => {
  const { code, stderr } = await herald(args, settings);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(sentence);
});
