import pg from 'pg';
import { limits } from '../../../src/contract/limits';
import { readMessages } from '../../../src/cli/event-source';
import { eventRegistry } from '../../../src/events/contract';
import { emitEvent } from '../../../src/events/queries/emit';
import { ABOUT_A_SECOND_MS, eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createSession } from '../login/fixture';
import { createEndpoint, emitExample, scriptedReceiver } from '../webhooks/fixture';

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  project = await service.createProject();
});
afterEach(() => {
  for (const { close } of opened.splice(0)) close();
});

interface Streamed {
  event_id: string;
  event: string;
  test: boolean;
  body: string;
}

const opened: { close(): void }[] = [];

/** Resolves once the response has begun: what commits from then on is in the stream. */
async function openStream({ key = project.api_key, query = '', lastId = '' } = {}) {
  const abort = new AbortController();
  opened.push({ close: () => abort.abort() });
  const response = await fetch(`${service.url}/v1/webhooks/stream${query}`, {
    headers: { authorization: `Bearer ${key}`, ...(lastId ? { 'last-event-id': lastId } : {}) },
    signal: abort.signal,
  });
  const events: Streamed[] = [];
  const stream = { response, events, gaps: 0, ended: false, close: () => abort.abort() };
  const read = async () => {
    if (!response.ok || !response.body) return;
    for await (const { type, data } of readMessages(response.body)) {
      if (type === 'gap') stream.gaps += 1;
      else events.push(JSON.parse(data) as Streamed);
    }
  };
  void read()
    .catch(() => {})
    .finally(() => (stream.ended = true));
  return stream;
}

const idsOf = ({ events }: { events: Streamed[] }) => events.map(({ event_id }) => event_id);

test('events arrive as they commit, with the bytes that endpoints get, and change no deliveries', async () => {
  const receiver = await scriptedReceiver(200);
  const endpoint = await createEndpoint(project, receiver.url, { events: ['otp.sent'] });
  const other = await service.createProject();
  const all = await openStream();
  const some = await openStream({ query: '?events=otp.sent,auth.completed' });
  expect(all.response.headers.get('content-type')).toMatch(/^text\/event-stream/);

  const first = await emitExample(service, project, 'auth.completed');
  await emitExample(service, other, 'auth.completed');
  const second = await emitExample(service, project, 'subscription.created');
  await project.api('POST', `/v1/webhooks/${endpoint.id}/test`, { event: 'otp.sent' });
  await eventually(() => all.events.length === 3 && some.events.length === 2);

  expect(idsOf(all).slice(0, 2)).toEqual([first, second]);
  expect(some.events.map(({ event, test: isTest }) => [event, isTest])).toEqual([
    ['auth.completed', false],
    ['otp.sent', true],
  ]);
  await eventually(() => receiver.received.length === 1);
  expect(all.events[2]?.body).toBe(String(receiver.received[0]?.body));
  const { rows } = await service.pool.query('SELECT 1 FROM deliveries WHERE project_id = $1', [project.id]);
  expect(rows).toHaveLength(1);
  await receiver.close();
});

test('an event that commits late is not skipped', async () => {
  const stream = await openStream();
  const slow = new pg.Client({ connectionString: service.database.url });
  await slow.connect();
  try {
    await slow.query('BEGIN');
    const { example } = eventRegistry['auth.completed'];
    const { id: late } = await emitEvent(slow, project.id, 'auth.completed', example);
    const fast = await emitExample(service, project, 'otp.sent');
    const marker = await openStream();
    await slow.query('COMMIT');
    await eventually(() => stream.events.length === 2 && marker.events.length > 0);
    expect(idsOf(stream)).toEqual([late, fast]);
  } finally {
    await slow.end();
  }
});

test('Last-Event-ID resumes; an unknown one begins with a gap', async () => {
  const first = await openStream();
  const ids = [await emitExample(service, project), await emitExample(service, project, 'otp.sent')];
  await eventually(() => first.events.length === 2);
  first.close();
  const missed = [await emitExample(service, project), await emitExample(service, project)];

  const resumed = await openStream({ lastId: ids[0] ?? '' });
  await eventually(() => resumed.events.length === 3);
  expect(idsOf(resumed)).toEqual([ids[1], ...missed]);
  expect(resumed.gaps).toBe(0);

  const foreign = await emitExample(service, await service.createProject());
  const lost = await openStream({ lastId: foreign });
  await eventually(() => lost.gaps === 1);
  const next = await emitExample(service, project);
  await eventually(() => lost.events.length === 1);
  expect(idsOf(lost)).toEqual([next]);

  expect((await openStream({ lastId: 'yesterday' })).response.status).toBe(400);
  expect((await openStream({ query: '?events=otp.sent,nothing' })).response.status).toBe(400);
});

test('a stream and a long poll end when their key is revoked', async () => {
  const created = await project.api('POST', '/v1/keys', { name: 'short' });
  const { id, api_key: key } = created.body as { id: string; api_key: string };
  const stream = await openStream({ key });
  const session = await createSession(project);
  const polled = service.apiWith(key)('GET', `/v1/auth/session/${session.session_id}/status?wait=25`);
  await eventually(async () => {
    const { rows } = await service.pool.query('SELECT 1 FROM auth_polls WHERE session_id = $1', [
      session.session_id,
    ]);
    return rows.length > 0;
  });
  expect((await project.api('DELETE', `/v1/keys/${id}`)).status).toBe(204);
  const revoked = Date.now();
  await eventually(() => stream.ended);
  expect((await polled).status).toBe(401);
  expect(Date.now() - revoked).toBeLessThan(ABOUT_A_SECOND_MS);
});

test('the number of streams is limited, and a closed one makes room', async () => {
  const streams = await Promise.all(Array.from({ length: limits.eventStreams }, () => openStream()));
  expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200));
  const refused = await openStream();
  expect(refused.response.status).toBe(409);
  expect(await refused.response.json()).toMatchObject({ code: 'conflict' });
  streams[0]?.close();
  await eventually(async () => (await openStream()).response.status === 200);
});
