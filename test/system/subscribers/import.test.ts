import { randomUUID } from 'node:crypto';
import { createPool } from '../../../src/base/db/pool';
import { acceptImport, createImportReader } from '../../../src/domains/subscribers/import-file';
import { workflowIds } from '../../../src/base/temporal/names';
import { recordHistory } from '../replay/fixture';
import { startSecondProcess, type HeraldProcess } from '../../support/herald-process';
import { eventually } from '../../support/eventually';
import type { ApiResponse } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { eventsOf, freshName } from '../messages/fixture';

jest.setTimeout(120_000);

let service: TestService;
let worker: HeraldProcess | undefined;
let project: TestProject;
/** Longer than a test holds a row. */
const env = { HERALD_LOCK_TIMEOUT_SECONDS: '60', HERALD_STATEMENT_TIMEOUT_SECONDS: '60' };
beforeAll(async () => {
  // Its own: its worker is a process that is killed.
  service = await startTestService({ roles: 'api', env });
  worker = await startSecondProcess(service, 'worker', env);
});
beforeEach(async () => {
  project = await service.createProject();
});
afterAll(async () => {
  await worker?.kill9();
  await service?.stop();
});

const CSV = { 'content-type': 'text/csv' };

function send(file: string, query = '', headers: Record<string, string> = {}): Promise<ApiResponse> {
  return project.api('POST', `/v1/import/subscribers${query}`, file, { ...CSV, ...headers });
}

/* oxlint-disable typescript/no-explicit-any -- a view of the API */
async function untilCompleted(importId: string): Promise<any> {
  return eventually(async () => {
    const { body } = await project.api('GET', `/v1/import/${importId}`);
    return body.status === 'completed' && body;
  }, 60_000);
}

async function imported(file: string, query = ''): Promise<any> {
  const { status, body } = await send(file, query);
  expect(status).toBe(202);
  return untilCompleted(body.import_id as string);
}
/* oxlint-enable typescript/no-explicit-any */

/** Subscribers with the external ids `user-1` … */
async function addSubscribers(count: number): Promise<string[]> {
  const { rows } = await service.pool.query<{ id: string }>(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, external_id, first_name, lang, tags)
     SELECT $1, 'telegram', $2 || n, $2 || n, 'user-' || n, 'Anna', 'en', '{old}' FROM generate_series(1, $3::int) n
     RETURNING id`,
    [project.id, freshName(), count],
  );
  return rows.map(({ id }) => id);
}

async function readByPageIndex(): Promise<number> {
  const { rows } = await service.pool.query<{ read: number }>(
    `SELECT idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE indexrelname = 'subscribers_page'`,
  );
  return rows[0]?.read ?? Number.NaN;
}

const subscriber = async (id: string | undefined) => (await project.api('GET', `/v1/subscribers/${id}`)).body;

describe('an import', () => {
  it('changes subscribers by external_id, row by row, and lists rows that fail', async () => {
    const [first, second, third] = await addSubscribers(3);
    const file = [
      'external_id,tags,add_tags,permissions,timezone,properties.city,properties.visits,properties.vip',
      'user-1,a|b,c,news,Europe/Riga,"Riga, old town",3,true',
      'user-2,,c,,,,-1.5,',
      'nobody,a,,,,,,',
      'user-3,a,,,Mars/Olympus,,,',
      'user-3,a',
      '" user-3",,,,,,,',
      "user-3,,,,,'=1+1,0123,false",
      '',
    ].join('\r\n');
    const end = await imported(file);
    expect(end).toMatchObject({ rows: 7, updated: 3, failed: 4, dry_run: false });
    expect(end.errors).toEqual([
      { row: 4, code: 'subscriber_not_found' },
      { row: 5, code: 'validation_failed' },
      { row: 6, code: 'validation_failed' },
      { row: 7, code: 'invalid_external_id' },
    ]);
    expect(await subscriber(first)).toMatchObject({
      tags: ['a', 'b', 'c'],
      permissions: ['news'],
      timezone: 'Europe/Riga',
      properties: { city: 'Riga, old town', visits: 3, vip: true },
    });
    // An empty cell changes nothing.
    expect(await subscriber(second)).toMatchObject({
      tags: ['old', 'c'],
      timezone: null,
      properties: { visits: -1.5 },
    });
    expect(await subscriber(third)).toMatchObject({
      tags: ['old'],
      properties: { city: '=1+1', visits: '0123', vip: false },
    });
    expect(await eventsOf(service, project, 'subscription.permission_changed')).toMatchObject([
      { data: { subscriber_id: first, permissions: ['news'], previous: [] } },
    ]);
    expect((await project.api('GET', '/v1/subscribers')).body.data).toHaveLength(3);
  });

  it('whose rows name many subscribers changes a thousand at a time', async () => {
    await addSubscribers(2_500);
    await service.pool.query(
      `UPDATE subscribers SET external_id = 'shared-' || (substr(external_id, 6)::int - 1) / 100 WHERE project_id = $1`,
      [project.id],
    );
    const rows = Array.from({ length: 25 }, (_, n) => `shared-${n},new`);
    const { updated, failed } = await imported(['external_id,add_tags', ...rows].join('\n'));
    expect([updated, failed]).toEqual([25, 0]);
    const { rows: changed } = await service.pool.query<{ at_once: number }>(
      `SELECT count(*)::int AS at_once FROM subscribers WHERE project_id = $1 AND tags @> '{new}' GROUP BY xmin::text
       ORDER BY 1 DESC`,
      [project.id],
    );
    // The first one of each transaction has its own: its tag is registered in a savepoint.
    expect(changed.map(({ at_once }) => at_once)).toEqual([999, 999, 499, 1, 1, 1]);
  });

  it('that is a dry run finds the same and changes nothing', async () => {
    const [first] = await addSubscribers(1);
    const before = await subscriber(first);
    const end = await imported(
      `subscriber_id,tags,permissions\n${first},x,news\nsub_x,y,\n`,
      '?dry_run=true',
    );
    expect(end).toMatchObject({
      rows: 2,
      updated: 1,
      failed: 1,
      errors: [{ row: 3, code: 'subscriber_not_found' }],
    });
    expect(await subscriber(first)).toEqual(before);
    expect(await eventsOf(service, project, 'subscription.permission_changed')).toEqual([]);
    const audited = () =>
      project.api('GET', '/v1/audit?action=import.created').then(({ body }) => body.data.length);
    const earlier = await audited();
    await imported(`subscriber_id,tags\n${first},x\n`, '?dry_run=true');
    expect(await audited()).toBe(earlier);
    await imported(`subscriber_id,tags\n${first},x\n`);
    expect(await audited()).toBe(earlier + 1);
  });

  it('keeps the limits of labels and properties', async () => {
    const [first] = await addSubscribers(1);
    const names = Array.from({ length: 20 }, (_, n) => `t${n}`);
    const columns = Array.from({ length: 30 }, (_, n) => `properties.k${n}`);
    expect(
      await imported(`external_id,tags\nuser-1,${names.join('|')}\nuser-1,other\nuser-1,t0|t1\n`),
    ).toMatchObject({
      // Names that nobody has any more give way.
      updated: 3,
    });
    expect(
      await imported(`external_id,add_tags\nuser-1,${names.slice(0, 20).join('|')}|more\n`),
    ).toMatchObject({
      errors: [{ row: 2, code: 'conflict' }],
    });
    const cells = columns.map(() => '1').join();
    await imported(`external_id,${columns.join()}\nuser-1,${cells}\n`);
    const others = columns.map((column) => column.replace('k', 'other'));
    expect(await imported(`external_id,${others.join()}\nuser-1,${cells}\n`)).toMatchObject({
      errors: [{ row: 2, code: 'conflict' }],
    });
    expect(Object.keys((await subscriber(first)).properties)).toHaveLength(30);
  });

  it.each([
    ['', /header/],
    ['tags\na\n', /external_id/],
    ['external_id,subscriber_id\n', /external_id/],
    ['external_id,first_name\nuser-1,Eve\n', /first_name/],
    ['external_id,properties.Bad\n', /properties\.Bad/],
    ['external_id,tags,tags\n', /twice/],
    ['external_id\n"open', /CSV/],
  ])('refuses the file %j', async (file, message) => {
    const { status, body } = await send(file);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.error).toMatch(message);
  });

  it('refuses other types, too much, and what is not UTF-8', async () => {
    expect((await send('{}', '', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await send('x'.repeat(10 * 1024 * 1024 + 1))).body.code).toBe('payload_too_large');
    const response = await fetch(`${service.url}/v1/import/subscribers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.api_key}`, ...CSV },
      body: Buffer.from([0x65, 0xff]),
    });
    expect(response.status).toBe(400);
  });

  it('is refused while it arrives', async () => {
    // The client sends the rest only after the response.
    let isRefused: () => void = () => {};
    const refused = new Promise<void>((resolve) => (isRefused = resolve));
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(`nothing\n${'a\n'.repeat(64 * 1024)}`));
        await refused;
        controller.close();
      },
    });
    const headers = { authorization: `Bearer ${project.api_key}`, ...CSV };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const response = await fetch(`${service.url}/v1/import/subscribers`, init as RequestInit);
    isRefused();
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      400,
      expect.stringContaining('"nothing" is not a column'),
    ]);
  });

  it('is made once for an Idempotency-Key, which names the dry run, too', async () => {
    const key = { 'idempotency-key': freshName('import-key') };
    const first = await send('external_id\n', '', key);
    expect((await send('external_id\n', '', key)).body).toEqual(first.body);
    expect((await send('external_id\n', '?dry_run=true', key)).body.code).toBe('idempotency_conflict');
  });

  it('of another project is not found', async () => {
    const { body } = await send('external_id\n');
    const stranger = await service.createProject();
    expect((await stranger.api('GET', `/v1/import/${body.import_id}`)).body.code).toBe('not_found');
    expect((await stranger.api('DELETE', `/v1/import/${body.import_id}`)).body.code).toBe('not_found');
  });

  it('is exact when its worker is killed in the middle', async () => {
    const count = 6_000;
    // The statistics do not know those who come now.
    await service.pool.query('ANALYZE subscribers');
    const ids = await addSubscribers(count);
    const readBefore = await readByPageIndex();
    const lines = ids.map((_, n) => `user-${n + 1},${n},news`);
    // The import waits for this row until the kill.
    const blocker = await service.pool.connect();
    let importId: string;
    try {
      await blocker.query('BEGIN');
      await blocker.query('SELECT 1 FROM subscribers WHERE id = $1 FOR UPDATE', [ids[count - 500]]);
      const { body } = await send(['external_id,properties.n,permissions', ...lines, 'nobody,1,'].join('\n'));
      importId = body.import_id as string;
      const progress = async () => (await project.api('GET', `/v1/import/${importId}`)).body;
      await eventually(async () => (await progress()).updated > 500);
      await worker?.kill9();
      const { updated, status } = await progress();
      expect([status, updated < count]).toEqual(['running', true]);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    worker = await startSecondProcess(service, 'worker', env);
    expect(await untilCompleted(importId)).toMatchObject({
      rows: count + 1,
      updated: count,
      failed: 1,
      errors: [{ row: count + 2, code: 'subscriber_not_found' }],
    });
    const { rows } = await service.pool.query<{ right: number; events: number; left: number }>(
      `SELECT (SELECT count(*)::int FROM subscribers WHERE project_id = $1 AND properties->>'n' = (substr(external_id, 6)::int - 1)::text) AS right,
         (SELECT count(*)::int FROM events WHERE project_id = $1 AND name = 'subscription.permission_changed') AS events,
         (SELECT count(*)::int FROM import_chunks WHERE import_id = $2) AS left`,
      [project.id, importId],
    );
    expect(rows).toEqual([{ right: count, events: count, left: 0 }]);
    // No row was found by reading its whole project.
    expect((await readByPageIndex()) - readBefore).toBeLessThan(10 * count);
    await recordHistory(
      service.client.workflow.getHandle(workflowIds.subscriberImport(importId)),
      'import-subscribers',
      'worker-killed',
    );
  });

  it('that is half stored goes with a fault; after a crash the request with its key completes it', async () => {
    const count = 3_000;
    const reader = createImportReader();
    await reader.read(`external_id,add_tags\n${`${'x'.repeat(200)},a\n`.repeat(count)}`);
    const file = await reader.end();
    const id = randomUUID();
    const accept = (pool: TestService['pool'], resumed: boolean) =>
      acceptImport(pool, project.id, { file, dryRun: false }, { id, resumed });
    /** The numbers of imports and chunks after a request whose statements fail, from the third on. */
    const leftAfter = async (fails: (statement: number) => boolean) => {
      const pool = createPool({ url: service.database.url, max: 1 });
      const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
      let statement = 0;
      const failing = (...args: unknown[]) =>
        fails((statement += 1)) ? Promise.reject(new Error('no connection')) : query(...args);
      await expect(accept(Object.assign(pool, { query: failing }), false)).rejects.toThrow('no connection');
      await pool.end();
      return stored();
    };
    const stored = async () => {
      const { rows } = await service.pool.query<{ imports: number; chunks: number }>(
        `SELECT (SELECT count(*)::int FROM imports WHERE id = $1) AS imports,
           (SELECT count(*)::int FROM import_chunks WHERE import_id = $1) AS chunks`,
        [id],
      );
      return rows[0];
    };
    expect(await leftAfter((statement) => statement === 3)).toEqual({ imports: 0, chunks: 0 });
    const left = await leftAfter((statement) => statement >= 3);
    expect(left).toEqual({ imports: 1, chunks: expect.any(Number) });
    expect(left?.chunks).toBeGreaterThan(0);
    expect(left?.chunks).toBeLessThan(file.chunks.length);
    expect(await accept(service.pool, true)).toEqual({ import_id: id, rows: count });
    expect(await untilCompleted(id)).toMatchObject({ rows: count, updated: 0, failed: count });
    expect(await accept(service.pool, true)).toEqual({ import_id: id, rows: count });
    expect(await stored()).toEqual({ imports: 1, chunks: 0 });
  });

  it('that is cancelled keeps what it has done, does no more, and ends its workflow', async () => {
    const ids = await addSubscribers(1_000);
    const blocker = await service.pool.connect();
    let importId: string;
    let done: number;
    try {
      // The import waits for this row.
      await blocker.query('BEGIN');
      await blocker.query('SELECT 1 FROM subscribers WHERE id = $1 FOR UPDATE', [ids[500]]);
      const lines = ids.map((_, n) => `user-${n + 1},new`);
      importId = (await send(['external_id,tags', ...lines].join('\n'))).body.import_id as string;
      const progress = async () => (await project.api('GET', `/v1/import/${importId}`)).body;
      await eventually(async () => (await progress()).updated === 500);
      // The chunk that holds the import's row is applied first.
      const cancelling = project.api('DELETE', `/v1/import/${importId}`);
      await eventually(async () => {
        const { rowCount } = await service.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             AND query LIKE '%import_chunks WHERE import_id IN%'`,
        );
        return rowCount === 1;
      });
      await blocker.query('ROLLBACK');
      const { status, body } = await cancelling;
      const cancelled = { status: 'cancelled', rows: 1_000, ended_at: expect.any(String) };
      expect([status, body]).toEqual([200, expect.objectContaining(cancelled)]);
      done = body.updated as number;
      // The chunk that was under way, and those that got the import's row before the cancel did.
      expect([600, 700, 800, 900]).toContain(done);
    } finally {
      blocker.release();
    }
    const workflow = service.client.workflow.getHandle(workflowIds.subscriberImport(importId));
    expect(await workflow.result()).toMatchObject({
      status: 'cancelled',
      progress: `${done} updated, 0 failed of 1000 rows`,
    });
    const { rows } = await service.pool.query<{ changed: number; left: number }>(
      `SELECT (SELECT count(*)::int FROM subscribers WHERE project_id = $1 AND tags = '{new}') AS changed,
         (SELECT count(*)::int FROM import_chunks WHERE import_id = $2) AS left`,
      [project.id, importId],
    );
    expect(rows).toEqual([{ changed: done, left: 0 }]);
    expect((await project.api('DELETE', `/v1/import/${importId}`)).body.code).toBe('conflict');
    const audit = await project.api('GET', '/v1/audit');
    expect(audit.body.data).toContainEqual(
      expect.objectContaining({ action: 'import.cancelled', target_id: importId }),
    );
  });

  it('can be open five times in a project, and no more, however many come at once', async () => {
    await worker?.kill9();
    // One that no request stores any more does not count.
    await service.pool.query(
      `INSERT INTO imports (id, project_id, dry_run, columns, created_at)
       VALUES (gen_random_uuid(), $1, false, '{}', now() - interval '11 minutes')`,
      [project.id],
    );
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('external_id\nuser-1\n')));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 202, 409, 409, 409]);
    const accepted = answers.find(({ status }) => status === 202);
    await project.api('DELETE', `/v1/import/${accepted?.body.import_id}`);
    expect((await send('external_id\nuser-1\n')).status).toBe(202);
  });
});
