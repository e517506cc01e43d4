import { z } from 'zod';
import { characters } from '../../../base/contract/characters';
import { channelLinks, channelSchema, idSchema, timestampSchema } from '../../../base/contract/common';
import { limits } from '../../../base/contract/limits';
import { notifyLevels } from '../../../base/contract/people';
import { roles } from '../../../base/contract/scopes';

const roleSchema = z.enum(roles);

export const memberSchema = z
  .strictObject({
    member_id: idSchema,
    role: roleSchema,
    first_name: z.string().meta({ examples: ['Anna'] }),
    username: z
      .string()
      .nullable()
      .meta({ examples: ['anna'] }),
    channel: channelSchema.describe('The messenger that the member signs in with.'),
    notify: z
      .enum(notifyLevels)
      .describe('What the bot tells the member. Failing endpoints and credits: all but `none`.'),
    last_seen_at: timestampSchema.nullable().describe('Accurate to the minute.'),
    created_at: timestampSchema,
  })
  .meta({ id: 'Member' });
export type MemberView = z.infer<typeof memberSchema>;

export const memberChangesSchema = z
  .strictObject({
    role: roleSchema.optional(),
    notify: z.enum(notifyLevels).optional(),
  })
  .meta({ examples: [{ role: 'admin' }] });
export type MemberChanges = z.infer<typeof memberChangesSchema>;

export const newInvitationSchema = z
  .strictObject({
    role: roleSchema,
    name: z
      .string()
      .trim()
      .min(1)
      .check(characters(limits.nameLength))
      .optional()
      .describe('A note: who it is for.'),
  })
  .meta({ examples: [{ role: 'support', name: 'Ann' }] });
export type NewInvitation = z.infer<typeof newInvitationSchema>;

export const invitationSchema = z
  .lazy(() =>
    z
      .strictObject({
        invitation_id: idSchema,
        role: roleSchema,
        name: z
          .string()
          .nullable()
          .meta({ examples: ['Ann'] }),
      })
      .extend(channelLinks())
      .extend({
        created_at: timestampSchema,
        expires_at: timestampSchema.meta({ examples: ['2026-01-22T10:30:00.000+00:00'] }),
      }),
  )
  .meta({ id: 'Invitation' });
export type InvitationView = z.infer<typeof invitationSchema>;
