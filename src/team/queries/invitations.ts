import type { Role } from '../../contract/scopes';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';

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
  is_open: boolean;
}

const OPEN = '(accepted_at IS NULL AND expires_at > clock_timestamp())';
const COLUMNS = `id, project_id, role, name, token_sealed, created_at, expires_at, account_id, ${OPEN} AS is_open`;

export interface NewInvitationRow {
  id: string;
  project_id: string;
  role: Role;
  name: string | null;
  token_hash: Buffer;
  token_sealed: string;
  days: number;
}

export async function insertInvitation(db: Db, invitation: NewInvitationRow): Promise<Invitation> {
  const inserted = await row<Invitation>(
    db,
    'insert_invitation',
    `INSERT INTO invitations (id, project_id, role, name, token_hash, token_sealed, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(days => $7)) RETURNING ${COLUMNS}`,
    [
      invitation.id,
      invitation.project_id,
      invitation.role,
      invitation.name,
      invitation.token_hash,
      invitation.token_sealed,
      invitation.days,
    ],
  );
  if (!inserted) throw new Error('the invitation was not inserted');
  return inserted;
}

export function findInvitation(db: Db, projectId: string, id: string): Promise<Invitation | null> {
  return row<Invitation>(
    db,
    'find_invitation',
    `SELECT ${COLUMNS} FROM invitations WHERE id = $1 AND project_id = $2`,
    [id, projectId],
  );
}

export function findInvitationByToken(db: Db, hash: Buffer): Promise<Invitation | null> {
  return row<Invitation>(
    db,
    'find_invitation_by_token',
    `SELECT ${COLUMNS} FROM invitations WHERE token_hash = $1`,
    [hash],
  );
}

/** Those that can still be used. */
export function listInvitations(db: Db, projectId: string): Promise<Invitation[]> {
  return rows<Invitation>(
    db,
    'list_invitations',
    `SELECT ${COLUMNS} FROM invitations WHERE project_id = $1 AND ${OPEN} ORDER BY created_at DESC, id DESC`,
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
