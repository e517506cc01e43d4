import type pg from 'pg';
import { ConfigError, type Settings } from '../../base/config';
import type { EncryptionKey } from '../../base/lib/cipher';
import { createPool } from '../../base/db/pool';
import { readRuntime, type RuntimeRecord } from '../../local/data-dir';
import { readKeyFile } from '../../local/key-file';
import type { LocalPolicy } from '../../base/outbound/addresses';
import { readSettings } from '../settings';
import type { TemporalSettings } from '../../base/temporal/connection';

/** A usage error: one sentence, no stack, a non-zero exit code. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The settings of the environment, and the embedded service that runs with the data directory. */
export interface Installation {
  settings: Settings;
  /** Null if no service runs with the data directory. */
  runtime: RuntimeRecord | null;
}

export async function findInstallation(): Promise<Installation> {
  const settings = settingsOf(process.env);
  return { settings, runtime: await readRuntime(settings.HERALD_DATA_DIR) };
}

function settingsOf(env: NodeJS.ProcessEnv): Settings {
  try {
    return readSettings(env);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.problems.join('; '));
    throw error;
  }
}

/** DATABASE_URL, past a pooler if there is one, or the embedded service that runs with this data directory. */
export function databaseUrlOf({ settings, runtime }: Installation): string {
  if (settings.HERALD_DATABASE_DIRECT_URL) return settings.HERALD_DATABASE_DIRECT_URL;
  if (settings.DATABASE_URL) return settings.DATABASE_URL;
  const url = runtime?.['database_url'];
  if (typeof url === 'string') return url;
  throw notRunning(settings, 'DATABASE_URL');
}

export function temporalSettingsOf({ settings, runtime }: Installation): TemporalSettings {
  const address = settings.TEMPORAL_ADDRESS ?? runtime?.['temporal_address'];
  if (typeof address === 'string') return { ...settings, address };
  throw notRunning(settings, 'TEMPORAL_ADDRESS');
}

/** Which addresses commands may call, as for the service. */
export function localPolicyOf({ settings }: Installation): LocalPolicy {
  const development = !settings.DATABASE_URL && settings.NODE_ENV !== 'production';
  return { allowLocal: settings.HERALD_ALLOW_LOCAL_WEBHOOKS ?? development };
}

/** For commands that do what a request of the API does. */
export function apiSettingsOf(installation: Installation): Settings & { allowLocalWebhooks: boolean } {
  return { ...installation.settings, allowLocalWebhooks: localPolicyOf(installation).allowLocal };
}

/** Newest first. Commands never create the key file; the service does. */
export async function encryptionKeysOf({ settings }: Installation): Promise<EncryptionKey[]> {
  if (settings.HERALD_ENCRYPTION_KEY) return settings.HERALD_ENCRYPTION_KEY;
  try {
    return await readKeyFile(settings.HERALD_DATA_DIR);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    throw new UsageError(
      `No encryption key found: set HERALD_ENCRYPTION_KEY, or set HERALD_DATA_DIR to the directory of the embedded service.`,
    );
  }
}

function notRunning(settings: Settings, name: string): UsageError {
  return new UsageError(
    `Herald is not running with the data directory ${settings.HERALD_DATA_DIR}: start it with "npx herald start", or set ${name} or HERALD_DATA_DIR.`,
  );
}

export async function withDatabase<T>(
  work: (pool: pg.Pool) => Promise<T>,
  installation?: Installation,
): Promise<T> {
  const url = databaseUrlOf(installation ?? (await findInstallation()));
  const pool = createPool({ url, max: 4, applicationName: 'herald cli' });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
