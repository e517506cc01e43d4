import { randomUUID } from 'node:crypto';
import type { EventName } from '../../../src/domains/events/contract';
import { createReadLimit, findEventsWithText } from '../../../src/domains/webhooks/queries/search';
import { INDEX_BATCH, indexNextEvents } from '../../../src/domains/webhooks/queries/search-index';
import { indexWhileIdle } from '../../../src/domains/webhooks/search-index';
import { parseSearchText } from '../../../src/domains/webhooks/search-text';
import { eventually } from '../../support/eventually';
import { loseResponse } from '../../support/lose-response';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createEndpoint, emitOne, type DeliveryRecord } from './fixture';

/** The API alone: deliveries stay as the test makes them. */
let service: TestService;
let project: TestProject;
let first: string;
let second: string;

beforeAll(async () => {
  // Its own, with no worker.
  service = await startTestService({ roles: 'api' });
});
afterAll(() => service?.stop());
beforeEach(async () => {
  project = await service.createProject();
  first = (await createEndpoint(project, 'http://127.0.0.1:9/first')).id;
  second = (await createEndpoint(project, 'http://127.0.0.1:9/second', { events: ['otp.sent'] })).id;
});

interface Page {
  data: DeliveryRecord[];
  next_cursor: string | null;
}

async function page(query: string, as = project): Promise<Page> {
  // A slow machine may stop a search at its limit of three seconds.
  const { status, body } = await eventually(async () => {
    const response = await as.api('GET', `/v1/deliveries${query}`);
    return String(response.body.error).includes('takes too long') ? null : response;
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body as unknown as Page;
}
const ids = async (query: string, as = project) => (await page(query, as)).data.map(({ id }) => id);
const q = (text: string) => `?q=${encodeURIComponent(text)}`;

const emit = (endpointId: string, name: EventName = 'otp.sent') =>
  emitOne(service, project, endpointId, name);

/** A delivery whose event has this body. */
async function withBody(body: unknown, endpointId = first): Promise<{ id: string; eventId: string }> {
  const id = await emit(endpointId, 'auth.completed');
  const { rows } = await service.pool.query<{ event_id: string }>(
    'SELECT event_id FROM deliveries WHERE id = $1',
    [id],
  );
  const eventId = rows[0]!.event_id;
  await service.pool.query('UPDATE events SET body = $2 WHERE id = $1', [eventId, JSON.stringify(body)]);
  return { id, eventId };
}

/** As the worker does it, until the event's words are written. */
async function untilIndexed(eventId: string): Promise<void> {
  await eventually(async () => {
    await indexNextEvents(service.pool);
    const { rowCount } = await service.pool.query('SELECT 1 FROM event_words WHERE event_id = $1', [eventId]);
    expect(rowCount).toBe(1);
    return true;
  });
}

describe('the log of all endpoints', () => {
  test('is newest first, with deleted endpoints, of one project', async () => {
    const login = await emit(first, 'auth.completed');
    const otp = [await emit(first), await emit(second)];
    await project.api('DELETE', `/v1/webhooks/${second}`);
    const stranger = await service.createProject();
    await createEndpoint(stranger, 'http://127.0.0.1:9/');
    await emitOne(service, stranger, (await stranger.api('GET', '/v1/webhooks')).body.data[0].id as string);
    const { data, next_cursor } = await page('');
    expect(next_cursor).toBeNull();
    // Each otp.sent went to both endpoints.
    expect(data).toHaveLength(5);
    expect(data.map(({ created_at }) => created_at)).toEqual(
      data
        .map(({ created_at }) => created_at)
        .sort()
        .reverse(),
    );
    expect(data.at(-1)).toMatchObject({ id: login, endpoint_url: 'http://127.0.0.1:9/first' });
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(otp));
    expect(data.filter(({ endpoint_id }) => endpoint_id === second)).toMatchObject([
      { status: 'cancelled', ended_reason: 'endpoint_removed' },
      { status: 'cancelled', ended_reason: 'endpoint_removed' },
    ]);
  });

  test('filters by status, event, endpoint and time', async () => {
    const login = await emit(first, 'auth.completed');
    const otp = await emit(second);
    await project.api('POST', `/v1/deliveries/${login}/cancel`);
    expect(await ids('?status=cancelled')).toEqual([login]);
    expect(await ids('?event=auth.completed')).toEqual([login]);
    expect(await ids(`?endpoint_id=${second}`)).toEqual([otp]);
    expect(await ids('?status=pending')).toHaveLength(2);
    await project.api('PUT', `/v1/webhooks/${second}`, { status: 'disabled' });
    expect(await ids('?status=paused')).toEqual([otp]);
    expect(await ids('?status=pending')).toHaveLength(1);
    expect(await ids('?status=failed')).toEqual([]);
    const { created_at } = (await page(`?endpoint_id=${second}`)).data[0]!;
    expect(await ids(`?since=${encodeURIComponent(created_at)}`)).toHaveLength(2);
    expect(await ids(`?endpoint_id=${randomUUID()}`)).toEqual([]);
    for (const query of [
      '?status=lost',
      '?endpoint_id=x',
      '?since=now',
      '?q=%20',
      '?cursor=x',
      '?colour=red',
    ]) {
      const { status, body } = await project.api('GET', `/v1/deliveries${query}`);
      expect([query, status, body.code]).toEqual([query, 400, 'validation_failed']);
    }
  });

  test('pages without gaps, also with a search', async () => {
    for (let i = 0; i < 7; i += 1) await emit(second);
    const all = await ids('');
    expect(all).toHaveLength(14);
    for (const search of ['', '&q=otp.sent']) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const { data, next_cursor }: Page = await page(`?limit=3${search}${cursor && `&cursor=${cursor}`}`);
        seen.push(...data.map(({ id }) => id));
        cursor = next_cursor;
      }
      expect(seen).toEqual(all);
    }
  });
});

/** Events of one moment, each with a delivery. Returns the ids of the deliveries. */
async function atOneMoment(count: number, body: unknown): Promise<string[]> {
  const { rows } = await service.pool.query<{ id: string }>(
    `WITH given AS MATERIALIZED (
       SELECT uuidv7() AS event_id, uuidv7() AS delivery_id FROM generate_series(1, $4::int)
     ), event AS (
       INSERT INTO events (id, project_id, name, body) SELECT event_id, $1, 'auth.completed', $3 FROM given
     )
     INSERT INTO deliveries (id, project_id, endpoint_id, event_id, event_name, policy, status, attempts, ended_at)
     SELECT delivery_id, $1, $2, event_id, 'auth.completed', 'durable', 'succeeded', 1, now() FROM given RETURNING id`,
    [project.id, first, JSON.stringify(body), count],
  );
  return rows.map(({ id }) => id);
}

describe('search', () => {
  test('pages without gaps through more events of one moment than it reads at first', async () => {
    const all = await atOneMoment(600, { event: 'x', data: 'frequently' });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { data, next_cursor }: Page = await page(
        `${q('frequently')}&limit=100${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...data.map(({ id }) => id));
      cursor = next_cursor;
    }
    expect(seen).toHaveLength(600);
    expect(new Set(seen)).toEqual(new Set(all));
  });

  test('by delivery id, event id and the publisher’s own event id', async () => {
    const { id, eventId } = await withBody({ event: 'x' });
    await emit(first);
    expect(await ids(q(id))).toEqual([id]);
    expect(await ids(q(id.toUpperCase()))).toEqual([id]);
    expect(await ids(q(eventId))).toEqual([id]);
    await service.pool.query('INSERT INTO published_ids (project_id, id, event_id) VALUES ($1, $2, $3)', [
      project.id,
      'ticket/42 closed',
      eventId,
    ]);
    expect(await ids(q('ticket/42 closed'))).toEqual([id]);
    expect(await ids(`${q(id)}&status=failed`)).toEqual([]);
    const stranger = await service.createProject();
    for (const text of [id, eventId, 'ticket/42 closed']) expect(await ids(q(text), stranger)).toEqual([]);
  });

  test.each([
    ['before its words are indexed', false],
    ['when they are', true],
  ])('by text in the body, %s', async (_when, isIndexed) => {
    const { id } = await withBody({
      event: 'auth.completed',
      data: {
        subscriber_id: '9c0ffee0-0000-4000-8000-00000000cafe',
        first_name: 'Анна-Мария',
        username: 'kettle_drum',
        email: 'anna@example.com',
        quote: 'she said "hello there"',
        order: 'ORD-2026/77',
        note: "Don't touch (fragile)!\nSecond line: «чай» №15, 50€",
        path: 'C:\\news\\today',
      },
    });
    const { eventId: lastId } = await withBody({ event: 'auth.completed', data: { username: 'kettle' } });
    if (isIndexed) await untilIndexed(lastId);
    for (const text of [
      'kettle_drum',
      'kettle_dr',
      'KETTLE_DRUM',
      'anna@example.com',
      'example.com',
      'Анна-Мар',
      'Мария',
      'she said "hello',
      '"username":"kettle_drum"',
      'ORD-2026/7',
      '9c0ffee0-0000-4000-8000-00000000cafe',
      'hello there',
      "don't touch",
      '(fragile)!',
      'second',
      '«чай»',
      '№15',
      '50€',
      'C:\\news',
      // From within a word: the newest events are read.
      'ettle_dr',
    ]) {
      expect([text, await ids(q(text))]).toEqual([text, [id]]);
    }
    expect(await ids(q('kettle'))).toHaveLength(2);
    // The words are there, the text is not.
    expect(await ids(q('hello anna'))).toEqual([]);
    expect(await ids(q("drum' | '"))).toEqual([]);
    expect(await ids(q('drum & !kettle'))).toEqual([]);
    expect(await ids(q('100%_'))).toEqual([]);
  });

  test('an event whose transaction commits late is indexed as well', async () => {
    const slow = await service.pool.connect();
    try {
      await slow.query('BEGIN');
      await slow.query(
        `INSERT INTO events (id, project_id, name, body) VALUES ($1, $2, 'auth.completed', '{"word":"lighthouse"}')`,
        [randomUUID(), project.id],
      );
      const { id: lateId } = (
        await slow.query<{ id: string }>(
          `INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy)
           SELECT $1, $2, id, name, 'quick' FROM events WHERE body = '{"word":"lighthouse"}' RETURNING id`,
          [project.id, first],
        )
      ).rows[0]!;
      const { id, eventId } = await withBody({ event: 'x', data: { word: 'lighthouse' } });
      // Long enough for the index to take the later event, if it did not wait for the open transaction.
      const { rows } = await service.pool.query<{ over: boolean }>(
        `SELECT pg_sleep(1.5), clock_timestamp() > created_at + interval '1 second' AS over FROM events WHERE id = $1`,
        [eventId],
      );
      expect(rows[0]?.over).toBe(true);
      await indexNextEvents(service.pool);
      expect(await ids(q('lighthouse'))).toEqual([id]);
      await slow.query('COMMIT');
      await untilIndexed(eventId);
      expect(await ids(q('lighthouse'))).toEqual([id, lateId]);
    } finally {
      slow.release();
    }
  });

  test('the index takes one batch while a delivery could be attempted, and the rest afterwards', async () => {
    await withBody({ event: 'x', data: { word: 'periscope' } });
    await service.pool.query(
      `INSERT INTO events (project_id, name, body)
       SELECT $1, 'x', '{"event":"x","data":{"word":"sextant"}}' FROM generate_series(1, $2)`,
      [project.id, 2 * INDEX_BATCH],
    );
    const indexed = async () => {
      const { rows } = await service.pool.query<{ n: number }>('SELECT count(*) AS n FROM event_words');
      return rows[0]?.n ?? 0;
    };
    // The index takes events that are a second old.
    await service.pool.query('SELECT pg_sleep(1.5)');
    const before = await indexed();
    await indexWhileIdle(service.pool);
    expect((await indexed()) - before).toBeLessThanOrEqual(INDEX_BATCH);
    await service.pool.query('DELETE FROM delivery_queue');
    await eventually(async () => {
      await indexWhileIdle(service.pool);
      return (await indexed()) - before > 2 * INDEX_BATCH;
    });
  });

  test('finds nothing of another project, and nothing older than seven days', async () => {
    const { id, eventId } = await withBody({ event: 'x', data: { word: 'submarine' } });
    const stranger = await service.createProject();
    expect(await ids(q('submarine'), stranger)).toEqual([]);
    expect(await ids(q('submarine'))).toEqual([id]);
    await service.pool.query(`UPDATE events SET created_at = now() - interval '8 days' WHERE id = $1`, [
      eventId,
    ]);
    expect(await ids(q('submarine'))).toEqual([]);
    expect(await ids(q(id))).toEqual([id]);
  });

  test('finds nothing that became older than seven days after it was indexed', async () => {
    const { eventId } = await withBody({ event: 'x', data: { word: 'telescope' } });
    await untilIndexed(eventId);
    await service.pool.query(`UPDATE events SET created_at = now() - interval '8 days' WHERE id = $1`, [
      eventId,
    ]);
    expect(await ids(q('telescope'))).toEqual([]);
    expect(await ids(q('elescope'))).toEqual([]);
  });

  test('by the index alone, once the words are written, also in a body with more words than it takes', async () => {
    const words = Array.from({ length: 130_000 }, (_, index) => `w${index.toString(36)}`);
    const { id, eventId } = await withBody({ event: 'x', data: { text: `Первое ${words.join(' ')}` } });
    await untilIndexed(eventId);
    expect(
      await findEventsWithText(createReadLimit(service.pool), project.id, parseSearchText('ПЕРВОЕ w0')),
    ).toEqual([eventId]);
    expect(await ids(q(words.at(-1)!))).toEqual([id]);
  });

  test('a text without a word is looked for in the newest events', async () => {
    const { id, eventId } = await withBody({ event: 'x', data: { line: '--- 7' } });
    await untilIndexed(eventId);
    expect(await ids(q('---'))).toEqual([id]);
    expect(await ids(q('-- 7'))).toEqual([id]);
    expect(await ids(q('+++'))).toEqual([]);
  });
});

// The search reads these tables, after it has looked for an id: the bodies after the words, or the newest ones.
test.each([
  ['+++', 'event_words'],
  ['slowly', 'event_words'],
  ['slowly', 'event_words_progress'],
])('a search for %s that takes too long is refused, and harms no later one', async (text, table) => {
  const { id } = await withBody({ event: 'x', data: text });
  const client = await service.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    const { status, body } = await project.api('GET', `/v1/deliveries${q(text)}`);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.error).toMatch(/^q: takes too long/);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect(await ids(q(text))).toContain(id);
});

test('searches in the bodies of a project run one at a time', async () => {
  const { id } = await withBody({ event: 'x', data: 'patiently' });
  const waiting = async () => {
    const { rows } = await service.pool.query(
      `SELECT 1 FROM pg_locks WHERE relation = 'event_words'::regclass AND NOT granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows.length;
  };
  const client = await service.pool.connect();
  const searches: Promise<string[]>[] = [];
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE event_words IN ACCESS EXCLUSIVE MODE');
    searches.push(...Array.from({ length: 3 }, () => ids(q('patiently'))));
    await eventually(async () => (await waiting()) === 1);
    // Longer than the others need to get as far. None waits where the first has just used up its time.
    for (let n = 0; n < 5; n += 1) {
      await ids(q(id));
      expect(await waiting()).toBeLessThanOrEqual(1);
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  for (const found of await Promise.all(searches)) expect(found).toContain(id);
});

describe('retrying several deliveries', () => {
  const retry = (list: unknown, key?: string) =>
    project.api('POST', '/v1/deliveries/retry', { ids: list }, key ? { 'idempotency-key': key } : {});
  const rounds = async (list: string[]) =>
    (
      await service.pool.query<{ round: number }>(
        'SELECT round FROM deliveries WHERE id = ANY ($1) ORDER BY array_position($1, id)',
        [list],
      )
    ).rows.map(({ round }) => round);

  test('queues each once and names those that it cannot', async () => {
    const [one, two, disabled] = [await emit(first), await emit(first), await emit(second)];
    await project.api('PUT', `/v1/webhooks/${second}`, { status: 'disabled' });
    const stranger = await service.createProject();
    const foreign = await emitOne(
      service,
      stranger,
      (await createEndpoint(stranger, 'http://127.0.0.1:9/')).id,
    );
    const unknown = randomUUID();
    const { status, body } = await retry([
      one,
      two.toUpperCase(),
      one,
      disabled,
      foreign,
      unknown.toUpperCase(),
      'nonsense',
    ]);
    expect(status).toBe(202);
    expect(body).toEqual({
      retried: 2,
      failed: [
        { id: disabled, code: 'conflict' },
        { id: foreign, code: 'not_found' },
        { id: unknown.toUpperCase(), code: 'not_found' },
        { id: 'nonsense', code: 'not_found' },
      ],
    });
    expect(await rounds([one, two, disabled, foreign])).toEqual([1, 1, 0, 0]);
    const { rows } = await service.pool.query(
      'SELECT 1 FROM delivery_queue WHERE delivery_id = ANY ($1) AND priority = 0',
      [[one, two]],
    );
    expect(rows).toHaveLength(2);
  });

  test('with an Idempotency-Key makes one attempt each, however often it is asked', async () => {
    const list = [await emit(first), await emit(first)];
    const answers = await Promise.all([1, 2, 3].map(() => retry(list, 'bulk-0001')));
    for (const { status, body } of answers) {
      if (status !== 202) expect([status, body.code]).toEqual([425, 'request_in_progress']);
    }
    const again = await retry(list, 'bulk-0001');
    expect([again.status, again.body]).toEqual([202, { retried: 2, failed: [] }]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await rounds(list)).toEqual([1, 1]);

    await loseResponse(service, project, 'bulk-0001');
    expect((await retry(list, 'bulk-0001')).body).toEqual({ retried: 2, failed: [] });
    expect(await rounds(list)).toEqual([1, 1]);
  });

  test('refuses an Idempotency-Key that was used for other ids or another path', async () => {
    const [one, two] = [await emit(first), await emit(first)];
    await retry([one], 'bulk-0002');
    for (const list of [[two], [one, two]]) {
      const { status, body } = await retry(list, 'bulk-0002');
      expect([status, body.code]).toEqual([409, 'idempotency_conflict']);
    }
    const elsewhere = { 'idempotency-key': 'bulk-0002' };
    const { body } = await project.api('POST', `/v1/webhooks/${first}/test`, {}, elsewhere);
    expect(body.code).toBe('idempotency_conflict');
    expect(await rounds([one, two])).toEqual([1, 0]);
  });

  test('takes 1 to 100 ids', async () => {
    const id = await emit(first);
    for (const list of [[], Array.from({ length: 101 }, () => randomUUID()), id, [7], ['x'.repeat(65)]]) {
      const { status, body } = await retry(list);
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(body.error).toContain('ids');
    }
    expect((await retry(Array.from({ length: 100 }, () => randomUUID()))).body.failed).toHaveLength(100);
  });
});
