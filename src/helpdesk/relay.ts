import type { ticket } from '../../workflows/ticket';
import type { Core } from '../core';
import { notifyChannels } from '../db/notify';
import { workflowIds } from '../temporal/names';
import type { Relay } from '../temporal/relay';
import { startWakeUpRelay } from '../temporal/wake-up-relay';
import { claimTicketWakeUps, markTicketWoken, type DueTicket } from './queries/timers';

type TicketRelayDeps = Pick<Core, 'pool' | 'log' | 'notifications' | 'client' | 'queues'>;

/**
 * The only code that starts the workflows of tickets, and wakes them: after every message and change, and again two minutes
 * after something was due, in case the workflow is gone.
 */
export function startTicketRelay({ pool, queues, ...deps }: TicketRelayDeps): Relay {
  return startWakeUpRelay<DueTicket, typeof ticket>({
    ...deps,
    name: 'tickets',
    channel: notifyChannels.tickets,
    workflow: 'ticket',
    taskQueue: queues.campaigns,
    workflowId: workflowIds.ticket,
    args: ({ id }) => [{ ticketId: id }],
    summary: ({ slug }) => `ticket of ${slug}`,
    claim: (limit) => claimTicketWakeUps(pool, limit),
    mark: (due) => markTicketWoken(pool, due),
  });
}
