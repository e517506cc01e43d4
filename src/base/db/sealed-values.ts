import type { Db } from './pool';
import { change, row, rows } from './query';

/** A column with encrypted values. */
export interface SealedColumn {
  table: string;
  column: string;
  /** The primary key of its rows, and its type. */
  key: string;
  type: 'uuid' | 'bigint';
  /** What each value is bound to: a purpose, and the value of this column. */
  purpose: string;
  rowId: string;
}

export interface SealedValue {
  key: string;
  sealed: string;
  row_id: string;
}

const isOutdated = (column: string) => `split_part(${column}, '.', 1) <> $1`;

/** The number of values encrypted with each key. */
export async function countSealedByKey(
  db: Db,
  { table, column }: SealedColumn,
): Promise<Map<string, number>> {
  const found = await rows<{ key_id: string; count: number }>(
    db,
    `count_sealed_${table}_${column}`,
    `SELECT split_part(${column}, '.', 1) AS key_id, count(*) FROM ${table} WHERE ${column} IS NOT NULL GROUP BY 1`,
  );
  return new Map(found.map(({ key_id, count }) => [key_id, count]));
}

/** The number of values that `outdatedValues` returns. */
export async function countOutdated(db: Db, { table, column }: SealedColumn, keyId: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    `count_outdated_${table}_${column}`,
    `SELECT count(*) FROM ${table} WHERE ${isOutdated(column)}`,
    [keyId],
  );
  return counted?.count ?? 0;
}

/** Values encrypted with any other key, ordered by the key of their rows. */
export function outdatedValues(
  db: Db,
  { table, column, key, type, rowId }: SealedColumn,
  keyId: string,
  after: string | null,
  limit: number,
): Promise<SealedValue[]> {
  return rows<SealedValue>(
    db,
    `outdated_values_${table}_${column}`,
    `SELECT ${key}::text AS key, ${column} AS sealed, ${rowId}::text AS row_id FROM ${table}
     WHERE ${isOutdated(column)} AND ($2::${type} IS NULL OR ${key} > $2::${type})
     ORDER BY ${key} LIMIT $3`,
    [keyId, after, limit],
  );
}

/** Replaces values that have not changed meanwhile, so that a redeemed code is not restored. */
export function replaceSealed(
  db: Db,
  { table, column, key, type }: SealedColumn,
  values: (SealedValue & { resealed: string })[],
): Promise<number> {
  return change(
    db,
    `replace_sealed_${table}_${column}`,
    `UPDATE ${table} t SET ${column} = given.resealed
     FROM unnest($1::${type}[], $2::text[], $3::text[]) AS given (key, sealed, resealed)
     WHERE t.${key} = given.key AND t.${column} = given.sealed`,
    [
      values.map((value) => value.key),
      values.map(({ sealed }) => sealed),
      values.map(({ resealed }) => resealed),
    ],
  );
}

/** A value encrypted with this key, to check that it can be decrypted. */
export function sampleSealed(
  db: Db,
  { table, column, key, rowId }: SealedColumn,
  keyId: string,
): Promise<SealedValue | null> {
  return row<SealedValue>(
    db,
    `sample_sealed_${table}_${column}`,
    `SELECT ${key}::text AS key, ${column} AS sealed, ${rowId}::text AS row_id FROM ${table}
     WHERE split_part(${column}, '.', 1) = $1 LIMIT 1`,
    [keyId],
  );
}
