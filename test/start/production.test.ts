import { existsSync } from 'node:fs';
import type { Channel } from '../../src/base/contract/common';
import { maskPassword } from '../../src/base/lib/mask-password';
import { randomToken256, sha256 } from '../../src/base/lib/tokens';
import { upsertAccount } from '../../src/domains/projects/queries/accounts';
import { insertDashboardSession } from '../../src/domains/projects/queries/dashboard-sessions';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { runHerald, startHerald, temporaryDataDir } from '../support/npm-start';
import { ownPage } from '../support/own-page';
import { stablePort } from '../support/stable-port';

jest.setTimeout(120_000);

/** As after a sign-in by messenger. Returns the value of the cookie. */
async function signInAccount({ pool }: TestDatabase, channel: Channel, user: string): Promise<string> {
  const { id } = await upsertAccount(pool, {
    channel,
    platform_user_id: user,
    chat_id: user,
    first_name: 'Olga',
    username: null,
    lang: 'en',
  });
  const secret = randomToken256();
  await insertDashboardSession(pool, {
    hash: sha256(secret),
    owner: { account_id: id, project_id: null },
    ip: null,
    user_agent: null,
    hours: 1,
    max: 10,
  });
  return secret;
}

describe('with a database and a Temporal server of its own', () => {
  let database: TestDatabase;
  let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
  let settings: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await temporaryDataDir();
    settings = {
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: process.env['HERALD_TEST_TEMPORAL_ADDRESS'] ?? '',
      HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
      HERALD_PUBLIC_URL: 'https://herald.example.com',
      HERALD_DATA_DIR: dataDir.path,
      HERALD_HOST: '127.0.0.1',
    };
  });
  afterAll(async () => {
    await database.drop();
    await dataDir.remove();
  });

  it('runs only the requested role, embeds nothing and runs no demo site', async () => {
    const port = await stablePort();
    const herald = startHerald(
      {
        ...settings,
        PORT: String(port),
        TEMPORAL_UI_URL: 'https://temporal.example',
        HERALD_OPERATORS: 'max:7, telegram:42',
        HERALD_ALLOW_LOCAL_WEBHOOKS: 'true',
      },
      ['--roles', 'api'],
    );
    try {
      expect(await herald.ready()).toEqual({
        api_url: 'https://herald.example.com',
        dashboard_url: 'https://herald.example.com/dashboard',
        docs_url: 'https://herald.example.com/docs',
        simulator_url: null,
        temporal_address: settings['TEMPORAL_ADDRESS'],
        temporal_ui_url: 'https://temporal.example',
        database_url: maskPassword(database.url),
        demo: null,
        demo_url: null,
      });
      expect(herald.stdout()).not.toContain(new URL(database.url).password);
      expect(herald.stderr()).toContain('HERALD_ALLOW_LOCAL_WEBHOOKS is true');
      const url = `http://127.0.0.1:${port}`;
      await eventually(async () => (await fetch(`${url}/readyz`)).status === 200);
      const refused = (await (await fetch(`${url}/v1/event-types`)).json()) as { docs_url: string };
      expect(refused.docs_url).toBe('https://herald.example.com/docs/errors#unauthorized');
      expect(existsSync(dataDir.path)).toBe(false);

      const created = await runHerald(
        ['project', 'create', '--slug', 'shop', '--name', 'Shop', '--json'],
        settings,
      );
      const { api_key } = JSON.parse(created.stdout) as { api_key: string };
      const answer = await fetch(`${url}/v1/event-types`, {
        headers: { authorization: `Bearer ${api_key}` },
      });
      expect(answer.status).toBe(200);

      // The Temporal UI shows the workflows of every project: its links are for the operators.
      const temporalLink = async (headers: Record<string, string>) => {
        const session = await fetch(`${url}/dashboard/session`, { headers: { ...ownPage, ...headers } });
        return ((await session.json()) as { temporal_ui_url: string | null }).temporal_ui_url;
      };
      const account = async (channel: 'max' | 'telegram', user: string) => ({
        cookie: `__Host-herald_dashboard=${await signInAccount(database, channel, user)}`,
      });
      const workflows = 'https://temporal.example/namespaces/default';
      expect(await temporalLink(await account('telegram', '42'))).toBe(workflows);
      expect(await temporalLink(await account('max', '7'))).toBe(workflows);
      expect(await temporalLink(await account('max', '42'))).toBeNull();
      expect(await temporalLink({ authorization: `Bearer ${api_key}` })).toBeNull();
    } finally {
      herald.signalNpm('SIGTERM');
    }
    await herald.allGone();
  });

  it('says in one sentence that the database does not answer, without its password', async () => {
    const url = `postgres://herald:hunter2@127.0.0.1:${await stablePort()}/herald`;
    const { code, stderr } = await startHerald({ ...settings, DATABASE_URL: url }, ['--roles', 'api'])
      .finished;
    expect(code).toBe(69);
    expect(stderr).toContain('Cannot connect to the database. Check DATABASE_URL.\n');
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});
