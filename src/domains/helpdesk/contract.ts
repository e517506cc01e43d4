import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  channelLinks,
  givenTimeSchema,
  idParams,
  idSchema,
  nullableWhoFields,
  pageQuery,
  queryBoolean,
  timestampSchema,
  exampleId,
} from '../../base/contract/common';
import { contentSchema, textSchema } from '../../base/contract/content';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { messageStatuses, sendReasons } from '../messages/contract';
import { externalIdSchema, subscriberIdSchema } from '../subscribers/contract';
import {
  attachmentTypes,
  type ticketActors,
  ticketPriorities,
  ticketSources,
  ticketStatuses,
} from '../events/tickets/contract';

export type TicketStatus = (typeof ticketStatuses)[number];
export type TicketPriority = (typeof ticketPriorities)[number];
export type TicketSource = (typeof ticketSources)[number];
/** Who changed a ticket. */
export type TicketActor = (typeof ticketActors)[number];
export { ticketPriorities, ticketSources, ticketStatuses };

const hours = z.number().int().min(1).max(limits.ticketHours).nullable();
const days = z.number().int().min(1).max(limits.ticketDays).nullable();

const settingFields = {
  enabled: z.boolean().describe('Whether customers can write, and tickets can be created.'),
  first_reply_hours: hours.describe('Time for the first reply; null: no limit.'),
  resolve_hours: hours.describe('Time until a ticket should be closed; null: no limit.'),
  csat: z.boolean().describe('Whether the bot asks for a rating when a ticket with a reply is closed.'),
  reopen_days: days.describe(
    'How long after its close a message of the customer reopens a ticket; null: never.',
  ),
  auto_close_days: days.describe(
    'After how long a ticket that waits for the customer is closed; null: never.',
  ),
};

export const helpdeskSchema = z.strictObject(settingFields).meta({ id: 'Helpdesk' });
export type HelpdeskSettings = z.output<typeof helpdeskSchema>;
export const helpdeskChangesSchema = helpdeskSchema
  .partial()
  .meta({ examples: [{ enabled: true, first_reply_hours: 8, auto_close_days: 3 }] });
export const helpdeskLinksSchema = z.lazy(() => z.strictObject(channelLinks()));

const prioritySchema = z.enum(ticketPriorities);
const memberIdSchema = idSchema.describe('A member of the team.');
const nameSchema = z
  .string()
  .check(characters(limits.ticketTypeNameLength))
  .refine((text) => text.trim() !== '', 'must not be empty');

const typeFields = {
  name_en: nameSchema.describe('On the button of the bot, in English.').meta({ examples: ['Delivery'] }),
  name_ru: nameSchema.describe('On the button of the bot, in Russian.').meta({ examples: ['Доставка'] }),
  priority: prioritySchema.describe('Of tickets of this type.'),
  assignee_id: memberIdSchema.nullable().describe('Who gets tickets of this type; null: nobody.'),
};

export const ticketTypeSchema = z
  .strictObject({ type_id: idSchema, ...typeFields })
  .meta({ id: 'TicketType' });
export type TicketTypeView = z.output<typeof ticketTypeSchema>;
export const newTicketTypeSchema = z
  .strictObject({
    ...typeFields,
    priority: typeFields.priority.default('normal'),
    assignee_id: typeFields.assignee_id.default(null),
  })
  .meta({ examples: [{ name_en: 'Delivery', name_ru: 'Доставка', priority: 'high' }] });
export type NewTicketType = z.output<typeof newTicketTypeSchema>;
export const ticketTypeChangesSchema = z
  .strictObject(typeFields)
  .partial()
  .meta({ examples: [{ priority: 'urgent' }] });
export type TicketTypeChanges = z.output<typeof ticketTypeChangesSchema>;
export const typeParams = idParams;

const subjectSchema = z.string().check(characters(limits.ticketSubjectLength));

const customerSchema = z.strictObject({
  name: z.string().check(characters(limits.ticketCustomerLength)).nullable().default(null),
  contact: z.string().check(characters(limits.ticketCustomerLength)).nullable().default(null),
});

export const ticketSchema = z
  .strictObject({
    ticket_id: idSchema,
    number: z.number().int().describe('Counted from 1 in the project.'),
    subject: z.string().nullable(),
    preview: z.string().nullable().describe('The beginning of the newest public message.'),
    status: z.enum(ticketStatuses),
    priority: prioritySchema,
    type_id: idSchema.nullable(),
    source: z.enum(ticketSources),
    ...nullableWhoFields,
    customer: z
      .strictObject({
        name: z
          .string()
          .nullable()
          .meta({ examples: ['Anna'] }),
        contact: z.string().nullable(),
      })
      .nullable()
      .describe('A customer without a subscriber.'),
    assignee_id: idSchema.nullable().describe('A member of the team.'),
    waiting_since: timestampSchema
      .nullable()
      .describe('The oldest message of the customer without a public answer since.'),
    first_reply_at: timestampSchema.nullable(),
    first_reply_due_at: timestampSchema.nullable(),
    resolve_due_at: timestampSchema.nullable(),
    overdue: z.boolean().describe('Whether one of the due times has passed unmet.'),
    csat_score: z.number().int().min(1).max(5).nullable(),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    closed_at: timestampSchema.nullable(),
  })
  .meta({ id: 'Ticket' });
export type TicketView = z.output<typeof ticketSchema>;

export const newTicketSchema = z
  .strictObject({
    subscriber_id: subscriberIdSchema.optional(),
    external_id: externalIdSchema.optional().describe('Of its newest active subscriber.'),
    customer: customerSchema.optional().describe('A customer without a subscriber.'),
    text: textSchema,
    subject: subjectSchema.nullable().optional(),
    type_id: idSchema.nullable().optional().describe('Sets priority and assignee, unless they are given.'),
    priority: prioritySchema.optional().describe('Default: that of the type, else normal.'),
    assignee_id: memberIdSchema.nullable().optional().describe('Default: that of the type.'),
  })
  .superRefine((body, ctx) => {
    const given = (['subscriber_id', 'external_id', 'customer'] as const).filter(
      (field) => body[field] !== undefined,
    );
    if (given.length === 1) return;
    if (body.subscriber_id !== undefined && body.external_id !== undefined) {
      const error = new AppError('mutually_exclusive_identifiers');
      ctx.addIssue({ code: 'custom', params: { error }, message: error.message, input: body });
      return;
    }
    const message =
      given.length === 0
        ? 'is required, or external_id, or customer'
        : 'cannot be combined with another customer';
    ctx.addIssue({ code: 'custom', path: [given[1] ?? 'subscriber_id'], message, input: body });
  })
  .meta({ examples: [{ external_id: 'user-42', text: 'Where is my order?', subject: 'Order 1001' }] });
export type NewTicket = z.output<typeof newTicketSchema>;

/** A status that a ticket can be given: none is new again. */
const givenStatusSchema = z.enum(
  ['in_progress', 'waiting', 'closed'],
  'must be in_progress, waiting or closed; a ticket is new only until it is taken',
);

const changeFields = {
  status: givenStatusSchema.optional(),
  priority: prioritySchema.optional(),
  assignee_id: memberIdSchema.nullable().optional(),
};
export const ticketChangesSchema = z
  .strictObject({
    ...changeFields,
    type_id: idSchema.nullable().optional(),
    subject: subjectSchema.nullable().optional(),
  })
  .meta({ examples: [{ status: 'closed' }] });
export type TicketChanges = z.output<typeof ticketChangesSchema>;

export const bulkTicketsSchema = z
  .strictObject({
    ids: z.array(idSchema).min(1).max(limits.ticketsInBulk),
    set: z.strictObject(changeFields),
  })
  .meta({ examples: [{ ids: ['<ticket_id>'], set: { priority: 'high' } }] });
export type BulkTickets = z.output<typeof bulkTicketsSchema>;
export const bulkResultSchema = z.strictObject({
  updated: z.number().int(),
  failed: z.array(
    z.strictObject({
      id: z.string().meta({ examples: [exampleId] }),
      code: z.string().meta({ examples: ['not_found'] }),
    }),
  ),
});

export const ticketOrders = ['created', 'updated'] as const;

const filterFields = {
  status: z.enum(ticketStatuses).optional(),
  priority: prioritySchema.optional(),
  type_id: idSchema.optional(),
  assignee_id: z
    .union([z.literal('none'), idSchema], 'must be the id of a member, or none')
    .optional()
    .describe('A member, or `none`.'),
  subscriber_id: subscriberIdSchema.optional(),
  number: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  overdue: queryBoolean.optional(),
  open: queryBoolean.optional().describe('`true`: all but closed ones; `false`: closed ones.'),
  q: z
    .string()
    .min(1)
    .check(characters(limits.ticketSearchLength))
    .optional()
    .describe(
      'Beginnings of words of the subject, the first message or the customer; or a number, such as #42.',
    ),
};
export const ticketFilterQuery = z.strictObject(filterFields);
export type TicketFilter = z.output<typeof ticketFilterQuery>;
export const ticketListQuery = z.strictObject({
  ...filterFields,
  sort: z
    .enum(ticketOrders)
    .default('created')
    .describe('Newest first by creation, or by the last message or change.'),
  ...pageQuery,
});
export const ticketParams = idParams;

export const ticketCountsSchema = z.strictObject({
  new: z.number().int(),
  in_progress: z.number().int(),
  waiting: z.number().int(),
  unassigned: z.number().int().describe('Open ones that nobody has.'),
  mine: z.number().int().describe('Open ones of the member who asks; 0 for an API key.'),
  overdue: z.number().int(),
});

export const agentSchema = z.strictObject({
  member_id: idSchema,
  first_name: z.string().meta({ examples: ['Anna'] }),
  you: z.boolean().describe('Whether it is the member who asks.'),
});
export type AgentView = z.output<typeof agentSchema>;

export const attachmentSchema = z
  .strictObject({
    attachment_id: idSchema,
    type: z.enum(attachmentTypes),
    name: z
      .string()
      .nullable()
      .meta({ examples: ['photo.jpg'] }),
    mime: z.string().nullable(),
    bytes: z.number().int().nullable(),
  })
  .meta({ id: 'Attachment' });
export type AttachmentView = z.output<typeof attachmentSchema>;

export const ticketMessageSchema = z
  .strictObject({
    message_id: idSchema,
    from: z.enum(['customer', 'agent', 'system']),
    internal: z.boolean().describe('A note that the customer does not see.'),
    text: z.string().meta({ examples: ['Where is my order?'] }),
    attachments: z.array(attachmentSchema),
    change: z
      .strictObject({
        field: z.enum(['status', 'assignee_id']),
        before: z
          .string()
          .nullable()
          .meta({ examples: ['open'] }),
        after: z
          .string()
          .nullable()
          .meta({ examples: ['closed'] }),
      })
      .nullable()
      .describe('Of `system`: what was changed. An assignee is the id of a member.'),
    member_id: idSchema.nullable(),
    delivery: z
      .strictObject({
        status: z.enum(messageStatuses),
        reason: z
          .enum(sendReasons)
          .nullable()
          .meta({ examples: [null] }),
      })
      .nullable()
      .describe('Of a reply: whether the messenger has taken it.'),
    created_at: timestampSchema,
  })
  .meta({ id: 'TicketMessage' });
export type TicketMessageView = z.output<typeof ticketMessageSchema>;

export const newTicketMessageSchema = z
  .strictObject({
    content: contentSchema,
    internal: z.boolean().default(false),
    from: z
      .enum(['agent', 'customer'])
      .default('agent')
      .describe('`customer`: what a customer without a subscriber has written.'),
    status: givenStatusSchema.optional().describe('Default: a public reply sets `waiting`.'),
  })
  .refine((body) => !(body.internal && body.from === 'customer'), {
    path: ['internal'],
    error: 'a customer writes no internal notes',
  })
  .meta({ examples: [{ content: { text: 'It arrives tomorrow.' } }] });
export type NewTicketMessage = z.output<typeof newTicketMessageSchema>;
export const ticketMessagesQuery = z.strictObject({
  since: givenTimeSchema.optional().describe('Only messages created at this time or later.'),
  ...pageQuery,
});
export const attachmentParams = z.strictObject({ id: idSchema, attachment_id: idSchema });
