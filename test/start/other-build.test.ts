import { existsSync } from 'node:fs';
import pg from 'pg';
import { openDataDir } from '../../src/local/data-dir';
import { openKeyFile } from '../../src/local/key-file';
import { startPostgres } from '../../src/local/postgres';
import { runHerald, temporaryDataDir } from '../support/npm-start';

describe('a data directory of another build', () => {
  let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
  const settings = () => ({ HERALD_DATA_DIR: dataDir.path });
  beforeAll(async () => {
    dataDir = await temporaryDataDir();
    const opened = await openDataDir(dataDir.path);
    await openKeyFile(dataDir.path);
    const postgres = await startPostgres({ dataDir: opened, port: 0 });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query('CREATE TABLE migrations (version int PRIMARY KEY, name text NOT NULL)');
    await client.query(`INSERT INTO migrations VALUES (1, '0001_foundation')`);
    await client.end();
    await postgres.stop();
    await opened.close();
  });
  afterAll(() => dataDir.remove());

  it('stops the start with one sentence that names the command to reset it', async () => {
    const { code, stderr } = await runHerald(['start', '--json'], settings());
    expect(code).toBe(78);
    const sentence = stderr.split('\n').filter((line) => line.includes('herald reset'));
    expect(sentence).toEqual([
      `The data directory ${dataDir.path} was made by another build of Herald, whose data this one cannot read: ` +
        'delete it with `npx herald reset` and start again.',
    ]);
  });

  it('is deleted by that command, once confirmed', async () => {
    const asked = await runHerald(['reset'], settings());
    expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('`npx herald reset --yes`')]);
    expect(existsSync(dataDir.path)).toBe(true);
    const done = await runHerald(['reset', '--yes', '--json'], settings());
    expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { deleted: dataDir.path }]);
    expect(existsSync(dataDir.path)).toBe(false);
    const again = await runHerald(['reset', '--yes'], settings());
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('nothing to delete')]);
  });
});
