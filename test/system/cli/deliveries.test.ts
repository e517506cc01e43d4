import { spawn } from 'node:child_process';
import { confirmedSession, createSession } from '../login/fixture';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  type ScriptedReceiver,
} from '../webhooks/fixture';
import { userEnvironment } from '../../support/npm-start';
import { cli, herald, heraldJson, settingsOf } from './fixture';

jest.setTimeout(120_000);

let service: Installation;
let settings: Record<string, string>;
let receiver: ScriptedReceiver;
let project: TestProject;
let endpointId: string;

beforeAll(async () => {
  service = await useService();
  settings = settingsOf(service);
});
afterAll(() => service?.stop());
beforeEach(async () => {
  receiver = await scriptedReceiver(503);
  project = await service.createProject();
  endpointId = (await createEndpoint(project, receiver.url)).id;
});
afterEach(() => receiver.close());

interface Listed {
  id: string;
  project: string;
  status: string;
  event: string;
}

const list = (...filters: string[]) => heraldJson<Listed[]>(['deliveries', 'list', ...filters], settings);
const ids = (found: Listed[]) => found.map(({ id }) => id);

test('deliveries of every project are listed, newest first, by any mix of filters', async () => {
  const other = await service.createProject();
  const otherEndpoint = await createEndpoint(other, receiver.url);
  const first = await emitOne(service, project, endpointId, 'auth.completed');
  const second = await emitOne(service, project, endpointId, 'subscription.created');
  const foreign = await emitOne(service, other, otherEndpoint.id, 'auth.completed');

  // Other tests share the service.
  const own = new Set([first, second, foreign]);
  expect(ids(await list('--limit', '100')).filter((id) => own.has(id))).toEqual([foreign, second, first]);
  expect(ids(await list('--project', project.slug, '--limit', '1'))).toEqual([second]);
  expect(ids(await list('--project', project.slug))).toEqual([second, first]);
  expect(ids(await list('--endpoint', otherEndpoint.id))).toEqual([foreign]);
  expect(ids(await list('--project', project.slug, '--event', 'auth.completed'))).toEqual([first]);
  expect(ids(await list('--project', project.slug, '--status', 'succeeded'))).toEqual([]);
  expect(ids(await list('--project', project.slug, '--since', '1h'))).toEqual([second, first]);
  expect(ids(await list('--project', project.slug, '--since', '2999-01-01T00:00:00Z'))).toEqual([]);
  await untilAttempts(project, first, 1);
  expect(ids(await list('--project', project.slug, '--status', 'retrying'))).toContain(first);
  const watching = spawn(
    process.execPath,
    [cli, 'deliveries', 'list', '--project', project.slug, '--status', 'retrying', '--watch'],
    { env: userEnvironment(settings) },
  );
  let printed = '';
  watching.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  const ended = new Promise((resolve) => watching.once('exit', resolve));
  await eventually(() => printed.split('last error').length > 2, 60_000);
  expect(printed).toMatch(/event +│ endpoint +│ attempt +│ last error +│ next attempt/);
  watching.kill('SIGINT');
  expect(await ended).toBe(0);
  await project.api('PUT', `/v1/webhooks/${endpointId}`, { status: 'disabled' });
  expect(ids(await list('--project', project.slug, '--status', 'paused'))).toEqual([second, first]);

  const { stdout } = await herald(['deliveries', 'list', '--project', project.slug], settings);
  expect(stdout).toContain(first);
  expect(stdout).toMatch(/delivery +│ project +│ event/);
});

test('one delivery is shown with its attempts, why it waits and until when', async () => {
  const id = await emitOne(service, project, endpointId);
  await untilAttempts(project, id, 1);
  const shown = await heraldJson<Record<string, unknown>>(['deliveries', 'show', id], settings);
  expect(shown).toMatchObject({
    id,
    project: project.slug,
    endpoint_url: receiver.url,
    status: 'pending',
    last_http_status: 503,
    next_attempt_at: expect.any(String),
    attempts: [expect.objectContaining({ number: 1, status: 503 })],
  });
  const { stdout } = await herald(['deliveries', 'show', id], settings);
  expect(stdout).toContain(`endpoint_url      ${receiver.url}`);
});

test('a retry wakes a waiting delivery; a cancel ends it; what has ended cannot be cancelled', async () => {
  const id = await emitOne(service, project, endpointId);
  await untilAttempts(project, id, 1);
  await herald(['deliveries', 'retry', id], settings);
  await untilAttempts(project, id, 2);
  expect(await heraldJson(['deliveries', 'cancel', id], settings)).toMatchObject({ id, status: 'cancelled' });

  receiver.behave(200);
  await herald(['deliveries', 'retry', id], settings);
  await untilStatus(project, id, 'succeeded');
  expect(receiver.of(id)).toHaveLength(3);
  expect(await herald(['deliveries', 'cancel', id], settings)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The delivery has already succeeded.\n',
  });
  expect(await changesOf(id)).toEqual(['delivery.retried', 'delivery.cancelled', 'delivery.retried']);
});

/** What the audit log has of the operator's commands, oldest first. */
async function changesOf(targetId: string): Promise<string[]> {
  const { body } = await project.api<{ data: { action: string; target_id: string }[] }>(
    'GET',
    '/v1/audit?actor=cli',
  );
  const theirs = body.data.filter(({ target_id }) => target_id === targetId);
  return theirs.map(({ action }) => action).reverse();
}

test('what the API refuses, the command refuses in the same words', async () => {
  const id = await emitOne(service, project, endpointId);
  await project.api('PUT', `/v1/webhooks/${endpointId}`, { status: 'disabled' });
  const refused = async (...args: string[]) => (await herald(args, settings)).stderr.trim();
  expect(await refused('deliveries', 'retry', id)).toBe('The endpoint is disabled. Enable it first.');
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect(await refused('deliveries', 'show', unknown)).toBe(`Delivery "${unknown}" not found.`);
  expect(await refused('deliveries', 'show', 'xyz')).toContain('It must be a UUID');
  expect(await refused('deliveries', 'list', '--status', 'lost')).toContain('It must be one of pending');
  expect(await refused('deliveries', 'list', '--event', 'no.such')).toMatch(/^Invalid value: /);
  expect(await refused('deliveries', 'list', '--since', 'yesterday')).toContain('It must be a time like');
  const recover = ['deliveries', 'recover', '--project', project.slug, '--endpoint', endpointId, '--since'];
  expect(await refused(...recover, '15d')).toBe('since: must be at most 14 days back');
  expect(await refused(...recover, '1h')).toBe('The endpoint is disabled. Enable it first.');
});

test('every delivery of a project that failed since a time is sent again, once', async () => {
  receiver.behave(400);
  const failed = [await emitOne(service, project, endpointId), await emitOne(service, project, endpointId)];
  for (const id of failed) await untilStatus(project, id, 'failed');
  receiver.behave(200);
  const recover = ['deliveries', 'recover', '--project', project.slug, '--since', '1h'];
  expect(await heraldJson(recover, settings)).toEqual([
    { endpoint_id: endpointId, url: receiver.url, recovered: 2 },
  ]);
  for (const id of failed) await untilStatus(project, id, 'succeeded');
  expect(await heraldJson(recover, settings)).toMatchObject([{ recovered: 0 }]);
  expect(receiver.received).toHaveLength(4);
  expect(await changesOf(endpointId)).toEqual(['webhook.recovered', 'webhook.recovered']);
});

test('sessions are listed and shown without their codes', async () => {
  const waiting = await createSession(project);
  const { session, status } = await confirmedSession(service, project, 'operator-reads');
  const listed = await heraldJson<{ session_id: string; status: string }[]>(
    ['sessions', 'list', '--project', project.slug],
    settings,
  );
  expect(listed.map((entry) => [entry.session_id, entry.status])).toEqual([
    [session.session_id, 'confirmed'],
    [waiting.session_id, 'pending'],
  ]);
  expect(listed[0]).toHaveProperty('redeemed_at', null);
  const pending = await heraldJson<object[]>(
    ['sessions', 'list', '--project', project.slug, '--status', 'pending', '--since', '1h'],
    settings,
  );
  expect(pending).toHaveLength(1);

  await eventually(async () => {
    const { stdout } = await herald(['sessions', 'show', session.session_id], {
      ...settings,
      HERALD_SUBSCRIBER_ID_FORMAT: 'prefixed',
    });
    expect(stdout).toContain('status               confirmed');
    expect(stdout).toContain('channel              telegram');
    expect(stdout).toMatch(/subscriber_id {8}sub_\w{22}$/m);
    expect(stdout).not.toContain(status.code);
    return true;
  });
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect((await herald(['sessions', 'show', unknown], settings)).stderr).toBe(
    `Session "${unknown}" not found.\n`,
  );
});
