import path from 'node:path';
import type pg from 'pg';
import { createPool } from '../db/pool';
import { readRuntime } from '../embedded/data-dir';

/** An error of the CLI's user: one sentence, no stack, a non-zero exit code. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** DATABASE_URL, or the embedded service that runs with this data directory. */
export async function databaseUrl(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const given = env['DATABASE_URL'];
  if (given) {
    if (/^postgres(ql)?:\/\//.test(given) && URL.canParse(given)) return given;
    throw new UsageError('DATABASE_URL: must be an address that starts with postgres://');
  }
  const directory = path.resolve(env['HERALD_DATA_DIR'] || '.herald');
  const runtime = await readRuntime(directory);
  const url = runtime?.['database_url'];
  if (typeof url === 'string') return url;
  throw new UsageError(
    `Herald does not run with the data directory ${directory}: start it with "npm start", or set DATABASE_URL or HERALD_DATA_DIR.`,
  );
}

export async function withDatabase<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = createPool({ url: await databaseUrl(), max: 2, applicationName: 'herald cli' });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
