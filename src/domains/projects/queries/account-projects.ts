import type { Channel } from '../../../base/contract/common';
import type { NotifyLevel } from '../../../base/contract/people';
import type { Role } from '../../../base/contract/scopes';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';

/** What the dashboard shows of the person who has signed in. */
interface AccountView {
  account_id: string;
  first_name: string;
  username: string | null;
  channel: Channel;
}

export function viewAccount(
  db: Db,
  id: string,
): Promise<(AccountView & { platform_user_id: string }) | null> {
  return row(
    db,
    'view_account',
    'SELECT id AS account_id, first_name, username, channel, platform_user_id FROM accounts WHERE id = $1',
    [id],
  );
}

export interface AccountProject {
  project_id: string;
  slug: string;
  name: string;
  role: Role;
  notify: NotifyLevel;
}

/** The active projects whose team the account is in, by name. */
export function listAccountProjects(db: Db, accountId: string): Promise<AccountProject[]> {
  return rows<AccountProject>(
    db,
    'list_account_projects',
    `SELECT m.project_id, p.slug, p.name, m.role, m.notify FROM members m JOIN projects p ON p.id = m.project_id
     WHERE m.account_id = $1 AND p.active ORDER BY lower(p.name), p.id`,
    [accountId],
  );
}

/** Returns false if the account is not in the team. */
export async function setOwnNotify(
  db: Db,
  { account_id, project_id }: { account_id: string; project_id: string | null },
  notify: NotifyLevel,
): Promise<{ id: string; project_id: string } | null> {
  return row<{ id: string; project_id: string }>(
    db,
    'set_own_notify',
    'UPDATE members SET notify = $3 WHERE account_id = $1 AND project_id = $2 RETURNING id, project_id',
    [account_id, project_id, notify],
  );
}

/** Where a sign-in begins: the project that the account looked at last. */
export async function findLatestProject(db: Db, accountId: string): Promise<string | null> {
  const found = await row<{ project_id: string }>(
    db,
    'latest_project_of_account',
    `SELECT m.project_id FROM members m JOIN projects p ON p.id = m.project_id WHERE m.account_id = $1 AND p.active
     ORDER BY m.last_seen_at DESC NULLS LAST, m.created_at LIMIT 1`,
    [accountId],
  );
  return found?.project_id ?? null;
}

/** The projects of a plan that the account owns. The caller holds the account's row lock. */
export async function countOwnedProjects(db: Db, accountId: string, plan: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_owned_projects',
    `SELECT count(*)::int AS count FROM members m JOIN projects p ON p.id = m.project_id
     WHERE m.account_id = $1 AND m.role = 'owner' AND p.plan = $2`,
    [accountId, plan],
  );
  return counted?.count ?? 0;
}

export async function insertMember(
  db: Db,
  member: { project_id: string; account_id: string; role: Role },
): Promise<string> {
  const inserted = await row<{ id: string }>(
    db,
    'insert_member',
    'INSERT INTO members (project_id, account_id, role) VALUES ($1, $2, $3) RETURNING id',
    [member.project_id, member.account_id, member.role],
  );
  if (!inserted) throw new Error('the member was not inserted');
  return inserted.id;
}
