import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { packageRoot } from '../../src/base/lib/package-root';
import type { Installation } from './installation';
import { testBots } from './simulator-control';

export interface HeraldProcess {
  child: ChildProcess;
  /** The parsed line of `--json`. */
  runtime: Record<string, unknown>;
  /** The lines written to standard error. */
  log: string[];
  /** Resolves when the process has exited for any reason. */
  exited: Promise<void>;
  /** Like a crash: immediately, without cleaning up. */
  kill9(): Promise<void>;
  stop(): Promise<void>;
}

const ownCli = path.join(packageRoot, 'dist', 'src', 'cli.js');

/** Starts another process of the installation that a test service runs on: same database, queues and bots. */
export function startSecondProcess(
  service: Installation,
  roles: string,
  env: Record<string, string> = {},
): Promise<HeraldProcess> {
  return startHeraldProcess(['start', '--json', '--roles', roles], {
    NODE_ENV: 'test',
    PORT: '0',
    HERALD_METRICS_PORT: '0',
    HERALD_HOST: '127.0.0.1',
    DATABASE_URL: service.database.url,
    TEMPORAL_ADDRESS: process.env['HERALD_TEST_TEMPORAL_ADDRESS'] ?? '',
    HERALD_TASK_QUEUE_PREFIX: service.queuePrefix,
    HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    HERALD_PUBLIC_URL: service.url || 'http://127.0.0.1:1',
    HERALD_ALLOW_LOCAL_WEBHOOKS: 'true',
    HERALD_BOT_UPDATES: 'polling',
    TELEGRAM_BOT_TOKEN: testBots.telegram.token,
    TELEGRAM_API_ROOT: service.simulator.telegramApiRoot,
    MAX_BOT_TOKEN: testBots.max.token,
    MAX_API_ROOT: service.simulator.maxApiRoot,
    ...env,
  });
}

export async function startHeraldProcess(
  args: string[],
  env: Record<string, string>,
  program: { node: string; cli: string } = { node: process.execPath, cli: ownCli },
): Promise<HeraldProcess> {
  const child = spawn(program.node, [program.cli, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const exited = once(child, 'exit');
  const ready = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', resolve);
  });
  const line = await Promise.race([
    ready,
    exited.then(() => Promise.reject(new Error(`herald ended before it was ready:\n${log.join('\n')}`))),
  ]);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return {
    child,
    runtime: JSON.parse(line) as Record<string, unknown>,
    log,
    exited: exited.then(() => undefined),
    kill9: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}
