import type { SubscriberIdFormat } from '../../base/contract/ids';
import { exportedRows, type ExportSource } from '../exports';
import { ticketFilterQuery, ticketSchema } from './contract';
import { presentTicket } from './ticket';
import { searchTickets } from './tickets';

export function ticketExport(format: SubscriberIdFormat): ExportSource<typeof ticketFilterQuery> {
  return {
    kind: 'tickets',
    summary: 'Export tickets',
    tag: 'Helpdesk',
    query: ticketFilterQuery,
    row: ticketSchema,
    errors: ['subscriber_not_found'],
    open: (_, projectId, filter) =>
      Promise.resolve(async (db, before, limit) =>
        exportedRows(await searchTickets(db, projectId, filter, { before, limit }), limit, (ticket) =>
          presentTicket(ticket, format),
        ),
      ),
  };
}
