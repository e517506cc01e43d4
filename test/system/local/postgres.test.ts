import { eventually } from '../../support/eventually';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import type { ChildExit } from '../../../src/local/child-process';
import { openDataDir, type DataDir } from '../../../src/local/data-dir';
import { startPostgres, type PostgresOptions, type RunningPostgres } from '../../../src/local/postgres';
import { isRunning, identifyProcess, type ProcessIdentity } from '../../../src/local/process-identity';
import type { SetupError } from '../../../src/local/setup-error';
import { setupErrorOf } from './fixture';

let directory: string;
let dataDir: DataDir;
const running: RunningPostgres[] = [];

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'herald-postgres-'));
  // Passable, so that root's tests depend on nothing but the user `postgres` or `nobody`.
  await chmod(directory, 0o711);
  dataDir = await openDataDir(path.join(directory, '.herald'));
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
  await dataDir.close();
  await rm(directory, { recursive: true, force: true });
});

async function start(options: Partial<PostgresOptions> = {}): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir, port: 0, settings: { fsync: 'off' }, ...options });
  running.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[][]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

async function exitOf(pid: number): Promise<void> {
  const identity = identifyProcess(pid) as ProcessIdentity | null;
  await eventually(() => !identity || !isRunning(identity));
}

test('data is still there at the next start', async () => {
  const first = await start();
  await query(first.url, `CREATE TABLE notes AS SELECT 'Привет' AS note`);
  await first.stop();
  const second = await start();
  expect(await query(second.url, 'SELECT note, upper(note) FROM notes')).toEqual([['Привет', 'ПРИВЕТ']]);
});

test('data is still there after the server was killed', async () => {
  const first = await start();
  await query(first.url, 'CREATE TABLE notes AS SELECT 1 AS note');
  process.kill(first.pid, 'SIGKILL');
  await exitOf(first.pid);
  const second = await start();
  expect(await query(second.url, 'SELECT note FROM notes')).toEqual([[1]]);
});

test('it listens on loopback only, wants its generated password and opens no socket file', async () => {
  const { url } = await start();
  expect(await query(url, 'SHOW listen_addresses')).toEqual([['127.0.0.1']]);
  expect(await query(url, 'SHOW unix_socket_directories')).toEqual([['']]);
  expect(await query(url, 'SHOW server_encoding')).toEqual([['UTF8']]);
  const wrong = new URL(url);
  wrong.password = 'guessed';
  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  const { mode } = await stat(dataDir.file('postgres', 'password'));
  expect(mode & 0o777).toBe(0o600);
});

test('it runs no process that one small database does not need', async () => {
  const { url } = await start();
  const own = `SELECT backend_type FROM pg_stat_activity
    WHERE backend_type NOT IN ('client backend', 'autovacuum worker') ORDER BY 1`;
  expect((await query(url, own)).flat()).toEqual([
    'autovacuum launcher',
    'background writer',
    'checkpointer',
    'walwriter',
  ]);
});

test('a stop leaves no process and no record of one behind', async () => {
  const server = await start();
  expect(await readFile(dataDir.file('children.json'), 'utf8')).toContain(`"pid": ${server.pid}`);
  await server.stop();
  expect(identifyProcess(server.pid)).toBeNull();
  expect(JSON.parse(await readFile(dataDir.file('children.json'), 'utf8'))).toEqual([]);
});

test('a stop does not wait for clients that stay connected', async () => {
  const server = await start();
  const client = new Client({ connectionString: server.url });
  client.on('error', () => undefined);
  await client.connect();
  await server.stop();
  expect(identifyProcess(server.pid)).toBeNull();
});

test('a server that dies on its own is reported; one that is stopped is not', async () => {
  const exits: ChildExit[] = [];
  const onExit = (exit: ChildExit) => exits.push(exit);
  const stopped = await start({ onExit });
  await stopped.stop();
  const killed = await start({ onExit });
  process.kill(killed.pid, 'SIGKILL');
  await eventually(() => exits.length > 0);
  await killed.stop();
  expect(exits).toEqual([expect.objectContaining({ name: 'PostgreSQL server', signal: 'SIGKILL' })]);
});

test('a port in use is named together with its setting', async () => {
  const occupant = createServer().listen(0, '127.0.0.1');
  await once(occupant, 'listening');
  const { port } = occupant.address() as AddressInfo;
  const error = await setupErrorOf(start({ port }));
  occupant.close();
  expect(error.message).toContain(`Port ${port}`);
  expect(error.message).toContain('HERALD_POSTGRES_PORT');
  expect(error.exitCode).toBe(69);
});

test('a start that is interrupted while it makes the database leaves nothing running', async () => {
  const interrupt = new AbortController();
  const starting = start({ signal: interrupt.signal, onProgress: () => interrupt.abort() });
  await expect(starting).rejects.toThrow(/abort/i);
  expect(await readdir(directory)).toEqual(['.herald']);
  const children = await readFile(dataDir.file('children.json'), 'utf8').catch(() => '[]');
  expect(JSON.parse(children)).toEqual([]);
});

test('below a directory that is closed to others it runs, or says which settings to change', async () => {
  await chmod(directory, 0o700);
  const outcome = await start().then(
    async ({ url }) => query(url, 'SELECT 1'),
    (error: SetupError) => error.message,
  );
  // Root needs setpriv(1) for it, which not every image has.
  if (Array.isArray(outcome)) expect(outcome).toEqual([[1]]);
  else expect(outcome).toMatch(/HERALD_DATA_DIR.*DATABASE_URL/);
});

test('a half-made database of a killed start is thrown away and made anew', async () => {
  const draft = dataDir.file('postgres-draft-abc123', 'data');
  await mkdir(draft, { recursive: true });
  await writeFile(path.join(draft, 'PG_VERSION'), '18\n');
  const { url } = await start();
  expect(await query(url, 'SELECT 1')).toEqual([[1]]);
  expect(await readdir(dataDir.path)).not.toContain('postgres-draft-abc123');
});

test('a pid file whose pid now belongs to another process does not stop the start', async () => {
  const first = await start();
  await first.stop();
  const pidFile = dataDir.file('postgres', 'data', 'postmaster.pid');
  await writeFile(pidFile, `${process.pid}\n${dataDir.file('postgres', 'data')}\n`);
  const { url } = await start();
  expect(await query(url, 'SELECT 1')).toEqual([[1]]);
});

test('a database of another major version is refused in one sentence', async () => {
  const first = await start();
  await first.stop();
  await writeFile(dataDir.file('postgres', 'data', 'PG_VERSION'), '9\n');
  const error = await setupErrorOf(start());
  expect(error.message).toMatch(/created by PostgreSQL 9, but the embedded server is \d+/);
  expect(error.exitCode).toBe(78);
});

test('a database without its control file is reported with the reason and what to do', async () => {
  const first = await start();
  await first.stop();
  await rm(dataDir.file('postgres', 'data', 'global', 'pg_control'));
  const { message } = await setupErrorOf(start());
  expect(message).toContain('could not find the database system');
  expect(message).toContain(`restore ${dataDir.path} from a backup or delete it with \`npx herald reset\``);
});

test('a setting that PostgreSQL refuses is reported with its reason and the log to read', async () => {
  const error = await setupErrorOf(start({ settings: { fsync: 'off', shared_buffers: 'much' } }));
  expect(error.message).toContain('shared_buffers');
  expect(error.message).toContain(dataDir.file('logs', 'postgres.log'));
});
