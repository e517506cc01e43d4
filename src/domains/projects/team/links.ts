import { linkFields } from '../../bots';
import type { Channel } from '../../../base/contract/common';
import { startParameter } from '../../../base/contract/start-parameters';
import { isoTime } from '../../../base/lib/iso-time';
import type { InvitationView } from './contract';
import type { Invitation } from '../queries/invitations';

/** Builds the deep link of a channel's shared bot; null if the channel is not offered. */
export type LinkTo = (channel: Channel, start: string) => string | null;

/** Without a token the links are null: the caller may not give this role, and so must not have its link. */
export function presentInvitation(
  invitation: Invitation,
  token: string | null,
  linkTo: LinkTo,
): InvitationView {
  return {
    invitation_id: invitation.id,
    role: invitation.role,
    name: invitation.name,
    ...linkFields('link', (channel) =>
      token === null ? null : linkTo(channel, startParameter('invitation', token)),
    ),
    created_at: isoTime(invitation.created_at),
    expires_at: isoTime(invitation.expires_at),
  };
}
