import { limits } from '../../../src/base/contract/limits';
import { parseCsv } from '../../../src/base/lib/csv';
import { eventually, SOON_MS } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { confirmedSession } from '../login/fixture';
import { freshName, subscribePerson } from '../messages/fixture';
import { createEndpoint } from '../webhooks/fixture';

let service: Installation;
let project: TestProject;
beforeAll(async () => {
  service = await useService();
});
beforeEach(async () => {
  project = await service.createProject({ plan: 'basic' });
});
afterAll(() => service?.stop());

async function exported(kind: string, query = ''): Promise<Record<string, string>[]> {
  const { status, headers, body } = await project.api<string>('GET', `/v1/export/${kind}${query}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="${kind}.csv"`);
  const [fields = [], ...lines] = [...parseCsv(body, { columns: 100, bytes: limits.importRowBytes })].map(
    ({ cells }) => cells,
  );
  return lines.map((cells) => Object.fromEntries(cells.map((cell, n) => [fields[n] ?? '', cell])));
}

/** Many subscribers, all created at one moment. */
async function fillSubscribers(count: number): Promise<void> {
  await service.pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     SELECT $1, 'telegram', 'u' || n, 'u' || n, repeat('name ', 40) || n, 'en' FROM generate_series(1, $2) n`,
    [project.id, count],
  );
}

describe('exports', () => {
  it('have the fields of the list, escaped, with formulas made harmless', async () => {
    const person = await subscribePerson(service, project, 'telegram', {
      first_name: '=HYPERLINK("http://evil.example","x")',
      username: 'anna',
    });
    await project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, {
      external_id: '@me, "x"',
      tags: ['a', 'b'],
      properties: { city: 'Riga' },
      timezone: 'Europe/Riga',
    });
    const [row] = await exported('subscribers');
    const { data } = (await project.api('GET', '/v1/subscribers')).body;
    expect(row).toEqual({
      ...data[0],
      external_id: `'@me, "x"`,
      first_name: `'=HYPERLINK("http://evil.example","x")`,
      tags: 'a|b',
      permissions: '',
      active: 'true',
      blocked: 'false',
      properties: '{"city":"Riga"}',
    });
    expect(Object.keys(row ?? {})).toEqual(Object.keys(data[0]));
  });

  it('take the filters of the list, and refuse what it refuses', async () => {
    const one = await subscribePerson(service, project, 'telegram');
    const other = await subscribePerson(service, project, 'max');
    const ids = async (query: string) =>
      (await exported('subscribers', query)).map((row) => row['subscriber_id']);
    expect(await ids('')).toEqual([other.subscriberId, one.subscriberId]);
    expect(await ids('?channel=max')).toEqual([other.subscriberId]);
    for (const wrong of ['channel=icq', 'limit=5', 'cursor=x', 'colour=red']) {
      expect((await project.api('GET', `/v1/export/subscribers?${wrong}`)).body.code).toBe(
        'validation_failed',
      );
    }
    const unknown = await project.api('GET', '/v1/export/logins?subscriber_id=sub_nobody');
    expect(unknown.body.code).toBe('subscriber_not_found');
    // A refused export is not a running one.
    expect(await ids('?channel=telegram')).toEqual([one.subscriberId]);
  });

  it('exist for logins and deliveries, and for no kind that is not there', async () => {
    const user = freshName();
    const { session } = await confirmedSession(service, project, user);
    const { id } = await createEndpoint(project, 'http://127.0.0.1:9/');
    await createEndpoint(project, 'http://127.0.0.1:9/other');
    await project.api('POST', `/v1/webhooks/${id}/test`);
    expect(await exported('logins')).toMatchObject([{ session_id: session.session_id, confirmed: 'true' }]);
    expect(await exported('deliveries', `?endpoint_id=${id}`)).toMatchObject([
      { endpoint_id: id, test: 'true' },
    ]);
    for (const kind of ['people', 'secrets']) {
      const { status, body } = await project.api('GET', `/v1/export/${kind}`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  });

  it('need the scope export and a paid plan', async () => {
    const reader = await service.createKey(project.id, ['read']);
    const refused = await service.apiWith(reader)('GET', '/v1/export/subscribers');
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    const free = await service.createProject();
    const limited = await free.api('GET', '/v1/export/subscribers');
    expect([limited.status, limited.body.code, limited.body.retryable]).toEqual([403, 'plan_limit', false]);
  });

  it('run one at a time; when the client goes away, the next one can begin', async () => {
    await fillSubscribers(20_000);
    const leaving = new AbortController();
    const response = await fetch(`${service.url}/v1/export/subscribers`, {
      headers: { authorization: `Bearer ${project.api_key}` },
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    const second = await project.api('GET', '/v1/export/logins');
    expect([second.status, second.body.code, second.body.retryable]).toEqual([
      429,
      'rate_limit_export',
      true,
    ]);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    leaving.abort();
    await response.body?.cancel().catch(() => undefined);
    await eventually(async () => (await project.api('GET', '/v1/export/logins')).status === 200);
    // Who has received the whole of one can begin the next at once.
    for (let n = 0; n < 5; n += 1) expect((await project.api('GET', '/v1/export/logins')).status).toBe(200);
  });

  it('end with the key, also while nothing of them is read', async () => {
    const { subscriberId } = await subscribePerson(service, project, 'telegram');
    // More than the buffers of a connection take.
    await service.pool.query(
      `WITH properties (value) AS (SELECT jsonb_build_object('note', repeat('x', 8000))),
       subscriber AS (
         INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang, properties)
         SELECT $1, 'telegram', 'u' || n, 'u' || n, 'Anna', 'en', value FROM properties, generate_series(1, 4000) n)
       INSERT INTO tracked_events (id, project_id, subscriber_id, event_id, name, properties, occurred_at)
       SELECT gen_random_uuid(), $1, $2, n::text, 'viewed', value, now() FROM properties, generate_series(1, 4000) n`,
      [project.id, subscriberId],
    );
    const created = await project.api('POST', '/v1/keys', { name: 'short', scopes: ['read', 'export'] });
    const { id, api_key: key } = created.body as { id: string; api_key: string };
    const opened = await Promise.all(
      ['/v1/export/subscribers', `/v1/subscribers/${subscriberId}/data`].map((path) =>
        fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } }),
      ),
    );
    expect(opened.map(({ status }) => status)).toEqual([200, 200]);
    expect((await project.api('DELETE', `/v1/keys/${id}`)).status).toBe(204);
    // The export has ended: the next one can begin.
    await eventually(async () => (await project.api('GET', '/v1/export/logins')).status === 200, SOON_MS);
    for (const response of opened) {
      const received = await response.text().catch(() => '');
      expect(received.length).toBeLessThan(4_000 * 8_000);
    }
  });

  it('end the query of a client that has gone away', async () => {
    await fillSubscribers(1);
    // The statement waits for this lock.
    const blocker = await service.pool.connect();
    const running = () =>
      service.pool
        .query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
         AND wait_event_type = 'Lock' AND query LIKE '%FROM subscribers%'`);
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE subscribers IN ACCESS EXCLUSIVE MODE');
      const leaving = new AbortController();
      const waiting = fetch(`${service.url}/v1/export/subscribers`, {
        headers: { authorization: `Bearer ${project.api_key}` },
        signal: leaving.signal,
      }).catch(() => undefined);
      await eventually(async () => (await running()).rowCount === 1);
      leaving.abort();
      await waiting;
      await eventually(async () => (await running()).rowCount === 0);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  });

  it('take turns with searches of the project', async () => {
    await fillSubscribers(1);
    const blocker = await service.pool.connect();
    let hasFound = false;
    const responses: Promise<number>[] = [];
    try {
      await blocker.query('BEGIN');
      await blocker.query('LOCK TABLE subscribers IN ACCESS EXCLUSIVE MODE');
      responses.push(project.api('GET', '/v1/export/subscribers').then(({ status }) => status));
      await eventually(async () => {
        const { rowCount } = await service.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE '%FROM subscribers%'`,
        );
        return rowCount === 1;
      });
      const search = () => project.api('GET', '/v1/deliveries?q=no+such+text');
      responses.push(search().then(({ status }) => ((hasFound = true), status)));
      // Longer than the search needs.
      for (let n = 0; n < 10; n += 1) await project.api('GET', '/v1/deliveries');
      expect(hasFound).toBe(false);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    expect(await Promise.all(responses)).toEqual([200, 200]);
  });

  it('can begin again ten seconds after the process of one was killed', async () => {
    // The lease is longer than ten seconds here, so that a slow machine meets it; its end is set below.
    await service.pool.query(
      `INSERT INTO exports (project_id, token, leased_until) VALUES ($1, gen_random_uuid(), now() + interval '1 minute')`,
      [project.id],
    );
    expect((await project.api('GET', '/v1/export/subscribers')).status).toBe(429);
    await service.pool.query(`UPDATE exports SET leased_until = now() WHERE project_id = $1`, [project.id]);
    expect(await exported('subscribers')).toEqual([]);
    const { rowCount } = await service.pool.query('SELECT 1 FROM exports WHERE project_id = $1', [
      project.id,
    ]);
    expect(rowCount).toBe(0);
  });
});
