import type pg from 'pg';
import type { Db } from './pool';

/**
 * Query helpers. Every statement has a name, so that Postgres prepares it once per connection and hot paths skip
 * parsing and planning.
 */
export async function rows<R extends pg.QueryResultRow>(
  db: Db,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const result = await db.query<R>({ name, text, values: values as unknown[] });
  return result.rows;
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
  const result = await db.query({ name, text, values: values as unknown[] });
  return result.rowCount ?? 0;
}
