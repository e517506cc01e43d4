import type pg from 'pg';
import { AppError, orNotFound } from '../../../base/contract/errors';
import { withTransaction, type Db } from '../../../base/db/pool';
import { createRegistry } from '../../../base/lib/registry';
import type { MemberChanges } from './contract';
import { requireGrant, type Granter } from './granting';
import { countMembers, deleteMember, findMember, updateMember, type Member } from '../queries/members';
import { lockProject } from '../queries/projects';

/** What rooms above do about a member who is removed, in the transaction of the removal. */
export type MemberRemoval = (db: Db, projectId: string, memberId: string) => Promise<void>;

export const memberRemovals = createRegistry<MemberRemoval>('memberRemovals');

/** Owners are counted under the project's row lock, so that two of them cannot leave at the same time. */
export function changeMember(
  pool: pg.Pool,
  projectId: string,
  id: string,
  changes: MemberChanges,
  granter: Granter,
): Promise<Member> {
  return withTransaction(pool, async (db) => {
    const member = await lockMember(db, projectId, id, granter);
    const { role } = changes;
    if (role !== undefined && role !== member.role) {
      requireGrant(granter, member.role);
      requireGrant(granter, role);
      if (member.role === 'owner') await requireAnotherOwner(db, projectId);
    }
    await updateMember(db, id, changes);
    return { ...member, role: role ?? member.role, notify: changes.notify ?? member.notify };
  });
}

export function removeMember(pool: pg.Pool, projectId: string, id: string, granter: Granter): Promise<void> {
  return withTransaction(pool, async (db) => {
    const member = await lockMember(db, projectId, id, granter);
    requireGrant(granter, member.role);
    if (member.role === 'owner') await requireAnotherOwner(db, projectId);
    await deleteMember(db, id);
    for (const forget of memberRemovals.entries()) await forget(db, projectId, id);
  });
}

async function lockMember(db: Db, projectId: string, id: string, granter: Granter): Promise<Member> {
  await lockProject(db, projectId);
  const member = orNotFound(await findMember(db, projectId, id));
  if (member.role === 'owner') requireGrant(granter, 'owner');
  return member;
}

async function requireAnotherOwner(db: Db, projectId: string): Promise<void> {
  if ((await countMembers(db, projectId)).owners <= 1) {
    throw new AppError('conflict', 'The last owner of a project stays. Make another member an owner first.');
  }
}
