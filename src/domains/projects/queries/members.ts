import type { Channel } from '../../../base/contract/common';
import type { Role } from '../../../base/contract/scopes';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { NotifyLevel } from '../../../base/contract/people';
import type { MemberChanges } from '../team/contract';

/** A member with the names of the account. */
export interface Member {
  id: string;
  account_id: string;
  role: Role;
  first_name: string;
  username: string | null;
  channel: Channel;
  notify: NotifyLevel;
  last_seen_at: Date | null;
  created_at: Date;
}

const SELECT = `SELECT m.id, m.account_id, m.role, a.first_name, a.username, a.channel, m.notify, m.last_seen_at, m.created_at
  FROM members m JOIN accounts a ON a.id = m.account_id`;

export function listMembers(db: Db, projectId: string): Promise<Member[]> {
  return rows<Member>(
    db,
    'list_members',
    `${SELECT} WHERE m.project_id = $1 ORDER BY m.created_at DESC, m.id DESC`,
    [projectId],
  );
}

export function findMember(db: Db, projectId: string, id: string): Promise<Member | null> {
  return row<Member>(db, 'find_member', `${SELECT} WHERE m.project_id = $1 AND m.id = $2`, [projectId, id]);
}

export function findMemberOfAccount(db: Db, projectId: string, accountId: string): Promise<Member | null> {
  return row<Member>(
    db,
    'find_member_of_account',
    `${SELECT} WHERE m.project_id = $1 AND m.account_id = $2`,
    [projectId, accountId],
  );
}

/** Of all members, and of the owners. The caller holds the project's row lock. */
export async function countMembers(db: Db, projectId: string): Promise<{ members: number; owners: number }> {
  const counted = await row<{ members: number; owners: number }>(
    db,
    'count_members',
    `SELECT count(*)::int AS members, (count(*) FILTER (WHERE role = 'owner'))::int AS owners
     FROM members WHERE project_id = $1`,
    [projectId],
  );
  return counted ?? { members: 0, owners: 0 };
}

export function updateMember(db: Db, id: string, { role, notify }: MemberChanges): Promise<number> {
  return change(
    db,
    'update_member',
    'UPDATE members SET role = coalesce($2, role), notify = coalesce($3, notify) WHERE id = $1',
    [id, role ?? null, notify ?? null],
  );
}

export function deleteMember(db: Db, id: string): Promise<number> {
  return change(db, 'delete_member', 'DELETE FROM members WHERE id = $1', [id]);
}
