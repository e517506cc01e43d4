import { idParams, pageOf } from '../../../base/contract/common';
import { shortListQuery, shortPage } from '../../../base/contract/short-list';
import { orNotFound } from '../../../base/contract/errors';
import { limits } from '../../../base/contract/limits';
import type { Core } from '../../../base/core';
import { withTransaction } from '../../../base/db/pool';
import { routesOf } from '../../../base/http/route';
import { isoTime, isoTimeOrNull } from '../../../base/lib/iso-time';
import {
  invitationSchema,
  memberChangesSchema,
  memberSchema,
  newInvitationSchema,
  type MemberView,
} from './contract';
import { mayGrant, requireGrant } from './granting';
import { createInvitation, listValidInvitations, tokenOf } from './invitations';
import { presentInvitation, type LinkTo } from './links';
import { changeMember, removeMember } from './members';
import { deleteInvitation, findInvitation } from '../queries/invitations';
import { listMembers, type Member } from '../queries/members';

const route = routesOf('Team');

/** Members and invitations of a project's team. */
export function createTeamRoutes(core: Pick<Core, 'pool' | 'cipher' | 'messengers'>) {
  const { pool, messengers } = core;
  const linkTo: LinkTo = (channel, start) => messengers.get(channel)?.link(start) ?? null;

  return [
    route(
      {
        method: 'GET',
        path: '/v1/members',
        summary: 'List members',
        scope: 'admin',
        query: shortListQuery,
        response: pageOf(memberSchema),
      },
      async ({ project, query }) => {
        const found = await listMembers(pool, project.id);
        return shortPage(found, query, ({ id }) => id, presentMember);
      },
    ),
    route(
      {
        method: 'PATCH',
        path: '/v1/members/{id}',
        summary: 'Change a member',
        description:
          'Takes effect within a second. Only an owner makes and changes owners, and the last owner stays. No role can be given or taken by a caller who lacks one of its scopes.',
        scope: 'admin',
        params: idParams,
        body: memberChangesSchema,
        response: memberSchema,
        errors: ['conflict'],
      },
      async ({ project, params, body }) =>
        presentMember(await changeMember(pool, project.id, params.id, body, project)),
    ),
    route(
      {
        method: 'DELETE',
        path: '/v1/members/{id}',
        summary: 'Remove a member',
        description:
          'Takes effect within a second. Only an owner removes owners, and the last one stays. A caller removes only members of whose role it has all scopes.',
        scope: 'admin',
        params: idParams,
        status: 204,
        errors: ['conflict'],
      },
      ({ project, params }) => removeMember(pool, project.id, params.id, project),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/invitations',
        summary: 'List open invitations',
        confidential: true,
        description: 'The links of a role that the caller cannot give are null.',
        scope: 'admin',
        query: shortListQuery,
        response: pageOf(invitationSchema),
      },
      async ({ project, query }) => {
        const found = await listValidInvitations(pool, project.id);
        const present = (invitation: (typeof found)[number]) =>
          presentInvitation(
            invitation,
            mayGrant(project, invitation.role) ? tokenOf(core, invitation) : null,
            linkTo,
          );
        return shortPage(found, query, ({ id }) => id, present);
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/invitations',
        summary: 'Invite a member',
        confidential: true,
        description: `Send the person one of the links. It works once, for ${limits.invitationDays} days: the bot asks whether they want to join. A role can only be given by a caller who has all of its scopes, the role of an owner only by an owner; the invitation is valid as long as the caller could make it.`,
        scope: 'admin',
        idempotent: {},
        body: newInvitationSchema,
        status: 201,
        response: invitationSchema,
        errors: ['plan_limit', 'conflict'],
      },
      async ({ project, body, work }) => {
        const invitation = await createInvitation(core, project.id, body, project, work);
        return presentInvitation(invitation, tokenOf(core, invitation), linkTo);
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/v1/invitations/{id}',
        summary: 'Withdraw an invitation',
        description: 'Only a caller who could make the invitation withdraws it.',
        scope: 'admin',
        params: idParams,
        status: 204,
      },
      ({ project, params }) =>
        withTransaction(pool, async (db) => {
          const invitation = orNotFound(await findInvitation(db, project.id, params.id));
          requireGrant(project, invitation.role);
          orNotFound(await deleteInvitation(db, project.id, params.id));
        }),
    ),
  ];
}

export function presentMember(member: Member): MemberView {
  return {
    member_id: member.id,
    role: member.role,
    first_name: member.first_name,
    username: member.username,
    channel: member.channel,
    notify: member.notify,
    last_seen_at: isoTimeOrNull(member.last_seen_at),
    created_at: isoTime(member.created_at),
  };
}
