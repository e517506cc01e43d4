import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { LabelKind } from './labels';

export interface SubscribeLink {
  id: string;
  project_id: string;
  token_sealed: string;
  name: string | null;
  tags: string[];
  permissions: string[];
  external_id: string | null;
  expires_at: Date | null;
  max_uses: number | null;
  uses: number;
  created_at: Date;
  /** By the database's clock: neither expired nor used up. */
  live: boolean;
}

const LIVE = `(max_uses IS NULL OR uses < max_uses) AND (expires_at IS NULL OR expires_at > clock_timestamp())`;
const COLUMNS = `id, project_id, token_sealed, name, tags, permissions, external_id, expires_at, max_uses, uses, created_at,
  ${LIVE} AS live`;

interface NewLinkRow {
  id: string;
  token_hash: Buffer;
  token_sealed: string;
  name: string | null;
  tags: string[];
  permissions: string[];
  external_id: string | null;
  expires_at: string | null;
  max_uses: number | null;
}

/** Null, without inserting it, if the project has `max` live links. The caller holds the project's row lock. */
export function insertLink(
  db: Db,
  projectId: string,
  link: NewLinkRow,
  max: number,
): Promise<SubscribeLink | null> {
  return row<SubscribeLink>(
    db,
    'insert_subscribe_link',
    `INSERT INTO subscribe_links (id, project_id, token_hash, token_sealed, name, tags, permissions, external_id, expires_at,
       max_uses, created_at)
     SELECT $2, $1, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp()
     WHERE (SELECT count(*) FROM subscribe_links WHERE project_id = $1 AND ${LIVE}) < $11
     RETURNING ${COLUMNS}`,
    [
      projectId,
      link.id,
      link.token_hash,
      link.token_sealed,
      link.name,
      link.tags,
      link.permissions,
      link.external_id,
      link.expires_at,
      link.max_uses,
      max,
    ],
  );
}

export function findLink(db: Db, projectId: string, id: string): Promise<SubscribeLink | null> {
  return row<SubscribeLink>(
    db,
    'find_subscribe_link',
    `SELECT ${COLUMNS} FROM subscribe_links WHERE id = $2 AND project_id = $1`,
    [projectId, id],
  );
}

export function findLinkByToken(db: Db, tokenHash: Buffer): Promise<SubscribeLink | null> {
  return row<SubscribeLink>(
    db,
    'find_subscribe_link_by_token',
    `SELECT ${COLUMNS} FROM subscribe_links WHERE token_hash = $1`,
    [tokenHash],
  );
}

export function lockLinkByToken(
  db: Db,
  tokenHash: Buffer,
): Promise<(SubscribeLink & { last_update_id: number | null }) | null> {
  return row<SubscribeLink & { last_update_id: number | null }>(
    db,
    'lock_subscribe_link',
    `SELECT ${COLUMNS}, last_update_id FROM subscribe_links WHERE token_hash = $1 FOR UPDATE`,
    [tokenHash],
  );
}

/** Returns one row more than the limit if there is another page. */
export function listLinks(
  db: Db,
  projectId: string,
  { before, limit }: { before: Cursor | null; limit: number },
): Promise<(SubscribeLink & { cursor_at: string })[]> {
  return rows<SubscribeLink & { cursor_at: string }>(
    db,
    'list_subscribe_links',
    `SELECT ${COLUMNS}, ${cursorTime('created_at')} AS cursor_at FROM subscribe_links
     WHERE project_id = $1
       AND (created_at, id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY created_at DESC, id DESC LIMIT $4`,
    [projectId, before?.at ?? null, before?.id ?? null, limit + 1],
  );
}

/** The caller holds the link's row lock. */
export function recordLinkUse(db: Db, id: string, updateId: number): Promise<number> {
  return change(
    db,
    'use_subscribe_link',
    `UPDATE subscribe_links SET uses = uses + 1, last_used_at = clock_timestamp(), last_update_id = $2 WHERE id = $1`,
    [id, updateId],
  );
}

/** Takes one use if there is one. */
export async function takeLinkUse(db: Db, id: string): Promise<boolean> {
  const taken = await change(
    db,
    'take_subscribe_link_use',
    `UPDATE subscribe_links SET uses = uses + 1, last_used_at = clock_timestamp() WHERE id = $1 AND ${LIVE}`,
    [id],
  );
  return taken > 0;
}

export function deleteLink(db: Db, projectId: string, id: string): Promise<number> {
  return change(
    db,
    'delete_subscribe_link',
    'DELETE FROM subscribe_links WHERE id = $2 AND project_id = $1',
    [projectId, id],
  );
}

/** The name or id of a live link that names a tag or a permission, or null. */
export async function linkNaming(
  db: Db,
  projectId: string,
  kind: LabelKind,
  name: string,
): Promise<string | null> {
  const found = await row<{ title: string }>(
    db,
    `subscribe_link_naming_${kind}`,
    `SELECT coalesce(name, id::text) AS title FROM subscribe_links
     WHERE project_id = $1 AND ${LIVE} AND ${kind} @> ARRAY[$2::text] LIMIT 1`,
    [projectId, name],
  );
  return found?.title ?? null;
}
