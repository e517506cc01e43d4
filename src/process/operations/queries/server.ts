import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';

/** The version as text and as a comparable number. */
export async function serverVersion(db: Db): Promise<{ version: string; number: number }> {
  const found = await row<{ version: string; number: number }>(
    db,
    'server_version',
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  );
  return found ?? { version: 'unknown', number: 0 };
}

/** The database clock, in milliseconds. */
export async function serverTime(db: Db): Promise<number> {
  const found = await row<{ now: number }>(
    db,
    'server_time',
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  return found?.now ?? 0;
}
