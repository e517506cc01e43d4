import type { ticket } from '../../workflows/ticket';
import { workflowKind, type Kind } from '../base/agenda';
import type { Core } from '../core';
import { searchAttributes, workflowIds } from '../temporal/names';
import { findTicketStart, TICKET } from './queries/timers';

/** The only code that starts the workflows of tickets, and wakes them: after every message and change, and where one is gone. */
export function ticketKind({ pool, client, queues }: Pick<Core, 'pool' | 'client' | 'queues'>): Kind {
  return workflowKind<typeof ticket>(
    { client },
    {
      name: TICKET,
      workflow: 'ticket',
      taskQueue: queues.campaigns,
      workflowId: workflowIds.ticket,
      async startOf(id) {
        const found = await findTicketStart(pool, id);
        return (
          found && {
            args: [{ ticketId: id }],
            summary: `ticket of ${found.slug}`,
            attributes: [{ key: searchAttributes.State, value: found.status }],
          }
        );
      },
    },
  );
}
