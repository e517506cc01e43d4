import { withTransaction } from '../../../src/db/pool';
import { claimWakeUps } from '../../../src/drip/queries/enrolments';
import type { Cause } from '../../../src/enrolment/contract';
import { lockTriggeredChains } from '../../../src/enrolment/queries';
import { claimMessage } from '../../../src/messages/queries/messages';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/** Statements of drip chains, on a database without a service. */
describe('in the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
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

  /** Enrols new subscribers, all due at this time. */
  async function enrol(project: string, chain: string, count: number, at: string): Promise<string[]> {
    const { rows } = await database.pool.query<{ id: string }>(
      `WITH people AS (
         INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
         SELECT $1, 'telegram', $2::uuid::text || n, n, 'Crowd', 'en' FROM generate_series(1, $3::int) n RETURNING id)
       INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id, wake_at)
       SELECT $1, $2::uuid, 1, id, 'a', now() - $4::interval FROM people RETURNING id`,
      [project, chain, count, at],
    );
    return rows.map(({ id }) => id);
  }

  test('a project whose enrolments have waited long leaves a turn to every other', async () => {
    const [large, small] = [await insertProject('large'), await insertProject('small')];
    await enrol(large, await insertChain(large), 50, '1 hour');
    const [own] = await enrol(small, await insertChain(small), 1, '1 second');
    const claimed = await claimWakeUps(database.pool, 4);
    expect(claimed).toHaveLength(4);
    expect(claimed.map(({ id }) => id)).toContain(own);
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
    const [enrolment] = await enrol(project, chain, 2, '0');
    const message = await one<string>(
      `WITH step AS (
         INSERT INTO drip_steps (enrolment_id, drip_id, n, version, step_id) VALUES ($1, $2, 1, 1, 'a') RETURNING id)
       INSERT INTO messages (project_id, request_id, kind, subscriber_id, channel, status)
       SELECT e.project_id, step.id, 'send', e.subscriber_id, 'telegram', 'queued'
       FROM step, drip_enrolments e WHERE e.id = $1 RETURNING id AS value`,
      [enrolment, chain],
    );
    expect(await claimMessage(database.pool, message)).toBe(true);
    await database.pool.query(`UPDATE messages SET status = 'queued' WHERE id = $1`, [message]);
    await database.pool.query(change);
    expect(await claimMessage(database.pool, message)).toBe(false);
    const status = one<string>('SELECT status AS value FROM messages WHERE id = $1', [message]);
    expect(await status).toBe('queued');
  });
});
