import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { clearRuntime, openDataDir, readRuntime, writeRuntime } from '../../../src/local/data-dir';
import { identifyProcess, isRunning } from '../../../src/local/process-identity';
import { setupErrorOf } from './fixture';

let directory: string;
const processes: ChildProcess[] = [];

beforeEach(async () => {
  directory = path.join(await mkdtemp(path.join(tmpdir(), 'herald-data-dir-')), '.herald');
});

afterEach(async () => {
  for (const child of processes.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  // Whatever a failed test left running is stopped the way the next start does it.
  await openDataDir(directory).then(
    (dataDir) => dataDir.close(),
    () => undefined,
  );
  await rm(path.dirname(directory), { recursive: true, force: true });
});

/** Starts a script in a process of its own and answers its first line of output. */
async function runProcess(name: string): Promise<{ child: ChildProcess; line: string }> {
  const script = path.join(__dirname, 'processes', name);
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  processes.push(child);
  for await (const line of createInterface({ input: child.stdout })) return { child, line };
  throw new Error(`${name} said nothing`);
}

describe('two starts at once', () => {
  test('the second one learns which process runs already', async () => {
    const first = await openDataDir(directory);
    const error = await setupErrorOf(openDataDir(directory));
    expect(error.message).toContain(`process ${process.pid}`);
    expect(error.message).toContain('HERALD_DATA_DIR');
    expect(error.exitCode).toBe(75);
    await first.close();
    await (await openDataDir(directory)).close();
  });

  test('of many processes exactly one gets the directory, also where a killed one held it before', async () => {
    const killed = await runProcess('open-data-dir.ts');
    expect(killed.line).toBe('taken');
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');

    const rivals = await Promise.all(Array.from({ length: 6 }, () => runProcess('open-data-dir.ts')));
    const winners = rivals.filter(({ line }) => line === 'taken');
    expect(winners).toHaveLength(1);
    for (const { line } of rivals.filter((rival) => !winners.includes(rival))) {
      expect(line).toContain(`75 Herald is already running with the data directory ${directory}`);
      expect(line).toContain(`(process ${winners[0]?.child.pid})`);
    }
  });

  test('within one process, too, exactly one of twenty attempts succeeds', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => openDataDir(directory)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a lock whose pid now belongs to another process is not held', async () => {
    await (await openDataDir(directory)).close();
    const holder = { pid: process.pid, startedAt: 'an earlier boot/1' };
    await writeFile(path.join(directory, 'lock', 'holder-2.json'), JSON.stringify(holder));
    await (await openDataDir(directory)).close();
  });
});

describe('what a killed start left behind', () => {
  test('is stopped by the next one', async () => {
    const { child, line } = await runProcess('start-and-hang.ts');
    const pids = JSON.parse(line) as { postgres: number; temporal: number };
    const left = [identifyProcess(pids.postgres), identifyProcess(pids.temporal)];
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (const identity of left) expect(identity && isRunning(identity)).toBe(true);

    const told: string[] = [];
    const dataDir = await openDataDir(directory, (message) => told.push(message));
    for (const identity of left) expect(identity && isRunning(identity)).toBe(false);
    expect(told).toEqual([
      expect.stringContaining(`Temporal server left over from an earlier run (process ${pids.temporal})`),
      expect.stringContaining(`PostgreSQL server left over from an earlier run (process ${pids.postgres})`),
    ]);
    const log = await readFile(path.join(directory, 'logs', 'postgres.log'), 'utf8');
    expect(log).toContain('database system is shut down');
    await dataDir.close();
  });

  test('never costs an unrelated process its life that got the same pid', async () => {
    const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    processes.push(bystander);
    await once(bystander, 'spawn');
    await (await openDataDir(directory)).close();
    const record = { name: 'PostgreSQL server', stopSignal: 'SIGINT', forceSignal: 'SIGQUIT' };
    await writeFile(
      path.join(directory, 'children.json'),
      JSON.stringify([{ ...record, pid: bystander.pid, startedAt: 'an earlier boot/1' }]),
    );
    await (await openDataDir(directory)).close();
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  });

  test('may include an unreadable list of children, which does not prevent a start', async () => {
    await (await openDataDir(directory)).close();
    await writeFile(path.join(directory, 'children.json'), '[{"pid":');
    await (await openDataDir(directory)).close();
  });
});

describe('the record of the running service', () => {
  test('is found while the service runs, and only then', async () => {
    const dataDir = await openDataDir(directory);
    expect(await readRuntime(directory)).toBeNull();
    writeRuntime(directory, { api_url: 'http://127.0.0.1:3000' });
    expect(await readRuntime(directory)).toMatchObject({
      api_url: 'http://127.0.0.1:3000',
      pid: process.pid,
    });
    await clearRuntime(directory);
    expect(await readRuntime(directory)).toBeNull();
    await dataDir.close();
  });

  test('of a killed service counts for nothing', async () => {
    const { child, line } = await runProcess('open-data-dir.ts');
    expect(line).toBe('taken');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const runtime = { api_url: 'http://127.0.0.1:3000', pid: child.pid, startedAt: null };
    await writeFile(path.join(directory, 'runtime.json'), JSON.stringify(runtime));
    expect(await readRuntime(directory)).toBeNull();
  });
});

test('a data directory that cannot be made is named, with its setting', async () => {
  await writeFile(directory, 'a file is in the way');
  const error = await setupErrorOf(openDataDir(directory));
  expect(error.message).toContain(directory);
  expect(error.message).toContain('HERALD_DATA_DIR');
  expect(error.exitCode).toBe(78);
});
