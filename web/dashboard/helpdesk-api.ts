import type { z } from 'zod';
import type {
  AgentView as Agent,
  AttachmentView as Attachment,
  bulkResultSchema,
  helpdeskLinksSchema,
  HelpdeskSettings,
  newTicketMessageSchema,
  newTicketTypeSchema,
  ticketChangesSchema,
  ticketCountsSchema,
  TicketMessageView as TicketMessage,
  TicketTypeView as TicketType,
  TicketView as Ticket,
} from '../../src/domains/helpdesk/contract';
import { call, query, type Page, type Template } from './api';

export type { Agent, Attachment, HelpdeskSettings, Ticket, TicketMessage, TicketType };
export type TicketChanges = z.input<typeof ticketChangesSchema>;
export type TicketCounts = z.infer<typeof ticketCountsSchema>;
export type NewTicketMessage = z.input<typeof newTicketMessageSchema>;
export type NewTicketType = z.input<typeof newTicketTypeSchema>;
export type TicketFilter = Partial<
  Record<
    'status' | 'priority' | 'type_id' | 'assignee_id' | 'subscriber_id' | 'overdue' | 'open' | 'q',
    string
  >
>;

const get = <T>(path: string) => call<T>('GET', path);
const BASE = '/v1/helpdesk';

/** The calls of the inbox and of its settings. */
export const helpdesk = {
  settings: () => get<HelpdeskSettings>(BASE),
  changeSettings: (changes: Partial<HelpdeskSettings>) => call<HelpdeskSettings>('PATCH', BASE, changes),
  links: () => get<z.infer<typeof helpdeskLinksSchema>>(`${BASE}/link`),
  agents: () => get<Page<Agent>>(`${BASE}/agents?limit=100`),
  types: () => get<Page<TicketType>>(`${BASE}/types`),
  createType: (type: NewTicketType) => call<TicketType>('POST', `${BASE}/types`, type),
  changeType: (id: string, type: NewTicketType) => call<TicketType>('PATCH', `${BASE}/types/${id}`, type),
  removeType: (id: string) => call<void>('DELETE', `${BASE}/types/${id}`),
  counts: () => get<TicketCounts>(`${BASE}/counts`),
  tickets: (filter: TicketFilter & { sort?: 'updated'; cursor: string | null; limit: number }) =>
    get<Page<Ticket>>(`${BASE}/tickets${query(filter)}`),
  ticket: (id: string) => get<Ticket>(`${BASE}/tickets/${id}`),
  changeTicket: (id: string, changes: TicketChanges) =>
    call<Ticket>('PATCH', `${BASE}/tickets/${id}`, changes),
  changeTickets: (ids: string[], set: TicketChanges) =>
    call<z.infer<typeof bulkResultSchema>>('POST', `${BASE}/tickets/bulk`, { ids, set }),
  messages: (id: string, cursor: string | null) =>
    get<Page<TicketMessage>>(`${BASE}/tickets/${id}/messages${query({ cursor, limit: 50 })}`),
  write: (id: string, message: NewTicketMessage, key: string) =>
    call<TicketMessage>('POST', `${BASE}/tickets/${id}/messages`, message, key),
  attachmentPath: (id: string, attachment: string) => `${BASE}/tickets/${id}/attachments/${attachment}`,
  cannedReplies: () => get<Page<Template>>('/v1/templates?purpose=reply&limit=100'),
};
