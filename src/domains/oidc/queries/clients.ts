import { limits } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { sha256 } from '../../../base/lib/tokens';
import type { ClientType, IdTokenAlgorithm } from '../contract';

export interface ClientRow {
  id: string;
  project_id: string;
  name: string;
  type: ClientType;
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  id_token_alg: IdTokenAlgorithm;
  device: boolean;
  created_at: Date;
}

const COLUMNS = `c.id, c.project_id, c.name, c.type, c.redirect_uris, c.post_logout_redirect_uris, c.id_token_alg, c.device,
  c.created_at`;

/** `secretHash` is null for a public client. The caller holds the project's row lock. */
export async function insertClient(
  db: Db,
  client: Omit<ClientRow, 'created_at'>,
  secretHash: Buffer | null,
): Promise<ClientRow> {
  const inserted = await row<ClientRow>(
    db,
    'insert_oidc_client',
    `INSERT INTO oidc_clients AS c (id, project_id, name, type, redirect_uris, post_logout_redirect_uris, id_token_alg, device)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
    [
      client.id,
      client.project_id,
      client.name,
      client.type,
      client.redirect_uris,
      client.post_logout_redirect_uris,
      client.id_token_alg,
      client.device,
    ],
  );
  if (!inserted) throw new Error('the client was not inserted');
  if (secretHash) await insertSecret(db, client.id, { id: client.id, hash: secretHash });
  return inserted;
}

export function insertSecret(
  db: Db,
  clientId: string,
  { id, hash }: { id: string; hash: Buffer },
): Promise<number> {
  return change(
    db,
    'insert_oidc_secret',
    'INSERT INTO oidc_client_secrets (id, client_id, hash) VALUES ($1, $2, $3)',
    [id, clientId, hash],
  );
}

/** Starts the grace period of the current secret. */
export function expireSecret(db: Db, clientId: string): Promise<number> {
  return change(
    db,
    'expire_oidc_secret',
    `UPDATE oidc_client_secrets SET expires_at = clock_timestamp() + interval '${limits.oidcSecretGraceHours} hours'
     WHERE client_id = $1 AND expires_at IS NULL`,
    [clientId],
  );
}

/** For a request that is resumed after a crash: its secret was not shown. Returns false if it was not inserted. */
export async function replaceSecret(db: Db, clientId: string, id: string, hash: Buffer): Promise<boolean> {
  const replaced = await change(
    db,
    'replace_oidc_secret',
    'UPDATE oidc_client_secrets SET hash = $3 WHERE id = $2 AND client_id = $1',
    [clientId, id, hash],
  );
  return replaced > 0;
}

export function findClient(db: Db, projectId: string, id: string): Promise<ClientRow | null> {
  return row<ClientRow>(
    db,
    'find_oidc_client',
    `SELECT ${COLUMNS} FROM oidc_clients c WHERE c.id = $2 AND c.project_id = $1`,
    [projectId, id],
  );
}

export function listClients(db: Db, projectId: string): Promise<ClientRow[]> {
  return rows<ClientRow>(
    db,
    'list_oidc_clients',
    `SELECT ${COLUMNS} FROM oidc_clients c WHERE c.project_id = $1 ORDER BY c.created_at DESC, c.id DESC`,
    [projectId],
  );
}

export type ClientChanges = Partial<
  Pick<ClientRow, 'name' | 'redirect_uris' | 'post_logout_redirect_uris' | 'id_token_alg' | 'device'>
>;

export function updateClient(
  db: Db,
  projectId: string,
  id: string,
  changes: ClientChanges,
): Promise<ClientRow | null> {
  const names = Object.keys(changes) as (keyof ClientChanges)[];
  return row<ClientRow>(
    db,
    // Each set of columns needs its own statement name, of at most 63 characters.
    `update_oidc_client_${sha256(names.join()).toString('hex').slice(0, 16)}`,
    `UPDATE oidc_clients c SET ${names.map((name, index) => `${name} = $${index + 3}`).join(', ')}
     WHERE c.project_id = $1 AND c.id = $2 RETURNING ${COLUMNS}`,
    [projectId, id, ...names.map((name) => changes[name])],
  );
}

/** Locks the client, so that of two concurrent rotations the second replaces the first one's secret. */
export function lockClient(db: Db, projectId: string, id: string): Promise<ClientRow | null> {
  return row<ClientRow>(
    db,
    'lock_oidc_client',
    `SELECT ${COLUMNS} FROM oidc_clients c WHERE c.id = $2 AND c.project_id = $1 FOR NO KEY UPDATE`,
    [projectId, id],
  );
}

/** Until the end of the transaction no login of the client begins. */
export async function lockClientForDeletion(db: Db, projectId: string, id: string): Promise<boolean> {
  const found = await row(
    db,
    'lock_oidc_client_for_deletion',
    'SELECT id FROM oidc_clients WHERE id = $2 AND project_id = $1 FOR UPDATE',
    [projectId, id],
  );
  return found !== null;
}

export function deleteClient(db: Db, id: string): Promise<number> {
  return change(db, 'delete_oidc_client', 'DELETE FROM oidc_clients WHERE id = $1', [id]);
}

export interface ActiveClient extends ClientRow {
  /** Hashes of the secrets that are valid now, in hex. */
  secret_hashes: string[];
}

/** A client of an active project, as the provider needs it. */
export function findActiveClient(db: Db, id: string): Promise<ActiveClient | null> {
  return row<ActiveClient>(
    db,
    'find_active_oidc_client',
    `SELECT ${COLUMNS}, ARRAY(
         SELECT encode(s.hash, 'hex') FROM oidc_client_secrets s
         WHERE s.client_id = c.id AND (s.expires_at IS NULL OR s.expires_at > clock_timestamp())
         ORDER BY s.created_at DESC) AS secret_hashes
     FROM oidc_clients c JOIN projects p ON p.id = c.project_id WHERE c.id = $1 AND p.active`,
    [id],
  );
}
