import { startHeraldProcess, type HeraldProcess } from '../test/support/herald-process';
import type { BenchEnvironment } from './environment';

/** Starts Herald in a process of its own, on the servers of a bench. */
export function startHerald(
  { environment, config }: BenchEnvironment,
  { roles, env }: { roles: string; env: Record<string, string> },
): Promise<HeraldProcess> {
  const { telegram, max } = environment.platforms;
  return startHeraldProcess(['start', '--json', '--roles', roles], {
    HERALD_METRICS_PORT: '0',
    HERALD_LOG_LEVEL: 'error',
    HERALD_HOST: '127.0.0.1',
    DATABASE_URL: environment.databaseUrl,
    TEMPORAL_ADDRESS: environment.temporalAddress,
    HERALD_TASK_QUEUE_PREFIX: config.HERALD_TASK_QUEUE_PREFIX,
    HERALD_ENCRYPTION_KEY: environment.encryptionKeys
      .map(({ id, key }) => `${id}:${key.toString('base64')}`)
      .join(','),
    HERALD_PUBLIC_URL: 'http://127.0.0.1:1',
    HERALD_ALLOW_LOCAL_WEBHOOKS: 'true',
    HERALD_BOT_UPDATES: 'polling',
    TELEGRAM_BOT_TOKEN: telegram?.token ?? '',
    TELEGRAM_API_ROOT: telegram?.apiRoot ?? '',
    MAX_BOT_TOKEN: max?.token ?? '',
    MAX_API_ROOT: max?.apiRoot ?? '',
    ...env,
  });
}

/** The worker alone, so that it can be killed. */
export function startWorker(bench: BenchEnvironment, env: Record<string, string>): Promise<HeraldProcess> {
  return startHerald(bench, { roles: 'worker', env });
}
