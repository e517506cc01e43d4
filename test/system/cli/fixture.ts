import path from 'node:path';
import type { Installation } from '../../support/installation';
import { userEnvironment, type Finished } from '../../support/npm-start';
import { testBots } from '../../support/simulator-control';
import { resident } from '../../support/use-service';

export const cli = path.join(__dirname, '..', '..', '..', 'dist', 'src', 'cli.js');

/** The settings of an operator's shell on the installation that a test service runs on. */
export function settingsOf(service: Installation): Record<string, string> {
  return {
    DATABASE_URL: service.database.url,
    TEMPORAL_ADDRESS: process.env['HERALD_TEST_TEMPORAL_ADDRESS'] ?? '',
    HERALD_TASK_QUEUE_PREFIX: service.queuePrefix,
    HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    HERALD_BOT_UPDATES: 'polling',
    TELEGRAM_BOT_TOKEN: testBots.telegram.token,
    TELEGRAM_API_ROOT: service.simulator.telegramApiRoot,
    MAX_BOT_TOKEN: testBots.max.token,
    MAX_API_ROOT: service.simulator.maxApiRoot,
  };
}

/** Runs a command of the compiled CLI to its end, in the resident process for commands of this jest worker. */
export async function herald(args: string[], settings: Record<string, string>): Promise<Finished> {
  const { url } = await resident<{ url: string }>('cli');
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ args, env: userEnvironment(settings) }),
  });
  return (await response.json()) as Finished;
}

/** The JSON that a command prints; it must have succeeded. */
export async function heraldJson<T>(args: string[], settings: Record<string, string>): Promise<T> {
  const { code, stdout, stderr } = await herald([...args, '--json'], settings);
  if (code !== 0) throw new Error(`herald ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return JSON.parse(stdout) as T;
}
