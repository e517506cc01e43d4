import { defaultScopes, type Scope } from '../../../base/contract/scopes';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Caller } from '../../../base/http/route';
import { PROJECT_COLUMNS } from './projects';

export interface ApiKeyRecord {
  id: string;
  hint: string;
  name: string | null;
  scopes: Scope[];
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

const COLUMNS = 'id, hint, name, scopes, created_at, last_used_at, revoked_at';

export async function insertApiKey(
  db: Db,
  key: {
    id?: string;
    project_id: string;
    hash: Buffer;
    hint: string;
    name?: string | undefined;
    scopes?: readonly Scope[];
  },
): Promise<ApiKeyRecord> {
  const inserted = await row<ApiKeyRecord>(
    db,
    'insert_api_key',
    `INSERT INTO api_keys (id, project_id, hash, hint, name, scopes)
     VALUES (coalesce($6, gen_random_uuid()), $1, $2, $3, $4, $5) RETURNING ${COLUMNS}`,
    [key.project_id, key.hash, key.hint, key.name ?? null, key.scopes ?? defaultScopes, key.id ?? null],
  );
  if (!inserted) throw new Error('the key was not inserted');
  return inserted;
}

/** For a request that is resumed after a crash. Null if the key was not inserted; one that was revoked since stays so. */
export function replaceApiKey(
  db: Db,
  projectId: string,
  id: string,
  { hash, hint }: { hash: Buffer; hint: string },
): Promise<ApiKeyRecord | null> {
  return row<ApiKeyRecord>(
    db,
    'replace_api_key',
    `UPDATE api_keys SET hash = $3, hint = $4 WHERE id = $2 AND project_id = $1
     RETURNING ${COLUMNS}`,
    [projectId, id, hash, hint],
  );
}

/** Finds the project of an active key, with all that a request needs, in one round trip. */
export function findProjectByKey(db: Db, hash: Buffer): Promise<(Caller & { key_id: string }) | null> {
  return row<Caller & { key_id: string }>(
    db,
    'project_by_key',
    `SELECT ${PROJECT_COLUMNS}, k.id AS key_id, k.scopes, NULL::uuid AS member_id, NULL::uuid AS account_id,
       NULL::text AS role
     FROM api_keys k JOIN projects p ON p.id = k.project_id
     WHERE k.hash = $1 AND k.revoked_at IS NULL`,
    [hash],
  );
}

export function listApiKeys(db: Db, projectId: string): Promise<ApiKeyRecord[]> {
  return rows<ApiKeyRecord>(
    db,
    'list_api_keys',
    `SELECT ${COLUMNS} FROM api_keys WHERE project_id = $1 ORDER BY created_at DESC, id DESC`,
    [projectId],
  );
}

/** Returns false if there was no active key to revoke. */
export async function revokeApiKey(db: Db, projectId: string, keyId: string): Promise<boolean> {
  const changed = await change(
    db,
    'revoke_api_key',
    `UPDATE api_keys SET revoked_at = now() WHERE id = $2 AND project_id = $1 AND revoked_at IS NULL`,
    [projectId, keyId],
  );
  return changed > 0;
}

/** Accurate to a minute: a write per request would cost more than the request. */
export function recordKeyUse(db: Db, keyId: string): Promise<number> {
  return change(
    db,
    'record_key_use',
    `UPDATE api_keys SET last_used_at = now()
     WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [keyId],
  );
}
