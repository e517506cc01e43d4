import { z } from 'zod';
import { characters } from '../../../base/contract/characters';
import { exampleChannel, givenTimeSchema, nullableWhoFields } from '../../../base/contract/common';

/* `data` of the helpdesk's events, and the values that its routes share with them. */

export const ticketStatuses = ['new', 'in_progress', 'waiting', 'closed'] as const;
export const ticketPriorities = ['low', 'normal', 'high', 'urgent'] as const;
export const ticketSources = ['bot', 'api', 'form'] as const;
/** Who changed a ticket. */
export const ticketActors = ['customer', 'member', 'api', 'system'] as const;

const idSchema = z.string().min(1).check(characters(128));
const textSchema = z.string().check(characters(100_000));
const secondsSchema = z.number().int().min(0);

/** The fields that every ticket event carries. A virtual ticket has no subscriber. */
const ticketFields = {
  ticket_id: idSchema,
  number: z.number().int().min(1),
  subject: z.string().check(characters(200)).nullable(),
  status: z.enum(ticketStatuses),
  priority: z.enum(ticketPriorities),
  type_id: idSchema.nullable(),
  ...nullableWhoFields,
  assignee_id: idSchema.nullable(),
  occurred_at: givenTimeSchema,
};

export const attachmentTypes = ['photo', 'video', 'document', 'voice'] as const;

const attachmentSchema = z.strictObject({
  attachment_id: idSchema,
  type: z.enum(attachmentTypes),
  name: z.string().check(characters(1_000)).nullable(),
  mime: z.string().check(characters(255)).nullable(),
  bytes: z.number().int().min(0).nullable(),
});

/** `data` of the events of the helpdesk. */
export const ticketEventSchemas = {
  created: z.strictObject({ ...ticketFields, text: textSchema, source: z.enum(ticketSources) }),
  replied: z.strictObject({
    ...ticketFields,
    message_id: idSchema,
    from: z.enum(['customer', 'agent']),
    member_id: idSchema.nullable(),
    text: textSchema,
    attachments: z.array(attachmentSchema).max(100),
  }),
  statusChanged: z.strictObject({
    ...ticketFields,
    previous: z.enum(ticketStatuses),
    by: z.enum(ticketActors),
  }),
  assigned: z.strictObject({ ...ticketFields, previous_assignee_id: idSchema.nullable() }),
  closed: z.strictObject({
    ...ticketFields,
    by: z.enum(ticketActors),
    first_reply_seconds: secondsSchema.nullable(),
    resolution_seconds: secondsSchema.nullable(),
  }),
  csatReceived: z.strictObject({ ...ticketFields, score: z.number().int().min(1).max(5) }),
  unanswered: z.strictObject({ ...ticketFields, waiting_since: givenTimeSchema }),
};

export const ticketExample: z.infer<z.ZodObject<typeof ticketFields>> = {
  ticket_id: '3b0f6a7d-1d7d-4f0e-8f70-5b7d0a9c1e31',
  number: 42,
  subject: 'Where is my order?',
  status: 'in_progress',
  priority: 'normal',
  type_id: null,
  subscriber_id: '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01',
  channel: exampleChannel,
  external_id: 'user-42',
  assignee_id: null,
  occurred_at: '2026-01-15T10:30:00.000+00:00',
};
