import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../../src/base/db/migrate';
import { createPool } from '../../src/base/db/pool';
import { openDataDir } from '../../src/local/data-dir';
import { startPostgres } from '../../src/local/postgres';
import type { TestDatabase } from '../support/database';
import { stablePort } from '../support/stable-port';
import { superviseServer, type Part } from './parts';

export type OwnDatabase = TestDatabase & { server: Part };

/** A server of its own, which can be killed without the other tests. What it has committed survives a kill. */
export async function startOwnDatabase(): Promise<OwnDatabase> {
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-chaos-'));
  // As root, PostgreSQL runs as another user, who must be able to traverse the directory.
  await chmod(directory, 0o711);
  const dataDir = await openDataDir(path.join(directory, 'data'));
  const port = await stablePort();
  let url = '';
  const server = await superviseServer('postgres', async () => {
    const started = await startPostgres({
      dataDir,
      port,
      settings: { max_connections: '150', fsync: 'off' },
    });
    url = started.url;
    return started;
  });
  const pool = createPool({ url, max: 10, applicationName: 'test' });
  await migrate(pool);
  return {
    url,
    pool,
    server,
    async drop() {
      await pool.end();
      await server.stop();
      await dataDir.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
