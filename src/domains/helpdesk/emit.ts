import type { SubscriberIdFormat } from '../../base/contract/ids';
import type { Db } from '../../base/db/pool';
import { emitEvent } from '../events';
import type { EventData } from '../events/contract';
import { isoTime } from '../../base/lib/iso-time';
import { queueTicketNotices } from '../projects';
import type { AttachmentView, TicketActor, TicketStatus } from './contract';
import { whoOf } from './ticket';
import type { TicketRow } from './queries/tickets';

type TicketEvent =
  | 'ticket.created'
  | 'ticket.replied'
  | 'ticket.status_changed'
  | 'ticket.assigned'
  | 'ticket.closed'
  | 'ticket.csat_received'
  | 'ticket.unanswered_24h';

function fieldsOf(ticket: TicketRow, format: SubscriberIdFormat) {
  return {
    ticket_id: ticket.id,
    number: ticket.number,
    subject: ticket.subject,
    status: ticket.status,
    priority: ticket.priority,
    type_id: ticket.type_id,
    ...whoOf(ticket, format),
    assignee_id: ticket.assignee_id,
  };
}

/** Emits events about tickets, in the transaction of what they tell. */
export function ticketEvents(db: Db, format: SubscriberIdFormat) {
  async function emit<N extends TicketEvent>(
    name: N,
    ticket: TicketRow,
    more: Omit<EventData<N>, keyof ReturnType<typeof fieldsOf> | 'occurred_at'>,
    notices?: { assigneeId: string | null; topic?: string },
  ): Promise<void> {
    const data = { ...fieldsOf(ticket, format), ...more, occurred_at: isoTime(ticket.now) };
    const { id } = await emitEvent(db, ticket.project_id, name, data as unknown as EventData<N>);
    if (notices) await queueTicketNotices(db, ticket.project_id, id, notices);
  }

  const seconds = (ticket: TicketRow, until: Date | null) =>
    until && Math.max(0, Math.round((until.getTime() - ticket.created_at.getTime()) / 1000));

  return {
    /** In the event it is new and has no assignee yet; the event after it names the first one. */
    created: (ticket: TicketRow, text: string, assigneeId: string | null) =>
      emit('ticket.created', ticket, { text, source: ticket.source }, { assigneeId }),

    replied: (
      ticket: TicketRow,
      message: {
        id: string;
        from: 'customer' | 'agent';
        memberId: string | null;
        text: string;
        attachments: AttachmentView[];
      },
    ) =>
      emit(
        'ticket.replied',
        ticket,
        {
          message_id: message.id,
          from: message.from,
          member_id: message.memberId,
          text: message.text,
          attachments: message.attachments,
        },
        message.from === 'customer' ? { assigneeId: ticket.assignee_id, topic: ticket.id } : undefined,
      ),

    async statusChanged(ticket: TicketRow, previous: TicketStatus, by: TicketActor): Promise<void> {
      await emit('ticket.status_changed', ticket, { previous, by });
      if (ticket.status !== 'closed') return;
      await emit('ticket.closed', ticket, {
        by,
        first_reply_seconds: seconds(ticket, ticket.first_reply_at),
        resolution_seconds: seconds(ticket, ticket.closed_at),
      });
    },

    assigned: (ticket: TicketRow, previous: string | null) =>
      emit('ticket.assigned', ticket, { previous_assignee_id: previous }),

    rated: (ticket: TicketRow, score: number) => emit('ticket.csat_received', ticket, { score }),

    unanswered: (ticket: TicketRow, since: Date) =>
      emit(
        'ticket.unanswered_24h',
        ticket,
        { waiting_since: isoTime(since) },
        { assigneeId: ticket.assignee_id },
      ),
  };
}
