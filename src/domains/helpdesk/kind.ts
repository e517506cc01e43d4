import { rowKind, type Kind } from '../../base/agenda';
import type { Core } from '../../base/core';
import { workflowIds } from '../../base/temporal/names';
import { findTicketStart, TICKET } from './queries/timers';

/** Due after every message and change of a ticket, and at the times of its timers. */
export function ticketKind(core: Pick<Core, 'pool' | 'client' | 'queues'>): Kind {
  return rowKind(core, {
    name: TICKET,
    taskQueue: core.queues.campaigns,
    workflowId: workflowIds.ticket,
    find: (id) => findTicketStart(core.pool, id),
  });
}
