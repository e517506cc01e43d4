import type { TestDatabase } from './database';

/** The time that a test database tells its clients. */
export interface DatabaseClock {
  /** From now on it is exactly this moment, as PostgreSQL writes it: a Date has no microseconds. */
  stopAt(moment: string): Promise<void>;
  /** The real time again. */
  run(): Promise<void>;
}

/**
 * Puts functions of the test's own before PostgreSQL's `now()` and `clock_timestamp()`, so that a deadline can be met to
 * the second. For connections made after this call; column defaults keep the real time.
 */
export async function installDatabaseClock({ pool, url }: TestDatabase): Promise<DatabaseClock> {
  const name = new URL(url).pathname.slice(1);
  await pool.query(`
    CREATE SCHEMA test_clock;
    CREATE TABLE test_clock.stopped (moment timestamptz);
    CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      'SELECT coalesce((SELECT moment FROM test_clock.stopped), pg_catalog.clock_timestamp())';
    CREATE FUNCTION test_clock.now() RETURNS timestamptz LANGUAGE sql STABLE AS
      'SELECT coalesce((SELECT moment FROM test_clock.stopped), pg_catalog.now())';
    ALTER DATABASE ${name} SET search_path = public, test_clock, pg_catalog;`);
  return {
    async stopAt(moment) {
      await pool.query(
        'WITH gone AS (DELETE FROM test_clock.stopped) INSERT INTO test_clock.stopped VALUES ($1)',
        [moment],
      );
    },
    run: async () => void (await pool.query('DELETE FROM test_clock.stopped')),
  };
}
