import { z } from 'zod';
import { declineReasons, sessionStatuses } from './auth';
import { channelSchema, idSchema, pageQuery, timestampSchema } from './common';

export const sessionFlows = ['session', 'static'] as const;

/** A login as the log shows it: who and when, never the code. */
export const sessionRecordSchema = z.strictObject({
  session_id: idSchema,
  flow: z.enum(sessionFlows).describe('`static` is a login by the permanent link.'),
  status: z.enum(sessionStatuses),
  reason: z.enum(declineReasons).nullable().describe('Why it was declined.'),
  channel: channelSchema.nullable().describe('Null until a user has opened the link.'),
  subscriber_id: z.string().nullable(),
  state: z.string().nullable(),
  client_ip: z.string().nullable(),
  created_at: timestampSchema,
  expires_at: timestampSchema.describe('End of the wait for an answer.'),
  decided_at: timestampSchema.nullable(),
  consumed_at: timestampSchema.nullable(),
});
export type SessionRecord = z.infer<typeof sessionRecordSchema>;

export const sessionListQuery = z.strictObject({
  status: z.enum(sessionStatuses).optional(),
  flow: z.enum(sessionFlows).optional(),
  channel: channelSchema.optional(),
  ...pageQuery,
});
