import type { Role, Scope } from '../../../base/contract/scopes';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';

export interface Invitation {
  id: string;
  project_id: string;
  role: Role;
  name: string | null;
  token_sealed: string;
  created_at: Date;
  expires_at: Date;
  /** The account that has used it. */
  account_id: string | null;
  /** Neither used nor expired. */
  is_open: boolean;
  is_used: boolean;
  /** Null for one whose maker is unknown. */
  created_by_type: MakerType | null;
  /** The role that the maker has now, if the maker is a member. */
  maker_role: Role | null;
  /** The scopes of the key that made it, unless the key is revoked. */
  maker_scopes: Scope[] | null;
}

export type MakerType = 'member' | 'key' | 'cli';

const OPEN = '(accepted_at IS NULL AND expires_at > clock_timestamp())';
const SELECT = `SELECT i.id, i.project_id, i.role, i.name, i.token_sealed, i.created_at, i.expires_at, i.account_id,
    ${OPEN} AS is_open, i.accepted_at IS NOT NULL AS is_used, i.created_by_type, m.role AS maker_role, k.scopes AS maker_scopes
  FROM invitations i
  LEFT JOIN members m ON i.created_by_type = 'member' AND m.id = i.created_by AND m.project_id = i.project_id
  LEFT JOIN api_keys k ON i.created_by_type = 'key' AND k.id = i.created_by AND k.project_id = i.project_id
    AND k.revoked_at IS NULL`;

interface NewInvitationRow {
  id: string;
  project_id: string;
  role: Role;
  name: string | null;
  token_hash: Buffer;
  token_sealed: string;
  days: number;
  created_by_type: MakerType;
  created_by: string | null;
}

export function insertInvitation(db: Db, invitation: NewInvitationRow): Promise<number> {
  return change(
    db,
    'insert_invitation',
    `INSERT INTO invitations (id, project_id, role, name, token_hash, token_sealed, expires_at, created_by_type, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(days => $7), $8, $9)`,
    [
      invitation.id,
      invitation.project_id,
      invitation.role,
      invitation.name,
      invitation.token_hash,
      invitation.token_sealed,
      invitation.days,
      invitation.created_by_type,
      invitation.created_by,
    ],
  );
}

export function findInvitation(db: Db, projectId: string, id: string): Promise<Invitation | null> {
  return row<Invitation>(db, 'find_invitation', `${SELECT} WHERE i.id = $1 AND i.project_id = $2`, [
    id,
    projectId,
  ]);
}

export function findInvitationByToken(db: Db, hash: Buffer): Promise<Invitation | null> {
  return row<Invitation>(db, 'find_invitation_by_token', `${SELECT} WHERE i.token_hash = $1`, [hash]);
}

/** Those that are neither used nor expired. */
export function listInvitations(db: Db, projectId: string): Promise<Invitation[]> {
  return rows<Invitation>(
    db,
    'list_invitations',
    `${SELECT} WHERE i.project_id = $1 AND ${OPEN} ORDER BY i.created_at DESC, i.id DESC`,
    [projectId],
  );
}

/** Returns false if it has been used or has expired. */
export async function acceptInvitation(db: Db, id: string, accountId: string): Promise<boolean> {
  const accepted = await change(
    db,
    'accept_invitation',
    `UPDATE invitations SET accepted_at = now(), account_id = $2 WHERE id = $1 AND ${OPEN}`,
    [id, accountId],
  );
  return accepted > 0;
}

/** Returns false if the project has no such open invitation. */
export async function deleteInvitation(db: Db, projectId: string, id: string): Promise<boolean> {
  const deleted = await change(
    db,
    'delete_invitation',
    `DELETE FROM invitations WHERE id = $1 AND project_id = $2 AND ${OPEN}`,
    [id, projectId],
  );
  return deleted > 0;
}
