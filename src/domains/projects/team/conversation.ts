import {
  botTexts,
  platformOf,
  type Chat,
  type ChatHandlers,
  type OutgoingMessage,
  type Tap,
} from '../../bots';
import { higherRole, type Role } from '../../../base/contract/scopes';
import type { Core } from '../../../base/core';
import { withTransaction } from '../../../base/db/pool';
import { sha256 } from '../../../base/lib/tokens';
import type { Project } from '../contract';
import { insertMember } from '../queries/account-projects';
import { upsertAccount } from '../queries/accounts';
import { insertAuditEntry } from '../queries/audit';
import {
  acceptInvitation,
  findInvitation,
  findInvitationByToken,
  type Invitation,
} from '../queries/invitations';
import { findMemberOfAccount, updateMember } from '../queries/members';
import { findProject, lockProject } from '../queries/projects';
import { hasRoom, isValid } from './invitations';

const TAP = /^j([yn]):([0-9A-Za-z]{22,32})$/;

type Joined = 'not valid' | 'used' | 'full' | { role: Role };

/** An invitation in the chat: the link leads to a question, a tap on Yes into the team. */
export function teamChat({ pool, publicUrl }: Pick<Core, 'pool' | 'publicUrl'>): ChatHandlers {
  /** The invitation and its project, if the link can still be used. */
  async function find(token: string): Promise<{ invitation: Invitation; project: Project } | null> {
    const invitation = await findInvitationByToken(pool, sha256(token));
    const project = invitation && (await findProject(pool, invitation.project_id));
    return invitation && project?.active ? { invitation, project } : null;
  }

  async function ask(token: string, { messenger, chatId, user, servedProjectId }: Chat): Promise<void> {
    const texts = botTexts[user.lang];
    // Members are reached through the shared bot, which is the one that they join in.
    const found = servedProjectId === null ? await find(token) : null;
    if (!found || !isValid(found.invitation)) {
      const isUsed = found?.invitation.is_used;
      await messenger.send(chatId, { text: isUsed ? texts.invitationUsed : texts.invitationNotValid });
      return;
    }
    const { invitation, project } = found;
    await messenger.send(chatId, {
      text: texts.joinQuestion(project.name, invitation.role),
      buttons: [
        [
          { text: texts.yes, data: `jy:${token}` },
          { text: texts.no, data: `jn:${token}` },
        ],
      ],
    });
  }

  /**
   * Joins under the project's row lock, so that a plan's limit and the role of the invitation's maker are exact. A member
   * of the team gets the higher of the two roles. Safe to repeat: an update is handled again after a crash.
   */
  function join({ id, project_id }: Invitation, tap: Tap): Promise<Joined> {
    return withTransaction(pool, async (db) => {
      const project = await lockProject(db, project_id);
      const invitation = await findInvitation(db, project_id, id);
      const account = await upsertAccount(db, {
        channel: tap.messenger.channel,
        platform_user_id: tap.user.id,
        chat_id: platformOf(tap.messenger.channel).chatOf(tap.user.id),
        first_name: tap.user.firstName,
        username: tap.user.username,
        lang: tap.user.lang,
      });
      const member = await findMemberOfAccount(db, project.id, account.id);
      if (member && invitation?.account_id === account.id) return { role: member.role };
      if (invitation?.is_used) return 'used';
      if (!invitation || !isValid(invitation)) return 'not valid';
      if (!member && !(await hasRoom(db, project))) return 'full';
      if (!(await acceptInvitation(db, id, account.id))) return 'not valid';
      const role = member ? higherRole(member.role, invitation.role) : invitation.role;
      if (member) await updateMember(db, member.id, { role });
      const memberId = member?.id ?? (await insertMember(db, { project_id, account_id: account.id, role }));
      await insertAuditEntry(db, {
        project_id,
        actor_type: 'member',
        actor_id: memberId,
        action: 'member.joined',
        target_id: memberId,
        ip: null,
      });
      return { role };
    });
  }

  async function answer(tap: Tap, yes: boolean, token: string): Promise<OutgoingMessage> {
    const texts = botTexts[tap.user.lang];
    const found = tap.servedProjectId === null ? await find(token) : null;
    if (!found) return { text: texts.invitationNotValid };
    const { invitation, project } = found;
    if (!yes) return { text: texts.joinDeclined(project.name) };
    const joined = await join(invitation, tap);
    if (joined === 'full') return { text: texts.teamFull(project.name) };
    if (joined === 'used') return { text: texts.invitationUsed };
    if (joined === 'not valid') return { text: texts.invitationNotValid };
    return {
      text: texts.joined(project.name, joined.role),
      buttons: [[{ text: texts.openDashboard, url: `${publicUrl()}/dashboard` }]],
    };
  }

  return {
    sharedBotOnly: true,
    links: { invitation: ask },
    async tap(tap) {
      const [, yesOrNo, token] = TAP.exec(tap.data) ?? [];
      if (token === undefined) return false;
      const message = await answer(tap, yesOrNo === 'y', token);
      if (tap.messageId === null) await tap.messenger.send(tap.chatId, message);
      else await tap.messenger.edit(tap.chatId, tap.messageId, message);
      await tap.messenger.answerTap(tap.callbackId).catch(() => undefined);
      return true;
    },
  };
}
