import { limits } from '../../../base/contract/limits';
import type { Retention } from '../../../base/db/retention';

export const retention = (): Retention => ({
  tickets: { age: 'closed_at', after: `${limits.closedTicketDays} days` },
  ticket_messages: { with: 'tickets' },
  ticket_chats: { age: 'updated_at', after: '2 days' },
  ticket_kept_messages: { age: 'received_at', after: '2 days' },
  ticket_sweeps: {
    bounded:
      'A row ends a minute after the removal or the change that it belongs to, when no ticket is left.',
  },
  ticket_types: { bounded: `At most ${limits.ticketTypes} of each project.` },
  helpdesks: { bounded: 'One row for each project.' },
});
