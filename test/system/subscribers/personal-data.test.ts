import { personalTables, heldTables, readHeld } from '../../../src/subscribers/queries/personal-data';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/** Names of columns that hold a person, what they wrote, or what was written to them. */
const PERSONAL = [
  /(^|_)(subscriber_id|subscriber_ids|platform_user_id|chat_id|chat|user_id|account_id)$/,
  /^(first_name|last_name|username|full_name|nickname|external_id|customer|contact|email|phone|address|avatar)/,
  /(^|_)(ip|user_agent|device)$/,
  /^(content|body|text|message|payload|answer|answers|response_body|words|vars|properties)$/,
];

describe('tables that name a person', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  const list = async (sql: string) => (await database.pool.query<{ name: string; detail: string }>(sql)).rows;

  it('are all in the list of personal data', async () => {
    const columns = await list(
      `SELECT table_name AS name, column_name AS detail FROM information_schema.columns
       JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`,
    );
    const referring = await list(
      `SELECT conrelid::regclass::text AS name, conname AS detail FROM pg_constraint
       WHERE contype = 'f' AND confrelid = 'subscribers'::regclass`,
    );
    const personal = columns.filter(({ detail }) => PERSONAL.some((pattern) => pattern.test(detail)));
    expect(personal.length).toBeGreaterThan(20);
    const missing = [...personal, ...referring].filter(({ name }) => !(name in personalTables));
    expect(missing.map(({ name, detail }) => `${name}.${detail}`)).toEqual([]);
  });

  it('that go with another row have a foreign key that deletes them', async () => {
    const keys = await list(
      `SELECT conrelid::regclass::text AS name, confrelid::regclass::text AS detail FROM pg_constraint
       WHERE contype = 'f' AND confdeltype = 'c'`,
    );
    const deleted = new Set(keys.map(({ name, detail }) => `${name} with ${detail}`));
    const declared = Object.entries(personalTables).flatMap(([table, entry]) =>
      'apart' in entry || !('with' in entry.removal) ? [] : [`${table} with ${entry.removal.with}`],
    );
    expect(declared.length).toBeGreaterThan(3);
    expect(declared.filter((one) => !deleted.has(one))).toEqual([]);
  });

  it('can all be read, from any row on', async () => {
    const person = {
      id: '00000000-0000-4000-8000-000000000000',
      project_id: '00000000-0000-4000-8000-000000000000',
      channel: 'telegram' as const,
      platform_user_id: '1',
    };
    for (const table of heldTables) {
      const after = { at: '2026-01-01T00:00:00.000000Z', key: '0' };
      expect([table.table, await readHeld(database.pool, table, person, ['x'], after, 10)]).toEqual([
        table.table,
        [],
      ]);
    }
  });
});
