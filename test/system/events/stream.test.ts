import { limits } from '../../../src/base/contract/limits';
import { createPool, withTransaction } from '../../../src/base/db/pool';
import { readMessages } from '../../../sdk/typescript/src/stream';
import { eventRegistry } from '../../../src/domains/events/contract';
import { emitEvent } from '../../../src/domains/events';
import { eventually, SOON_MS } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createSession } from '../login/fixture';
import { insertMemberRow } from '../team/fixture';
import { createEndpoint, emitExample, scriptedReceiver } from '../webhooks/fixture';
import { ownPage } from '../../support/own-page';

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  // Its own: events are emitted in transactions of the test.
  service = await startTestService({ queues: ['deliveries'] });
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
async function openStream({ key = project.api_key, query = '', lastId = '', cookie = '' } = {}) {
  const abort = new AbortController();
  opened.push({ close: () => abort.abort() });
  const response = await fetch(`${service.url}/v1/webhooks/stream${query}`, {
    headers: {
      ...(cookie ? { ...ownPage, cookie } : { authorization: `Bearer ${key}` }),
      ...(lastId ? { 'last-event-id': lastId } : {}),
    },
    signal: abort.signal,
  });
  const events: Streamed[] = [];
  const hints: { list: string }[] = [];
  const stream = {
    response,
    events,
    hints,
    place: null as string | null,
    gaps: 0,
    ended: false,
    failed: false,
    close: () => abort.abort(),
  };
  const read = async () => {
    if (!response.ok || !response.body) return;
    for await (const { type, data, id } of readMessages(response.body)) {
      if (type === 'place') stream.place = id ?? null;
      else if (type === 'gap') stream.gaps += 1;
      else if (type !== 'message') hints.push({ list: type });
      else events.push(JSON.parse(data) as Streamed);
    }
  };
  void read()
    .catch(() => (stream.failed = true))
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
  const { late, fast, marker } = await withTransaction(service.pool, async (slow) => {
    const { example } = eventRegistry['auth.completed'];
    const { id } = await emitEvent(slow, project.id, 'auth.completed', example);
    return {
      late: id,
      fast: await emitExample(service, project, 'otp.sent'),
      marker: await openStream(),
    };
  });
  await eventually(() => stream.events.length === 2 && marker.events.length > 0);
  expect(idsOf(stream)).toEqual([late, fast]);
});

test('an open transaction of another project delays no event', async () => {
  const other = await service.createProject();
  const stream = await openStream();
  await withTransaction(service.pool, async (foreign) => {
    await emitEvent(foreign, other.id, 'otp.sent', eventRegistry['otp.sent'].example);
    const id = await emitExample(service, project);
    await eventually(() => stream.events.length === 1);
    expect(idsOf(stream)).toEqual([id]);
    // Nor is it the beginning of a new stream.
    const later = await openStream();
    const next = await emitExample(service, project, 'otp.sent');
    await eventually(() => later.events.length === 1);
    expect(idsOf(later)).toEqual([next]);
  });
});

test('an older transaction that writes its first event after a younger one has committed is not skipped', async () => {
  const stream = await openStream();
  const ids = await withTransaction(service.pool, async (slow) => {
    await slow.query('SELECT pg_current_xact_id()');
    const younger = await emitExample(service, project);
    await eventually(() => stream.events.length === 1);
    const { id } = await emitEvent(slow, project.id, 'otp.sent', eventRegistry['otp.sent'].example);
    return [younger, id];
  });
  await eventually(() => stream.events.length === 2);
  expect(idsOf(stream)).toEqual(ids);
});

test('writers that overlap at random lose no event and none is read twice', async () => {
  const stream = await openStream();
  const { example } = eventRegistry['otp.sent'];
  const write = async () => {
    const ids: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      await withTransaction(service.pool, async (db) => {
        for (let n = Math.ceil(3 * Math.random()); n > 0; n -= 1) {
          await db.query('SELECT pg_sleep($1)', [0.02 * Math.random()]);
          ids.push((await emitEvent(db, project.id, 'otp.sent', example)).id);
        }
      });
    }
    return ids;
  };
  const written = (await Promise.all([write(), write(), write(), write()])).flat();
  await eventually(() => stream.events.length >= written.length);
  expect(idsOf(stream).sort()).toEqual(written.sort());
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

test('a stream that has received nothing yet resumes where it began; an old place begins with a gap', async () => {
  const quiet = await openStream();
  await eventually(() => quiet.place !== null);
  quiet.close();
  const missed = await emitExample(service, project);
  const resumed = await openStream({ lastId: quiet.place ?? '' });
  await eventually(() => resumed.events.length === 1);
  expect([idsOf(resumed), resumed.gaps]).toEqual([[missed], 0]);

  const old = String(quiet.place).replace(/\d+$/, String(Math.floor(Date.now() / 1000) - 3_601));
  const late = await openStream({ lastId: old });
  await eventually(() => late.gaps === 1);
  const future = await openStream({ lastId: String(quiet.place).replace(/^\d+/, '9'.repeat(15)) });
  await eventually(() => future.gaps === 1);
});

test('a stream is cut and a long poll ends when their key is revoked', async () => {
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
  // Not ended as if it were complete.
  expect(stream.failed).toBe(true);
  expect((await polled).status).toBe(401);
  expect(Date.now() - revoked).toBeLessThan(SOON_MS);
});

test('a stream of a member ends when the member is removed, and a long poll when the role no longer allows it', async () => {
  const admin = await insertMemberRow(service, project, 'admin');
  const stream = await openStream({ cookie: admin.cookie });
  const session = await createSession(project);
  const path = `/v1/auth/session/${session.session_id}/status?wait=25`;
  const headers = { ...ownPage, cookie: admin.cookie };
  const polled = service.apiWith(null)('GET', path, undefined, headers);
  await eventually(async () => {
    const { rows } = await service.pool.query('SELECT 1 FROM auth_polls WHERE session_id = $1', [
      session.session_id,
    ]);
    return rows.length > 0;
  });
  const changed = Date.now();
  const member = `/v1/members/${admin.memberId}`;
  expect((await project.api('PATCH', member, { role: 'viewer' })).status).toBe(200);
  expect((await polled).status).toBe(403);
  // Every role may read events.
  expect(stream.ended).toBe(false);
  expect((await project.api('DELETE', member)).status).toBe(204);
  await eventually(() => stream.ended);
  expect(Date.now() - changed).toBeLessThan(SOON_MS);
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

const CHANGES = '?changes=deliveries,logins';
const hintsFor = (list: string, { hints }: { hints: { list: string }[] }) =>
  hints.filter((hint) => hint.list === list).length;

async function dashboardCookie(): Promise<string> {
  const { headers } = await service.apiWith(null)(
    'POST',
    '/dashboard/session',
    { api_key: project.api_key },
    ownPage,
  );
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

test('a stream of changes says which list has changed, in any process, at most once a second', async () => {
  const receiver = await scriptedReceiver(200);
  await createEndpoint(project, receiver.url);
  const other = await openStream({ key: (await service.createProject()).api_key, query: CHANGES });
  const deliveries = await openStream({ query: '?changes=deliveries' });
  const cookie = await dashboardCookie();
  const began = performance.now();
  const stream = await openStream({ cookie, query: CHANGES });
  // At the beginning any list may have changed since the reader read it.
  await eventually(() => stream.hints.length >= 2 && other.hints.length >= 2 && deliveries.hints.length >= 1);
  const before = { deliveries: hintsFor('deliveries', stream), logins: hintsFor('logins', stream) };

  // As another process would: over connections of its own.
  const elsewhere = createPool({ url: service.database.url });
  try {
    for (let n = 0; n < 20; n += 1) {
      await emitEvent(elsewhere, project.id, 'otp.sent', eventRegistry['otp.sent'].example);
    }
    await eventually(() => hintsFor('deliveries', stream) > before.deliveries);
    await eventually(() => receiver.received.length === 20);
    const session = await createSession(project);
    await eventually(() => hintsFor('logins', stream) > before.logins);
    const created = hintsFor('logins', stream);
    await project.api('DELETE', `/v1/auth/session/${session.session_id}`);
    await eventually(() => hintsFor('logins', stream) > created);
  } finally {
    await elsewhere.end();
  }
  const mostHints = (performance.now() - began) / 1_000 + 2;
  expect(hintsFor('deliveries', stream)).toBeLessThanOrEqual(mostHints);
  expect(hintsFor('logins', stream)).toBeLessThanOrEqual(mostHints);
  expect(deliveries.hints.map(({ list }) => list)).not.toContain('logins');
  await eventually(() => hintsFor('deliveries', deliveries) > 1);
  expect(stream.events).toEqual([]);
  expect(other.hints).toHaveLength(2);
  expect((await openStream({ query: `${CHANGES}&events=otp.sent` })).response.status).toBe(400);
  expect((await openStream({ query: '?changes=messages' })).response.status).toBe(400);
  await receiver.close();
});

test('a stream of the dashboard is refused to other sites and ends with its session', async () => {
  const cookie = await dashboardCookie();
  const foreign = await fetch(`${service.url}/v1/webhooks/stream${CHANGES}`, {
    headers: { cookie, 'sec-fetch-site': 'cross-site' },
  });
  expect(foreign.status).toBe(403);
  const stream = await openStream({ cookie, query: CHANGES });
  await eventually(() => stream.hints.length > 0);
  const ended = await service.apiWith(null)('DELETE', '/dashboard/session', undefined, {
    ...ownPage,
    cookie,
  });
  expect(ended.status).toBe(204);
  const signedOut = Date.now();
  await eventually(() => stream.ended);
  expect(Date.now() - signedOut).toBeLessThan(SOON_MS);
});
