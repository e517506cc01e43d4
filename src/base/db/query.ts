import type pg from 'pg';
import { retryConflicts } from './conflicts';
import { isPool, type Db } from './pool';

/**
 * Query helpers. Every statement has a name, so that Postgres prepares it once per connection and hot paths skip
 * parsing and planning. A statement outside a transaction that loses a deadlock runs again.
 */
export async function rows<R extends pg.QueryResultRow>(
  db: Db,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  return (await run<R>(db, name, text, values)).rows;
}

/** For a search whose best plan depends on what is searched: without a name, each statement is planned for its values. */
export async function rowsPlannedAnew<R extends pg.QueryResultRow>(
  db: Db,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  return (await run<R>(db, null, text, values)).rows;
}

function run<R extends pg.QueryResultRow>(
  db: Db,
  name: string | null,
  text: string,
  values: readonly unknown[],
): Promise<pg.QueryResult<R>> {
  const send = () => db.query<R>({ ...(name !== null && { name }), text, values: values as unknown[] });
  return isPool(db) ? retryConflicts(send) : send();
}

export async function row<R extends pg.QueryResultRow>(
  db: Db,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<R | null> {
  const found = await rows<R>(db, name, text, values);
  return found[0] ?? null;
}

/** Runs a statement and returns the number of rows it changed. */
export async function change(
  db: Db,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<number> {
  return (await run(db, name, text, values)).rowCount ?? 0;
}

/** For the rest of the transaction: planning a large statement for its values again costs more than running it. */
export const USE_STORED_PLANS = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`;

/**
 * For the rest of the transaction: a plan for the values of a project that the statistics do not know yet expects one row of it,
 * and may read all of its rows for each that it looks up.
 */
export function useStoredPlans(db: Db): Promise<unknown> {
  return row(db, 'use_stored_plans', USE_STORED_PLANS);
}
