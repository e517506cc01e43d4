import { AppError } from '../../../base/contract/errors';
import { limits, teamLimits } from '../../../base/contract/limits';
import { roleScopes } from '../../../base/contract/scopes';
import type { Core } from '../../../base/core';
import { withTransaction, type Db } from '../../../base/db/pool';
import type { Work } from '../../../base/http/idempotency';
import { randomBase62, sha256 } from '../../../base/lib/tokens';
import type { Project } from '../contract';
import type { NewInvitation } from './contract';
import { mayInvite, operator, requireGrant, type Granter } from './granting';
import {
  findInvitation,
  insertInvitation,
  listInvitations,
  type Invitation,
  type MakerType,
} from '../queries/invitations';
import { countMembers } from '../queries/members';
import { lockProject } from '../queries/projects';

/** 131 bits. */
const TOKEN_LENGTH = 22;
/** What the token of an invitation is sealed for, together with the invitation's id. */
export const invitationPurpose = 'invitation';

type Deps = Pick<Core, 'pool' | 'cipher'>;

export function tokenOf({ cipher }: Pick<Core, 'cipher'>, { id, token_sealed }: Invitation): string {
  return cipher.decrypt(token_sealed, invitationPurpose, id);
}

/** Creates an invitation with the work's id. */
export function createInvitation(
  { pool, cipher }: Deps,
  projectId: string,
  { role, name }: NewInvitation,
  granter: Granter,
  work: Work,
): Promise<Invitation> {
  requireGrant(granter, role);
  const token = randomBase62(TOKEN_LENGTH);
  return withTransaction(pool, async (db) => {
    const project = await lockProject(db, projectId);
    const earlier = work.resumed ? await findInvitation(db, projectId, work.id) : null;
    if (earlier) return earlier;
    await requireRoom(db, project);
    if ((await listValidInvitations(db, projectId)).length >= limits.invitations) {
      throw new AppError('conflict', `A project can have up to ${limits.invitations} open invitations.`);
    }
    const maker = makerOf(granter);
    await insertInvitation(db, {
      id: work.id,
      project_id: projectId,
      role,
      name: name ?? null,
      token_hash: sha256(token),
      token_sealed: cipher.encrypt(token, invitationPurpose, work.id),
      days: limits.invitationDays,
      created_by_type: maker.type,
      created_by: maker.id,
    });
    const created = await findInvitation(db, projectId, work.id);
    if (!created) throw new Error('the invitation was not inserted');
    return created;
  });
}

function makerOf({ member_id, key_id }: Granter): { type: MakerType; id: string | null } {
  if (member_id !== null) return { type: 'member', id: member_id };
  return key_id === null ? { type: 'cli', id: null } : { type: 'key', id: key_id };
}

/**
 * An invitation gives only what its maker could give at this moment: that of a member who was removed or has a lower role
 * now, and that of a revoked key, is not valid.
 */
export function isValid(invitation: Invitation): boolean {
  const maker = currentPowers(invitation);
  return invitation.is_open && maker !== null && mayInvite(maker, invitation.role);
}

function currentPowers({ created_by_type, maker_role, maker_scopes }: Invitation) {
  if (created_by_type === 'cli') return operator;
  if (maker_role) return { role: maker_role, scopes: roleScopes[maker_role] };
  return maker_scopes && { role: null, scopes: maker_scopes };
}

export async function listValidInvitations(db: Db, projectId: string): Promise<Invitation[]> {
  return (await listInvitations(db, projectId)).filter(isValid);
}

/** Whether the plan allows one more member. The caller holds the project's row lock. Members who are there stay. */
export async function hasRoom(db: Db, project: Pick<Project, 'id' | 'plan'>): Promise<boolean> {
  const most = teamLimits[project.plan].members;
  return most === null || (await countMembers(db, project.id)).members < most;
}

async function requireRoom(db: Db, project: Project): Promise<void> {
  if (await hasRoom(db, project)) return;
  throw new AppError(
    'plan_limit',
    `The ${project.plan} plan includes ${teamLimits[project.plan].members} member.`,
  );
}
