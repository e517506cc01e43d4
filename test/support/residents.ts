import { rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireRunning, startChild, type Child } from '../../src/local/child-process';
import type { DataDir } from '../../src/local/data-dir';
import { packageRoot } from '../../src/base/lib/package-root';
import { cloneTemplate } from './database';
import { testBots } from './simulator-control';

/** What a resident service tells about itself, beside what follows from the number of its worker. */
export interface Resident {
  url: string;
  databaseUrl: string;
  /** Takes `{ projectId, name, more }` and emits an example of the event. */
  emitUrl: string;
  simulator: { url: string; telegramApiRoot: string; maxApiRoot: string };
  queuePrefix: string;
}

/** The settings of every resident service. A file that needs others starts its own. */
const settings = {
  NODE_ENV: 'test',
  PORT: '0',
  HERALD_METRICS_PORT: '0',
  HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  // Each file comes from a client address of its own, so that limits by address are not shared.
  HERALD_TRUST_PROXY: '1',
  HERALD_OPEN_SIGNUP: 'true',
  // Credits that are used up block a project at once.
  HERALD_GRACE_HOURS: '0',
  HERALD_MESSAGES_PER_SECOND: '200',
};

/**
 * Starts a resident process when the first file of a jest worker asks for it, so that a run without such files does not
 * pay for it. The workers ask over HTTP: `GET /service/<worker>` returns a `Resident` when it serves, `GET /cli/<worker>`
 * the URL of a process that runs commands (resident-cli.js).
 */
export async function startResidents(
  dataDir: DataDir,
  { databaseUrl, temporalAddress }: { databaseUrl: string; temporalAddress: string },
): Promise<{ url: string; stop(): Promise<void> }> {
  async function startProcess<T>(
    name: string,
    script: string,
    argument: (readyFile: string) => string,
    env: Record<string, string> = {},
  ): Promise<T> {
    const readyFile = dataDir.file(`${name}.json`);
    const logFile = path.join(packageRoot, 'test-output', `${name}.log`);
    rmSync(logFile, { force: true });
    const child = startChild({
      name,
      command: process.execPath,
      args: [path.join(__dirname, script), argument(readyFile)],
      cwd: packageRoot,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      logFile,
      // Nothing of it outlives the run, so it need not wait for what is in flight.
      stopSignal: 'SIGKILL',
      forceSignal: 'SIGKILL',
      registry: dataDir,
      onExit: ({ code, signal }) => {
        process.stderr.write(`${name} ended with ${signal ?? code}: see ${logFile}\n`);
      },
    });
    children.push(child);
    return readWhenReady<T>(child, readyFile);
  }

  async function startResident(worker: string): Promise<Resident> {
    const name = `resident_${worker}`;
    const queuePrefix = `resident-${worker}`;
    const database = await cloneTemplate(databaseUrl, name);
    const resident = await startProcess<Omit<Resident, 'queuePrefix'>>(
      name,
      'resident-service.js',
      (readyFile) => JSON.stringify({ databaseUrl: database, temporalAddress, bots: testBots, readyFile }),
      {
        ...settings,
        HERALD_TASK_QUEUE_PREFIX: queuePrefix,
        HERALD_LOG_LEVEL: process.env['HERALD_TEST_LOG'] ?? 'warn',
      },
    );
    return { ...resident, queuePrefix };
  }

  const start = (kind: string, worker: string): Promise<unknown> =>
    kind === 'cli'
      ? startProcess(`resident_cli_${worker}`, 'resident-cli.js', (readyFile) => readyFile)
      : startResident(worker);
  const children: Child[] = [];
  const started = new Map<string, Promise<unknown>>();
  const server = http.createServer((req, res) => {
    const [, kind = '', worker = ''] = (req.url ?? '').split('/');
    const resident = started.get(`${kind} ${worker}`) ?? start(kind, worker);
    started.set(`${kind} ${worker}`, resident);
    resident.then(
      (value) => res.end(JSON.stringify(value)),
      (error: unknown) => res.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await Promise.allSettled(started.values());
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}

async function readWhenReady<T>(child: Child, file: string): Promise<T> {
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text !== null) return JSON.parse(text) as T;
    await requireRunning(child);
    await sleep(50);
  }
}
