import type { Agent, Ticket, TicketType } from '../helpdesk-api';
import type { Tone } from '../elements';
import type { KnownSubscribers } from '../people';
import { language, locale, t } from '../texts';
import { words } from './texts';

/** Who answers, and what requests are about. */
export interface Desk {
  agents: Agent[];
  types: TicketType[];
}

export const ownId = ({ agents }: Desk): string | null => agents.find(({ you }) => you)?.member_id ?? null;

export function agentName({ agents }: Desk, id: string): string {
  return agents.find(({ member_id }) => member_id === id)?.first_name ?? words().formerMember;
}

export function agentOptions({ agents }: Desk): { value: string; text: string }[] {
  return agents.map(({ member_id, first_name, you }) => ({
    value: member_id,
    text: you ? words().me(first_name) : first_name,
  }));
}

/** Of the subscriber, or as a customer without one was named. */
export function customerName(ticket: Ticket, people: KnownSubscribers): string {
  const w = words();
  if (ticket.customer) return ticket.customer.name ?? ticket.customer.contact ?? w.unknownCustomer;
  if (ticket.subscriber_id === null) return w.removedCustomer;
  const known = people.found.get(ticket.subscriber_id);
  return known?.first_name ?? (people.state === 'read' ? w.removedCustomer : '…');
}

export const typeName = (type: Pick<TicketType, 'name_en' | 'name_ru'>) =>
  language === 'ru' ? type.name_ru : type.name_en;

export function typeOptions({ types }: Desk): { value: string; text: string }[] {
  return types.map((type) => ({ value: type.type_id, text: typeName(type) }));
}

export const priorities = ['urgent', 'high', 'normal', 'low'] as const;

export function priorityOptions(): { value: string; text: string }[] {
  return priorities.map((value) => ({ value, text: words().priorities[value] }));
}

const tones: Record<Ticket['status'], Tone> = {
  new: 'busy',
  in_progress: 'warn',
  waiting: 'neutral',
  closed: 'good',
};

export const ticketState = (status: Ticket['status']) => ({
  tone: tones[status],
  text: t.ticketStates[status],
});

/** The statuses that a ticket can be given. */
export const givenStatuses = ['in_progress', 'waiting', 'closed'] as const;
export type GivenStatus = (typeof givenStatuses)[number];

/** The time of today, else the day: as short as a list needs it. */
export function shortTime(at: string): string {
  const date = new Date(at);
  const now = new Date();
  if (date.toDateString() === now.toDateString()) {
    return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(date);
  }
  const year = date.getFullYear() === now.getFullYear() ? {} : ({ year: '2-digit' } as const);
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', ...year }).format(date);
}

/** The address of a ticket, with the list that it was opened from. */
export function ticketPath(id: string): string {
  return `/dashboard/inbox/${id}${location.search}`;
}
