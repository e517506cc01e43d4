import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import { endpointHeadersPurpose } from '../../webhooks/own-headers';
import { webhookSecretPurpose } from '../../webhooks/secret-purpose';

/** All columns with encrypted values, and the purpose that each value is bound to. */
export const sealedColumns = [
  { table: 'endpoint_secrets', column: 'sealed', type: 'bigint', purpose: webhookSecretPurpose },
  { table: 'endpoints', column: 'headers_sealed', type: 'uuid', purpose: endpointHeadersPurpose },
  { table: 'auth_sessions', column: 'start_sealed', type: 'uuid', purpose: 'start_token' },
  { table: 'auth_sessions', column: 'code_sealed', type: 'uuid', purpose: 'auth_code' },
] as const;

export type SealedColumn = (typeof sealedColumns)[number];

export interface SealedValue {
  id: string;
  sealed: string;
}

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

/** Values encrypted with any other key, ordered by id. */
export function sealedByOtherKeys(
  db: Db,
  { table, column, type }: SealedColumn,
  keyId: string,
  after: string | null,
  limit: number,
): Promise<SealedValue[]> {
  return rows<SealedValue>(
    db,
    `sealed_by_other_keys_${table}_${column}`,
    `SELECT id::text, ${column} AS sealed FROM ${table}
     WHERE ${column} IS NOT NULL AND split_part(${column}, '.', 1) <> $1 AND ($2::${type} IS NULL OR id > $2::${type})
     ORDER BY id LIMIT $3`,
    [keyId, after, limit],
  );
}

/** Replaces values that have not changed meanwhile, so that a redeemed code is not restored. */
export function replaceSealed(
  db: Db,
  { table, column, type }: SealedColumn,
  values: (SealedValue & { resealed: string })[],
): Promise<number> {
  return change(
    db,
    `replace_sealed_${table}_${column}`,
    `UPDATE ${table} t SET ${column} = given.resealed
     FROM unnest($1::${type}[], $2::text[], $3::text[]) AS given (id, sealed, resealed)
     WHERE t.id = given.id AND t.${column} = given.sealed`,
    [values.map(({ id }) => id), values.map(({ sealed }) => sealed), values.map(({ resealed }) => resealed)],
  );
}

/** A value encrypted with this key, to check that it can be decrypted. */
export async function sampleSealed(
  db: Db,
  { table, column }: SealedColumn,
  keyId: string,
): Promise<string | null> {
  const found = await row<{ sealed: string }>(
    db,
    `sample_sealed_${table}_${column}`,
    `SELECT ${column} AS sealed FROM ${table} WHERE split_part(${column}, '.', 1) = $1 LIMIT 1`,
    [keyId],
  );
  return found?.sealed ?? null;
}
