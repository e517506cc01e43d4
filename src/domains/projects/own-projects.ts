import { AppError } from '../../base/contract/errors';
import { teamLimits } from '../../base/contract/limits';
import type { Db } from '../../base/db/pool';
import { lockAccount } from './queries/accounts';
import { countOwnedProjects, insertMember, type AccountProject } from './queries/account-projects';
import { insertAuditEntry } from './queries/audit';
import { insertProject } from './queries/projects';

/** Creates a project whose owner is the account, in the caller's transaction. Counted under the account's row lock. */
export async function createOwnProject(
  db: Db,
  { accountId, ip }: { accountId: string; ip: string },
  given: { slug: string; name: string },
): Promise<Omit<AccountProject, 'notify'>> {
  const plan = 'free';
  await lockAccount(db, accountId);
  if ((await countOwnedProjects(db, accountId, plan)) >= teamLimits[plan].ownedProjects) {
    throw new AppError(
      'plan_limit',
      `On the free plan an account can own ${teamLimits[plan].ownedProjects} project.`,
    );
  }
  const project = await insertProject(db, { ...given, plan });
  if (!project) throw new AppError('conflict', `The slug "${given.slug}" is already taken.`);
  const memberId = await insertMember(db, { project_id: project.id, account_id: accountId, role: 'owner' });
  await insertAuditEntry(db, {
    project_id: project.id,
    actor_type: 'member',
    actor_id: memberId,
    action: 'project.created',
    target_id: project.id,
    ip,
  });
  return { project_id: project.id, slug: project.slug, name: project.name, role: 'owner' };
}
