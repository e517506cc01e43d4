import { existsSync } from 'node:fs';
import { eventually } from '../../support/eventually';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { runHerald, startHerald, temporaryDataDir } from '../../support/npm-start';
import { stablePort } from '../../support/stable-port';

jest.setTimeout(120_000);

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
    const herald = startHerald({ ...settings, PORT: String(port) }, ['--roles', 'api']);
    try {
      expect(await herald.ready()).toEqual({
        api_url: 'https://herald.example.com',
        dashboard_url: 'https://herald.example.com/dashboard',
        docs_url: 'https://herald.example.com/docs',
        simulator_url: null,
        temporal_address: settings['TEMPORAL_ADDRESS'],
        temporal_ui_url: null,
        database_url: database.url,
        demo: null,
        demo_url: null,
      });
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
