import { openDataDir } from '../../src/local/data-dir';
import { findTemporalCli } from '../../src/local/temporal/cli';
import { startTemporalServer } from '../../src/local/temporal/server';
import { searchAttributeTypes } from '../../src/base/temporal/names';
import { superviseServer } from '../chaos/parts';
import { stablePort } from '../support/stable-port';
import { startTcpProxy } from '../support/tcp-proxy';
import type { TemporalCluster } from './temporal';

/** One process with SQLite in the place of a cluster, to compare the two, or where Go cannot build the server. */
export async function startDevelopmentServer(directory: string): Promise<TemporalCluster> {
  const dataDir = await openDataDir(`${directory}/temporal`);
  const port = await stablePort();
  const cliPath = await findTemporalCli({
    configured: process.env['HERALD_TEMPORAL_CLI'],
    onProgress: () => {},
  });
  let pid = 0;
  const server = await superviseServer('temporal', async () => {
    const started = await startTemporalServer({
      cliPath,
      dataDir,
      port,
      uiPort: null,
      dbFile: 'temporal.db',
      searchAttributes: searchAttributeTypes,
    });
    pid = started.pid;
    return started;
  });
  const proxy = await startTcpProxy(port);
  return {
    address: `127.0.0.1:${proxy.port}`,
    proxy,
    parts: [server],
    whole: server,
    pids: () => ({ temporal: pid }),
    async stop() {
      await proxy.close();
      await server.stop();
      await dataDir.close();
    },
  };
}
