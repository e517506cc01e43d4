import { openDataDir } from '../../../../src/local/data-dir';
import { startPostgres } from '../../../../src/local/postgres';
import { findTemporalCli } from '../../../../src/local/temporal/cli';
import { startTemporalServer } from '../../../../src/local/temporal/server';

/** A service that is only its two servers: prints their pids, then waits to be killed by its test. */
async function main(directory: string): Promise<void> {
  const dataDir = await openDataDir(directory);
  const postgres = await startPostgres({ dataDir, port: 0, settings: { fsync: 'off' } });
  const temporal = await startTemporalServer({
    cliPath: await findTemporalCli({ configured: process.env['HERALD_TEMPORAL_CLI'] }),
    dataDir,
    port: 0,
    uiPort: null,
    dbFile: 'temporal.db',
    searchAttributes: {},
  });
  process.stdout.write(`${JSON.stringify({ postgres: postgres.pid, temporal: temporal.pid })}\n`);
  setInterval(() => undefined, 60_000);
}

void main(process.argv[2] as string);
