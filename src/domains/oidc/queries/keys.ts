import { limits } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { IdTokenAlgorithm } from '../contract';

export interface KeyRow {
  id: string;
  alg: IdTokenAlgorithm;
  sealed: string;
}

/** One process at a time creates or replaces keys. */
export async function lockKeys(db: Db): Promise<void> {
  await row(db, 'lock_oidc_keys', `SELECT pg_advisory_xact_lock(hashtext('herald_oidc_keys'))`);
}

/** Keys to publish, the current ones first: the provider signs with the first of an algorithm. */
export function listKeys(db: Db): Promise<KeyRow[]> {
  return rows<KeyRow>(
    db,
    'list_oidc_keys',
    `SELECT id, alg, sealed FROM oidc_keys WHERE expires_at IS NULL OR expires_at > clock_timestamp()
     ORDER BY expires_at IS NOT NULL, created_at DESC, id`,
  );
}

export function insertKey(db: Db, key: KeyRow): Promise<number> {
  return change(db, 'insert_oidc_key', 'INSERT INTO oidc_keys (id, alg, sealed) VALUES ($1, $2, $3)', [
    key.id,
    key.alg,
    key.sealed,
  ]);
}

/** Starts the time for which the current keys stay published. */
export function expireKeys(db: Db): Promise<number> {
  return change(
    db,
    'expire_oidc_keys',
    `UPDATE oidc_keys SET expires_at = clock_timestamp() + interval '${limits.oidcKeyGraceHours} hours'
     WHERE expires_at IS NULL`,
  );
}
