import { loadConfig } from '../../../src/process/settings';
import { withTransaction } from '../../../src/base/db/pool';
import { batchKind, startAgenda } from '../../../src/base/agenda';
import { beginSync, dripSyncs } from '../../../src/domains/drip/sync';
import { removeUnusedVersions } from '../../../src/domains/drip/queries/chains';
import { enrolByCauses, dripEntries } from '../../../src/domains/drip/enrol';
import { lockTriggeredChains } from '../../../src/domains/drip/queries/enrol';
import { personalData } from '../../../src/domains/drip/queries/personal-data';
import { createNotifications } from '../../../src/base/db/notify';
import type { Person } from '../../../src/base/db/personal-data';
import { createLogger } from '../../../src/base/lib/log';
import { eventually } from '../../support/eventually';
import { registerDomains } from '../../../src/process/roles/domains';
import type { Cause } from '../../../src/domains/subscribers';
import { lockSendable } from '../../../src/domains/drip/queries/steps';
import { removeTemplate } from '../../../src/domains/templates/templates';
import { failAbandonedMessages, resumableRequests } from '../../../src/domains/messages/abandoned';
import { claim } from '../../../src/domains/messages/deliver';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/** The step of an enrolment ($1) of a chain ($2), with its queued message. */
const INSERT_STEP_MESSAGE = `WITH step AS (
    INSERT INTO drip_steps (enrolment_id, drip_id, n, version, step_id) VALUES ($1, $2, 1, 1, 'a') RETURNING id)
  INSERT INTO messages (project_id, request_id, source, subscriber_id, channel, status)
  SELECT e.project_id, step.id, 'send', e.subscriber_id, 'telegram', 'queued'
  FROM step, drip_enrolments e WHERE e.id = $1 RETURNING id AS value`;

/** Statements of drip chains, on a database without a service. */
describe('in the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    registerDomains();
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function one<T>(text: string, values: unknown[] = []): Promise<T> {
    const { rows } = await database.pool.query<{ value: T }>(text, values);
    return rows[0]!.value;
  }

  const insertProject = (slug: string) =>
    one<string>('INSERT INTO projects (slug, name) VALUES ($1, $1) RETURNING id AS value', [slug]);

  const insertChain = (project: string, trigger: object = { type: 'manual' }) =>
    one<string>(
      `WITH chain AS (
         INSERT INTO drip_chains (id, project_id, name, trigger, reentry, status)
         VALUES (gen_random_uuid(), $1, 'Chain', $2, 'once', 'active') RETURNING id)
       INSERT INTO drip_versions (drip_id, version, steps) SELECT id, 1, '[]' FROM chain RETURNING drip_id AS value`,
      [project, JSON.stringify(trigger)],
    );

  /** Enrols new subscribers. */
  async function enrol(project: string, chain: string, count: number): Promise<string[]> {
    const { rows } = await database.pool.query<{ id: string }>(
      `WITH people AS (
         INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
         SELECT $1, 'telegram', $2::uuid::text || n, n, 'Crowd', 'en' FROM generate_series(1, $3::int) n RETURNING id)
       INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id)
       SELECT $1, $2::uuid, 1, id, 'a' FROM people RETURNING id`,
      [project, chain, count],
    );
    return rows.map(({ id }) => id);
  }

  test('a cause of more than a thousand enrolments leaves the rest to batches, without those who were removed', async () => {
    const project = await insertProject('crowd');
    const trigger = { type: 'tag_added', tag: 'vip' };
    for (let chain = 0; chain < 3; chain += 1) await insertChain(project, trigger);
    const { rows: people } = await database.pool.query<Person & { id: string }>(
      `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
       SELECT $1, 'telegram', 'crowd-' || n, n, 'Crowd', 'en' FROM generate_series(1, 600) n
       RETURNING id, project_id, channel, platform_user_id`,
      [project],
    );
    const causes = people.map(({ id }) => ({ type: 'tag_added', subscriberId: id, tag: 'vip' }) as const);
    const enrolled = () =>
      one<number>('SELECT count(*)::int AS value FROM drip_enrolments WHERE project_id = $1', [project]);
    await withTransaction(database.pool, (db) => enrolByCauses(db, project, causes));
    expect(await enrolled()).toBe(1_000);
    // Of the third chain, and not of the first thousand.
    const removed = people[599]!;
    // Their workflows, which there are not, are woken.
    const client = { withDeadline: () => Promise.resolve() };
    await withTransaction(database.pool, (db) =>
      personalData.erase!(db, { ...removed, public_ids: [], bot: null, own_external_id: null }, {
        client,
      } as never),
    );
    const notifications = createNotifications({ url: database.url });
    const agenda = startAgenda(
      { pool: database.pool, log: createLogger({ HERALD_LOG_LEVEL: 'silent' }), notifications },
      [batchKind(dripEntries(database.pool))],
    );
    await eventually(async () => (await enrolled()) === 1_798);
    await agenda.stop();
    await notifications.stop();
    expect(await one('SELECT count(*)::int AS value FROM drip_entries')).toBe(0);
    expect(
      await one(
        'SELECT max(n)::int AS value FROM (SELECT count(*) AS n FROM drip_enrolments GROUP BY xmin::text) t',
      ),
    ).toBe(1_000);
    await database.pool.query('DELETE FROM drip_enrolments');
  });

  test('a cause locks the chains whose trigger it is, and no other', async () => {
    const project = await insertProject('causes');
    const chains = {
      bought: await insertChain(project, { type: 'event', name: 'bought' }),
      refunded: await insertChain(project, { type: 'event', name: 'refunded' }),
      vip: await insertChain(project, { type: 'tag_added', tag: 'vip' }),
      trial: await insertChain(project, { type: 'tag_added', tag: 'trial' }),
      subscribed: await insertChain(project, { type: 'subscription' }),
      manual: await insertChain(project),
    };
    const subscriberId = '00000000-0000-0000-0000-000000000001';
    async function lockedBy(...causes: Cause[]): Promise<{ found: string[]; locked: string[] }> {
      return withTransaction(database.pool, async (db) => {
        const found = await lockTriggeredChains(db, project, causes);
        const { rows: free } = await database.pool.query<{ id: string }>(
          'SELECT id FROM drip_chains WHERE project_id = $1 FOR UPDATE SKIP LOCKED',
          [project],
        );
        const isFree = (id: string) => free.some((each) => each.id === id);
        return {
          found: found.map(({ id }) => id).sort(),
          locked: Object.values(chains)
            .filter((id) => !isFree(id))
            .sort(),
        };
      });
    }
    const only = (...ids: string[]) => ({ found: ids.sort(), locked: [...ids].sort() });
    const bought: Cause = { type: 'event', subscriberId, name: 'bought', properties: {} };
    const vip: Cause = { type: 'tag_added', subscriberId, tag: 'vip' };
    expect(await lockedBy(bought)).toEqual(only(chains.bought));
    expect(await lockedBy(vip)).toEqual(only(chains.vip));
    expect(await lockedBy(bought, vip)).toEqual(only(chains.bought, chains.vip));
    expect(await lockedBy({ type: 'subscription', subscriberId })).toEqual(only(chains.subscribed));
    // A name is not a tag.
    expect(await lockedBy({ type: 'tag_added', subscriberId, tag: 'bought' })).toEqual(only());
  });

  test.each([
    ['its enrolment was cancelled', `UPDATE drip_enrolments SET status = 'cancelled', ended_at = now()`],
    ['its chain is paused', `UPDATE drip_chains SET status = 'paused'`],
    ['its chain was deleted', `UPDATE drip_chains SET deleted_at = now()`],
  ])('the message of a step is not sent once %s', async (_, change) => {
    const project = await insertProject(`claims-${change.length}`);
    const chain = await insertChain(project);
    const [enrolment] = await enrol(project, chain, 2);
    const message = await one<string>(INSERT_STEP_MESSAGE, [enrolment, chain]);
    const step = await one<string>('SELECT request_id AS value FROM messages WHERE id = $1', [message]);
    const claimed = () => claim(database.pool, message, (db) => lockSendable(db, step));
    expect(await claimed()).toBe(true);
    await database.pool.query(`UPDATE messages SET status = 'queued' WHERE id = $1`, [message]);
    await database.pool.query(change);
    expect(await claimed()).toBe(false);
    const status = one<string>('SELECT status AS value FROM messages WHERE id = $1', [message]);
    expect(await status).toBe('queued');
  });

  test('an old message of a step is abandoned once its enrolment or its step has ended', async () => {
    const project = await insertProject('abandoned');
    const chain = await insertChain(project);
    const [open, cancelled, moved] = await enrol(project, chain, 3);
    const messages: string[] = [];
    for (const each of [open, cancelled, moved]) messages.push(await one(INSERT_STEP_MESSAGE, [each, chain]));
    await database.pool.query(`UPDATE messages SET created_at = now() - interval '1 hour'`);
    await database.pool.query('UPDATE drip_enrolments SET ended_at = now() WHERE id = $1', [cancelled]);
    await database.pool.query('UPDATE drip_steps SET ended_at = now() WHERE enrolment_id = $1', [moved]);
    await failAbandonedMessages(database.pool, { HERALD_SUBSCRIBER_ID_FORMAT: 'uuid' });
    const { rows } = await database.pool.query<{ status: string }>(
      'SELECT status FROM messages WHERE id = ANY ($1) ORDER BY array_position($1, id)',
      [messages],
    );
    expect(rows.map(({ status }) => status)).toEqual(['queued', 'failed', 'failed']);
  });

  test('an old message that will still be sent is not locked', async () => {
    const project = await insertProject('unlocked');
    const chain = await insertChain(project);
    const [enrolment] = await enrol(project, chain, 1);
    const message = await one<string>(INSERT_STEP_MESSAGE, [enrolment, chain]);
    await database.pool.query(`UPDATE messages SET created_at = now() - interval '1 hour' WHERE id = $1`, [
      message,
    ]);
    const finders = resumableRequests.entries();
    const locked: string[] = [];
    resumableRequests.register(...finders, async () => {
      const lock = 'SELECT 1 FROM messages WHERE id = $1 FOR UPDATE NOWAIT';
      await database.pool.query(lock, [message]).catch((error: Error) => locked.push(error.message));
      return [];
    });
    try {
      await failAbandonedMessages(database.pool, { HERALD_SUBSCRIBER_ID_FORMAT: 'uuid' });
    } finally {
      resumableRequests.register(...finders);
    }
    expect(locked).toEqual([]);
    expect(await one('SELECT status AS value FROM messages WHERE id = $1', [message])).toBe('queued');
  });

  describe('the enrolments of a chain', () => {
    const PEOPLE = 1_500;
    const deps = () => ({ pool: database.pool, config: loadConfig({ NODE_ENV: 'test' }) });
    const counts = (chain: string) =>
      one<Record<string, unknown>>(
        `SELECT json_build_object('open', count(*) FILTER (WHERE ended_at IS NULL), 'parked', count(*) FILTER (WHERE parked),
           'moved', count(*) FILTER (WHERE version = 2), 'transactions', count(DISTINCT e.xmin::text),
           'changes', max(a.revision), 'seconds', round(extract(epoch FROM max(a.due_at) - min(a.due_at)))) AS value
         FROM drip_enrolments e LEFT JOIN agenda a ON a.kind = 'drip' AND a.id = e.id WHERE drip_id = $1`,
        [chain],
      );

    async function chainWith(slug: string, changes: string): Promise<string> {
      const project = await insertProject(slug);
      const chain = await insertChain(project);
      await enrol(project, chain, PEOPLE);
      await database.pool.query(`UPDATE drip_enrolments SET next_at = now(), ${changes} WHERE drip_id = $1`, [
        chain,
      ]);
      return chain;
    }

    const toSync = (chain: string, version: number | null = null) =>
      withTransaction(database.pool, async (db) => {
        const project = await one<string>('SELECT project_id AS value FROM drip_chains WHERE id = $1', [
          chain,
        ]);
        await beginSync(db, { id: chain, project_id: project }, version);
      });
    const isSyncing = (chain: string) =>
      one<boolean>(
        `SELECT EXISTS (SELECT 1 FROM drip_syncs WHERE drip_id = $1)
           AND EXISTS (SELECT 1 FROM agenda WHERE kind = 'drip-syncs' AND id = $1) AS value`,
        [chain],
      );
    const nextBatch = (chain: string) => dripSyncs(deps()).nextBatch({ id: chain, project_id: chain });
    async function syncAll(chain: string): Promise<void> {
      while ((await nextBatch(chain)) !== null) expect(await isSyncing(chain)).toBe(true);
      expect(await isSyncing(chain)).toBe(false);
    }

    test('go on in batches, and are woken one after the other, when it is active again', async () => {
      const chain = await chainWith('unparked', 'parked = true');
      await toSync(chain);
      await syncAll(chain);
      // 1,500 at ten in a second.
      expect(await counts(chain)).toMatchObject({ open: PEOPLE, parked: 0, transactions: 2 });
      expect((await counts(chain))['seconds']).toBeGreaterThan(145);
    });

    test('move to the version of the request, in batches, also if the chain has a newer one by then', async () => {
      const chain = await chainWith('moved', 'parked = false');
      const step = (content: string) => `[{"id": "a", "type": "send", "content": ${content}}]`;
      await database.pool.query(
        'INSERT INTO drip_versions (drip_id, version, steps) VALUES ($1, 2, $2), ($1, 3, $3)',
        [chain, step('{"template": "kept", "vars": {}}'), step('{"text": "x"}')],
      );
      const project = await one<string>('SELECT project_id AS value FROM drip_chains WHERE id = $1', [chain]);
      await database.pool.query(
        `INSERT INTO templates (project_id, key, purpose, format, default_lang, variants)
         VALUES ($1, 'kept', 'message', 'plain', 'en', '{"en": {"text": "x"}}')`,
        [project],
      );
      const remove = () => removeTemplate(database.pool, project, 'kept');
      await toSync(chain, 2);
      await database.pool.query('UPDATE drip_chains SET version = 3 WHERE id = $1', [chain]);
      await removeUnusedVersions(database.pool, chain);
      // No enrolment has moved to the version that names the template.
      await expect(remove()).rejects.toMatchObject({ code: 'conflict' });
      await syncAll(chain);
      await expect(remove()).rejects.toMatchObject({ code: 'conflict' });
      expect(await counts(chain)).toMatchObject({ moved: PEOPLE, transactions: 2 });
      const versions =
        'SELECT array_agg(version ORDER BY version) AS value FROM drip_versions WHERE drip_id = $1';
      expect(await one(versions, [chain])).toEqual([2, 3]);
      await database.pool.query('UPDATE drip_enrolments SET ended_at = now() WHERE drip_id = $1', [chain]);
      await expect(remove()).resolves.toBeUndefined();
    });

    test('are cancelled in batches with it, by another process if one has died', async () => {
      const chain = await chainWith('cancelled', 'parked = false');
      await database.pool.query('UPDATE drip_chains SET deleted_at = now() WHERE id = $1', [chain]);
      await toSync(chain);
      await nextBatch(chain);
      expect(await counts(chain)).toMatchObject({ open: PEOPLE - 1_000 });
      const notifications = createNotifications({ url: database.url });
      const log = createLogger({ HERALD_LOG_LEVEL: 'silent' });
      await database.pool.query('UPDATE agenda SET due_at = now() WHERE id = $1', [chain]);
      const agenda = startAgenda({ pool: database.pool, log, notifications }, [batchKind(dripSyncs(deps()))]);
      await eventually(async () => !(await isSyncing(chain)));
      await agenda.stop();
      await notifications.stop();
      expect(await counts(chain)).toMatchObject({ open: 0, transactions: 2 });
    });

    test('are changed by one process at a time, and the next one keeps the pace', async () => {
      const chain = await chainWith('taken-over', 'parked = true');
      await toSync(chain);
      // As if the lease of the first had ended.
      await Promise.all([nextBatch(chain), nextBatch(chain)]);
      await syncAll(chain);
      expect(await counts(chain)).toMatchObject({ parked: 0, changes: 1, transactions: 2 });
      // 1,500 at ten in a second, as if one process had done it.
      expect((await counts(chain))['seconds']).toBeGreaterThan(145);
    });

    test('are walked again from the first, at the pace of now, when the chain changes meanwhile', async () => {
      const chain = await chainWith('changed-again', 'parked = true');
      await toSync(chain);
      await nextBatch(chain);
      await database.pool.query('UPDATE drip_chains SET deleted_at = now() WHERE id = $1', [chain]);
      await toSync(chain);
      await syncAll(chain);
      expect(await counts(chain)).toMatchObject({ open: 0, parked: 0 });
    });
  });
});
