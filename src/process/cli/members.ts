import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type pg from 'pg';
import { isUuid } from '../../base/contract/ids';
import { notifyLevels } from '../../base/contract/people';
import { roles } from '../../base/contract/scopes';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { audited, byCli } from '../../domains/projects';
import { memberChangesSchema, newInvitationSchema } from '../../domains/projects/team/contract';
import { operator } from '../../domains/projects/team/granting';
import { presentInvitation } from '../../domains/projects/team/links';
import { changeMember, removeMember } from '../../domains/projects/team/members';
import { listMembers } from '../../domains/projects/queries/members';
import { presentMember } from '../../domains/projects/team/routes';
import { parsed } from './arguments';
import { encryptionKeysOf, findInstallation, UsageError, withDatabase } from './context';
import { facts, print, table } from './output';
import { requireProject } from './projects';

interface InviteOptions {
  role: string;
  name?: string;
  json?: boolean;
}

/** The first owner's way in, so the command is above the rules about who may give a role. */
async function invite(slug: string, options: InviteOptions): Promise<void> {
  const [{ Cipher }, { createInvitation, tokenOf }, { connectBotLinks }] = await Promise.all([
    import('../../base/lib/cipher.js'),
    import('../../domains/projects/team/invitations.js'),
    import('./bot-links.js'),
  ]);
  const request = parsed(newInvitationSchema, { role: options.role, name: options.name });
  const installation = await findInstallation();
  const cipher = new Cipher(await encryptionKeysOf(installation));
  const linkTo = await connectBotLinks(installation);
  const created = await withDatabase(async (pool) => {
    const project = await requireProject(pool, slug);
    const id = randomUUID();
    const invitation = await audited(pool, byCli(project.id, 'invitation.created', id), () =>
      createInvitation({ pool, cipher }, project.id, request, operator, { id, resumed: false }),
    );
    return presentInvitation(invitation, tokenOf({ cipher }, invitation), linkTo);
  }, installation);
  print(created, options.json, () => facts(Object.entries(created)));
}

async function requireMember(pool: pg.Pool, slug: string, id: string): Promise<string> {
  const project = await requireProject(pool, slug);
  const members = isUuid(id) ? await listMembers(pool, project.id) : [];
  if (!members.some((member) => member.id === id)) {
    throw new UsageError(`Project "${slug}" has no member "${id}".`);
  }
  return project.id;
}

async function list(slug: string, { json }: { json?: boolean }): Promise<void> {
  const members = await withDatabase(async (pool) =>
    listMembers(pool, (await requireProject(pool, slug)).id),
  );
  const rows = members.map((member) => [
    member.id,
    member.first_name,
    member.username,
    member.channel,
    member.role,
    member.notify,
    isoTimeOrNull(member.last_seen_at),
    isoTime(member.created_at),
  ]);
  print(members.map(presentMember), json, () =>
    table(['member_id', 'name', 'username', 'channel', 'role', 'notify', 'last seen', 'joined'], rows),
  );
}

async function set(
  slug: string,
  memberId: string,
  { json, ...options }: { role?: string; notify?: string; json?: boolean },
): Promise<void> {
  const changes = parsed(memberChangesSchema, options);
  if (changes.role === undefined && changes.notify === undefined) {
    throw new UsageError('Nothing to change: pass --role or --notify.');
  }
  const member = await withDatabase(async (pool) => {
    const projectId = await requireMember(pool, slug, memberId);
    return audited(pool, byCli(projectId, 'member.updated', memberId), () =>
      changeMember(pool, projectId, memberId, changes, operator),
    );
  });
  print(presentMember(member), json, () => facts(Object.entries(presentMember(member))));
}

async function remove(slug: string, memberId: string, { json }: { json?: boolean }): Promise<void> {
  await withDatabase(async (pool) => {
    const projectId = await requireMember(pool, slug, memberId);
    await audited(pool, byCli(projectId, 'member.deleted', memberId), () =>
      removeMember(pool, projectId, memberId, operator),
    );
  });
  print({ member_id: memberId, removed: true }, json, () => `Member ${memberId} removed.`);
}

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('the team of a project');
  member
    .command('invite <slug>')
    .description('create an invitation link; the first owner comes in this way')
    .requiredOption('--role <role>', roles.join(', '))
    .option('--name <name>', 'a note: who it is for')
    .option('--json', 'print JSON')
    .action(invite);
  member
    .command('list <slug>')
    .description('list the members of a project')
    .option('--json', 'print JSON')
    .action(list);
  member
    .command('set <slug> <member_id>')
    .description('change the role or the notifications of a member')
    .option('--role <role>', roles.join(', '))
    .option('--notify <level>', notifyLevels.join(', '))
    .option('--json', 'print JSON')
    .action(set);
  member
    .command('remove <slug> <member_id>')
    .description('remove a member from the team')
    .option('--json', 'print JSON')
    .action(remove);
}
