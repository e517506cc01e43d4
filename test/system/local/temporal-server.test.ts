import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import type { ChildExit } from '../../../src/local/child-process';
import { openDataDir, type DataDir } from '../../../src/local/data-dir';
import { identifyProcess } from '../../../src/local/process-identity';
import { findTemporalCli } from '../../../src/local/temporal/cli';
import {
  startTemporalServer,
  type RunningTemporalServer,
  type TemporalServerOptions,
} from '../../../src/local/temporal/server';
import { searchAttributeTypes } from '../../../src/base/temporal/names';
import { eventually } from '../../support/eventually';
import { filesOpenToOthers } from '../../support/private-files';
import { setupErrorOf } from './fixture';

let cliPath: string;
let directory: string;
let dataDir: DataDir;
const running: RunningTemporalServer[] = [];

beforeAll(async () => {
  cliPath = await findTemporalCli({ configured: process.env['HERALD_TEMPORAL_CLI'] });
});

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'herald-temporal-'));
  dataDir = await openDataDir(path.join(directory, '.herald'));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  await dataDir.close();
  await rm(directory, { recursive: true, force: true });
});

async function start(options: Partial<TemporalServerOptions> = {}): Promise<RunningTemporalServer> {
  const server = await startTemporalServer({
    cliPath,
    dataDir,
    port: 0,
    uiPort: null,
    dbFile: null,
    searchAttributes: searchAttributeTypes,
    ...options,
  });
  running.push(server);
  return server;
}

async function withClient<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

async function occupyPort() {
  const occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  return { port: (occupant.address() as AddressInfo).port, free: () => occupant.close() };
}

test('workflows and their search attributes are still there at the next start', async () => {
  const first = await start({ dbFile: 'temporal.db' });
  const project = defineSearchAttributeKey('ProjectId', 'KEYWORD');
  await withClient(first.address, (client) =>
    client.workflow.start('never-run', {
      taskQueue: 'nobody',
      workflowId: 'delivery/1',
      typedSearchAttributes: new TypedSearchAttributes([{ key: project, value: 'p1' }]),
    }),
  );
  await first.stop();

  const second = await start({ dbFile: 'temporal.db' });
  // The server may have been stopped before the workflow was in its lists.
  await withClient(second.address, (client) =>
    eventually(async () => {
      const ids: string[] = [];
      for await (const { workflowId } of client.workflow.list({ query: `ProjectId = 'p1'` })) {
        ids.push(workflowId);
      }
      expect(ids).toEqual(['delivery/1']);
      return true;
    }),
  );
});

test('nothing that the server stores or logs can be read by other users', async () => {
  await start({ dbFile: 'temporal.db' });
  expect(existsSync(dataDir.file('temporal.db'))).toBe(true);
  expect(filesOpenToOthers(dataDir.path)).toEqual([]);
});

test('the web UI answers on loopback, and ended workflows are kept for 30 days', async () => {
  const { address, uiUrl, uiPort } = await start({ uiPort: 0 });
  expect(uiUrl).toBe(`http://127.0.0.1:${uiPort}`);
  expect((await fetch(uiUrl as string)).status).toBe(200);
  const namespace = await withClient(address, (client) =>
    client.workflowService.describeNamespace({ namespace: 'default' }),
  );
  expect(Number(namespace.config?.workflowExecutionRetentionTtl?.seconds)).toBe(30 * 24 * 3600);
});

test('a stop leaves no process and no record of one behind', async () => {
  const server = await start();
  expect(await readFile(dataDir.file('children.json'), 'utf8')).toContain(`"pid": ${server.pid}`);
  await server.stop();
  expect(identifyProcess(server.pid)).toBeNull();
  expect(JSON.parse(await readFile(dataDir.file('children.json'), 'utf8'))).toEqual([]);
});

test('a server that dies on its own is reported', async () => {
  const died = new Promise<ChildExit>((resolve) => {
    void start({ onExit: resolve }).then((server) => process.kill(server.pid, 'SIGKILL'));
  });
  expect(await died).toMatchObject({ name: 'Temporal server', signal: 'SIGKILL' });
});

test('ports in use are named together with their settings', async () => {
  const occupant = await occupyPort();
  const ofServer = await setupErrorOf(start({ port: occupant.port }));
  const ofUi = await setupErrorOf(start({ uiPort: occupant.port }));
  occupant.free();
  expect(ofServer.message).toMatch(new RegExp(`Port ${occupant.port} .*HERALD_TEMPORAL_PORT`));
  expect(ofUi.message).toMatch(new RegExp(`Port ${occupant.port} .*HERALD_TEMPORAL_UI_PORT`));
  expect(ofServer.exitCode).toBe(69);
});

test('a damaged store is reported with the reason and the log to read', async () => {
  await writeFile(
    dataDir.file('temporal.db'),
    'this is no database, but it is long enough to be read as one',
  );
  const error = await setupErrorOf(start({ dbFile: 'temporal.db' }));
  expect(error.message).toContain('file is not a database');
  expect(error.message).toContain(dataDir.file('logs', 'temporal.log'));
  expect(error.message).toContain(`delete ${dataDir.file('temporal.db')}, start again, and run`);

  // One whose first start did not come to its end holds nothing, and is made anew.
  await writeFile(dataDir.file('temporal.db.draft'), '');
  await start({ dbFile: 'temporal.db' });
  expect(existsSync(dataDir.file('temporal.db.draft'))).toBe(false);
});

test('a start that is interrupted leaves nothing running', async () => {
  const interrupt = new AbortController();
  await expect(start({ signal: interrupt.signal, onProgress: () => interrupt.abort() })).rejects.toThrow(
    /abort/i,
  );
  expect(JSON.parse(await readFile(dataDir.file('children.json'), 'utf8'))).toEqual([]);
});
