import { randomUUID } from 'node:crypto';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { herald } from './fixture';

jest.setTimeout(120_000);

/** Without a service: messages that the operator cancels end although no worker runs. */
describe('an operator', () => {
  let database: TestDatabase;
  let settings: Record<string, string>;
  let project: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    settings = { DATABASE_URL: database.url };
    const created = await json<{ project_id: string }>(
      ...['project', 'create', '--slug', 'acme', '--name', 'Acme'],
    );
    project = created.project_id;
  });
  afterAll(() => database.drop());

  async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await herald([...args, '--json'], settings);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  }

  async function refusal(...args: string[]): Promise<string> {
    const { code, stderr } = await herald(args, settings);
    expect({ args, failed: code !== 0 }).toEqual({ args, failed: true });
    return stderr.trim();
  }

  const insertId = async (sql: string, values: unknown[] = []): Promise<string> => {
    const { rows } = await database.pool.query<{ id: string }>(sql, [project, ...values]);
    return rows[0]?.id ?? '';
  };

  const insertJob = async (kind: 'broadcast' | 'batch') => {
    const id = await insertId(
      `INSERT INTO broadcasts (project_id, kind, content, audience, status, total)
       VALUES ($1, $2, '{"text": "x"}', '{}', 'running', 2) RETURNING id`,
      [kind],
    );
    await database.pool.query(
      `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel)
       SELECT $1, gen_random_uuid(), 'telegram' FROM generate_series(1, 2)`,
      [id],
    );
    return id;
  };
  const insertScheduled = () =>
    insertId(
      `INSERT INTO scheduled (id, project_id, content, external_id, scheduled_at, next_at)
       VALUES ($2, $1, '{"text": "x"}', 'me', '2099-01-01T00:00:00Z', '2099-01-01T00:00:00Z') RETURNING id`,
      [randomUUID()],
    );
  const insertRecurring = () =>
    insertId(
      `INSERT INTO recurring (id, project_id, name, content, audience, cron, timezone, next_at)
       VALUES ($2, $1, 'Digest', '{"text": "x"}', '{}', '0 9 * * *', 'UTC', now() + interval '1 day') RETURNING id`,
      [randomUUID()],
    );
  const insertChain = async () => {
    const chain = await insertId(
      `WITH chain AS (
         INSERT INTO drip_chains (id, project_id, name, trigger, reentry, status)
         VALUES ($2, $1, 'Welcome', '{"type": "subscription"}', 'once', 'active') RETURNING id
       )
       INSERT INTO drip_versions (drip_id, version, steps)
       SELECT id, 1, '[{"id": "hello", "type": "send", "content": {"text": "x"}}]' FROM chain RETURNING drip_id AS id`,
      [randomUUID()],
    );
    const { rows } = await database.pool.query<{ id: string }>(
      `WITH people AS (
         INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
         SELECT $1, 'telegram', $2::text || n, n, 'A', 'en' FROM generate_series(1, 2) n RETURNING id)
       INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id, next_at)
       SELECT $1, $2::uuid, 1, id, 'hello', now() FROM people RETURNING id`,
      [project, chain],
    );
    return { chain, enrolments: rows.map(({ id }) => id) };
  };
  const openEnrolments = async (chain: string) =>
    (
      await database.pool.query('SELECT FROM drip_enrolments WHERE drip_id = $1 AND ended_at IS NULL', [
        chain,
      ])
    ).rowCount;

  it('deactivates a project, sees what it has stopped, and cancels it', async () => {
    const ids = {
      broadcast: await insertJob('broadcast'),
      batch: await insertJob('batch'),
      scheduled: await insertScheduled(),
      recurring: await insertRecurring(),
    };
    const { chain, enrolments } = await insertChain();
    const session = await insertId(
      `INSERT INTO auth_sessions (project_id, flow, expires_at)
       VALUES ($1, 'session', now() + interval '5 minutes') RETURNING id`,
    );
    const changed = await json('project', 'set', 'acme', '--active', 'false');
    expect(changed).toMatchObject({
      active: false,
      stopped: {
        broadcasts: 1,
        batches: 1,
        scheduled: 1,
        recurring: 1,
        enrolments: 2,
        submissions: 0,
        notices: 0,
        sessions: 1,
      },
    });
    const { rows: sessions } = await database.pool.query('SELECT status FROM auth_sessions WHERE id = $1', [
      session,
    ]);
    expect(sessions).toEqual([{ status: 'expired' }]);
    const { stdout } = await herald(['project', 'set', 'acme', '--active', 'false'], settings);
    expect(stdout).toMatch(/Waiting until the project is active again:\n(.*\n)*.*scheduled messages +1\n/);
    expect(stdout).toMatch(/expired: 0\n/);

    expect(await json('broadcasts', 'list', '--project', 'acme')).toEqual([
      expect.objectContaining({ job_id: ids.broadcast, status: 'running', total: 2 }),
    ]);
    const ended = { status: 'cancelled', sent: 0, failed: 0, skipped: 2, total: 2 };
    expect(await json('broadcasts', 'cancel', ids.broadcast)).toEqual({ job_id: ids.broadcast, ...ended });
    expect(await json('batch', 'cancel', ids.batch)).toEqual({ batch_id: ids.batch, ...ended });
    expect(await json('scheduled', 'cancel', ids.scheduled)).toEqual({
      scheduled_id: ids.scheduled,
      status: 'cancelled',
    });
    for (const [command, status] of [
      ['pause', 'paused'],
      ['activate', 'active'],
      ['cancel', 'ended'],
    ] as const) {
      expect(await json('recurring', command, ids.recurring)).toEqual({
        recurring_id: ids.recurring,
        status,
      });
    }
    const [first = ''] = enrolments;
    expect(await json('drip', 'cancel', first)).toEqual({
      enrolment_id: first,
      drip_id: chain,
      status: 'cancelled',
    });
    expect(await openEnrolments(chain)).toBe(1);
    expect(await json('drip', 'cancel', chain)).toEqual({ drip_id: chain, status: 'cancelled' });
    expect(await openEnrolments(chain)).toBe(0);

    const { rows } = await database.pool.query<{ action: string }>(
      `SELECT action FROM audit_entries WHERE project_id = $1 AND actor_type = 'cli' AND target_id <> $1::text ORDER BY at`,
      [project],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'broadcast.cancelled',
      'batch.cancelled',
      'scheduled.cancelled',
      'recurring.updated',
      'recurring.updated',
      'recurring.deleted',
      'enrolment.cancelled',
      'drip_chain.deleted',
    ]);
    expect(await json('project', 'set', 'acme', '--active', 'true')).not.toHaveProperty('stopped');
  });

  it('gets an error for what cannot be cancelled', async () => {
    const unknown = randomUUID();
    const expected = {
      broadcasts: 'Broadcast',
      batch: 'Batch',
      scheduled: 'Scheduled message',
      recurring: 'Recurring message',
      drip: 'Drip chain',
    };
    for (const [command, noun] of Object.entries(expected)) {
      expect(await refusal(command, 'cancel', unknown)).toBe(`${noun} "${unknown}" not found.`);
    }
    const id = await insertScheduled();
    await database.pool.query(`UPDATE scheduled SET status = 'sent', ended_at = now() WHERE id = $1`, [id]);
    expect(await refusal('scheduled', 'cancel', id)).toBe(
      'The message is sent and can no longer be cancelled.',
    );
  });
});
