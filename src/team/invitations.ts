import { AppError } from '../contract/errors';
import { limits, teamLimits } from '../contract/limits';
import type { Core } from '../core';
import { withTransaction, type Db } from '../db/pool';
import type { Work } from '../http/idempotency';
import { randomBase62, sha256 } from '../lib/tokens';
import { lockProject } from '../projects';
import type { Project } from '../projects/contract';
import type { NewInvitation } from './contract';
import { requireGrant, type Granter } from './granting';
import { findInvitation, insertInvitation, listInvitations, type Invitation } from './queries/invitations';
import { countMembers } from './queries/members';

/** 190 bits. */
const TOKEN_LENGTH = 32;
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
    if ((await listInvitations(db, projectId)).length >= limits.invitations) {
      throw new AppError('conflict', `A project can have up to ${limits.invitations} open invitations.`);
    }
    return insertInvitation(db, {
      id: work.id,
      project_id: projectId,
      role,
      name: name ?? null,
      token_hash: sha256(token),
      token_sealed: cipher.encrypt(token, invitationPurpose, work.id),
      days: limits.invitationDays,
    });
  });
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
