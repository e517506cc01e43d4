import { changeLabel } from '../../../src/domains/subscribers/labels';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { expectError } from '../http/fixture';
import { freshName } from '../messages/fixture';

const PEOPLE = 3_000;

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  // Its own: it calls the domain with a pool that fails, and needs the worker's agenda.
  service = await startTestService({ roles: 'api,worker', queues: [] });
});
afterAll(() => service.stop());
beforeEach(async () => {
  project = await service.createProject();
  await service.pool.query(
    `WITH label AS (INSERT INTO project_labels (project_id, kind, name) VALUES ($1, 'tags', 'old'), ($1, 'permissions', 'old'))
     INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang, tags, permissions)
     SELECT $1, 'telegram', $2 || n, $2 || n, 'Anna', 'en', '{a,old,b}', '{old}' FROM generate_series(1, ${PEOPLE}) n`,
    [project.id, freshName()],
  );
});

async function having(kind: string, name: string): Promise<number> {
  const { rows } = await service.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM subscribers WHERE project_id = $1 AND ${kind} @> ARRAY[$2]`,
    [project.id, name],
  );
  return rows[0]!.n;
}

async function openChanges(): Promise<unknown[]> {
  const { rows } = await service.pool.query(
    'SELECT name, new_name FROM label_changes WHERE project_id = $1',
    [project.id],
  );
  return rows;
}

/** After five seconds a request leaves the rest to the worker. */
const untilChanged = () => eventually(async () => (await openChanges()).length === 0);

/** Rows that one transaction has written at most. */
async function largestTransaction(): Promise<number> {
  const { rows } = await service.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM subscribers WHERE project_id = $1 GROUP BY xmin ORDER BY 1 DESC LIMIT 1`,
    [project.id],
  );
  return rows[0]!.n;
}

describe.each(['tags', 'permissions'] as const)('the %s of thousands of subscribers', (kind) => {
  test('are renamed a thousand in a transaction', async () => {
    const { status, body } = await project.api('PATCH', `/v1/${kind}/old`, { name: 'new' });
    expect({ status, body }).toMatchObject({ status: 200, body: { name: 'new', subscribers: PEOPLE } });
    await untilChanged();
    expect(await having(kind, 'new')).toBe(PEOPLE);
    expect(await having(kind, 'old')).toBe(0);
    expect(await largestTransaction()).toBe(1_000);
  });

  test('are deleted a thousand in a transaction', async () => {
    expect((await project.api('DELETE', `/v1/${kind}/old`)).status).toBe(204);
    await untilChanged();
    expect(await having(kind, 'old')).toBe(0);
    expect(await largestTransaction()).toBe(1_000);
  });
});

test('a request that dies between two batches has done the first, and a worker does the others', async () => {
  // Fails at the second transaction, as a process that is killed there does.
  let transactions = 0;
  const dying = new Proxy(service.pool, {
    get(pool, property) {
      if (property === 'query') return pool.query.bind(pool);
      if (property !== 'connect') return Reflect.get(pool, property) as unknown;
      return () => ((transactions += 1) === 1 ? pool.connect() : Promise.reject(new Error('killed')));
    },
  });
  const setDue = (time: string) => {
    const update = `UPDATE agenda SET due_at = now() + $2::interval WHERE kind = 'label-changes' AND project_id = $1`;
    return service.pool.query(update, [project.id, time]);
  };
  const renamed = await changeLabel(dying, project.id, 'tags', 'old', { name: 'new' });
  // The test decides when it is due.
  await setDue('1 hour');
  expect(renamed).toMatchObject({ name: 'new', subscribers: PEOPLE });
  expect([await having('tags', 'new'), await having('tags', 'old')]).toEqual([1_000, PEOPLE - 1_000]);
  expect(await openChanges()).toEqual([{ name: 'old', new_name: 'new' }]);

  // Meanwhile neither name is free. The old one stands for the new one.
  expectError(await project.api('POST', '/v1/tags', { name: 'old' }), 'conflict');
  expectError(await project.api('PATCH', '/v1/tags/new', { name: 'newer' }), 'conflict');
  expectError(await project.api('DELETE', '/v1/tags/new'), 'conflict');
  const { rows } = await service.pool.query<{ id: string }>(
    `SELECT id FROM subscribers WHERE project_id = $1 AND tags @> '{new}' LIMIT 1`,
    [project.id],
  );
  const id = rows[0]!.id;
  await project.api('PATCH', `/v1/subscribers/${id}`, { tags: ['old', 'new'] });

  await setDue('0');
  await untilChanged();
  expect([await having('tags', 'new'), await having('tags', 'old')]).toEqual([PEOPLE, 0]);
  const { body } = await project.api('GET', `/v1/subscribers/${id}`);
  expect(body.tags).toEqual(['new']);
  const { rows: others } = await service.pool.query(
    `SELECT DISTINCT tags FROM subscribers WHERE project_id = $1 AND id <> $2`,
    [project.id, id],
  );
  expect(others).toEqual([{ tags: ['a', 'new', 'b'] }]);
});

test('a rename that waits for a subscriber does not hold the project’s row', async () => {
  const holder = await service.pool.connect();
  try {
    await holder.query('BEGIN');
    // The last one on disk is not in the first batch.
    await holder.query(
      `SELECT 1 FROM subscribers WHERE ctid = (
         SELECT max(ctid) FROM subscribers WHERE project_id = $1) FOR UPDATE`,
      [project.id],
    );
    const renamed = project.api('PATCH', '/v1/tags/old', { name: 'new' });
    await eventually(async () => (await openChanges()).length === 1);
    await eventually(async () => (await having('tags', 'new')) >= 1_000);
    await holder.query('SELECT 1 FROM projects WHERE id = $1 FOR UPDATE NOWAIT', [project.id]);
    await holder.query('ROLLBACK');
    expect((await renamed).body).toMatchObject({ name: 'new', subscribers: PEOPLE });
  } finally {
    holder.release();
  }
});
