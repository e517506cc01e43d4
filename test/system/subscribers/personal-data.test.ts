import type { PersonalTable } from '../../../src/base/db/personal-data';
import { registerDomains } from '../../../src/process/roles/domains';
import { heldTables, personalData } from '../../../src/domains/subscribers/personal-data';
import { ownPersonalData, readHeld } from '../../../src/domains/subscribers/queries/personal-data';
import { createTestDatabase, type TestDatabase } from '../../support/database';

/** Names of columns that hold a person, what they wrote, or what was written to them. */
const PERSONAL = [
  /(^|_)(subscriber_id|subscriber_ids|platform_user_id|chat_id|chat|user_id|account_id)$/,
  /^(first_name|last_name|username|full_name|nickname|external_id|customer|contact|email|phone|address|avatar)/,
  /(^|_)(ip|user_agent|device)$/,
  /^(content|body|text|message|payload|answer|answers|response_body|words|vars|properties)$/,
];

/** Tables that look personal and hold nothing of a project about its subscriber, and why. */
const APART: Record<string, string> = {
  chat_pace: 'Of the bot, not of a project; removed after a minute.',
  recurring: 'The text for everybody; shown with broadcast_recipients.',
  broadcasts: 'The text for everybody; shown with broadcast_recipients.',
  accounts: 'Members of a team, not subscribers.',
  members: 'Members of a team, not subscribers.',
  invitations: 'Members of a team, not subscribers.',
  member_notices: 'Members of a team, not subscribers.',
  dashboard_sessions: 'Members of a team, not subscribers.',
  project_bots: 'A bot is no person.',
  oidc_clients: 'An application is no person.',
};

describe('tables that name a person', () => {
  registerDomains();
  const rooms = [ownPersonalData, ...personalData.entries()];
  const tables: Record<string, PersonalTable> = Object.assign({}, ...rooms.map((room) => room.tables));

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
    const missing = [...personal, ...referring].filter(({ name }) => !(name in tables) && !(name in APART));
    expect(missing.map(({ name, detail }) => `${name}.${detail}`)).toEqual([]);
    // A reason that is no longer needed must go.
    const names = new Set(personal.map(({ name }) => name));
    expect(Object.keys(APART).filter((name) => name in tables || !names.has(name))).toEqual([]);
  });

  it('that go with another row have a foreign key that deletes them', async () => {
    const keys = await list(
      `SELECT conrelid::regclass::text AS name, confrelid::regclass::text AS detail FROM pg_constraint
       WHERE contype = 'f' AND confdeltype = 'c'`,
    );
    const deleted = new Set(keys.map(({ name, detail }) => `${name} with ${detail}`));
    const declared = Object.entries(tables).flatMap(([table, { removal }]) =>
      removal !== 'erase' && 'with' in removal ? [`${table} with ${removal.with}`] : [],
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
      public_ids: ['x'],
    };
    for (const table of heldTables()) {
      const after = { at: '2026-01-01T00:00:00.000000Z', key: '0' };
      expect([table.table, await readHeld(database.pool, table, person, after, 10)]).toEqual([
        table.table,
        [],
      ]);
    }
  });
});
