import type { Command } from 'commander';
import type pg from 'pg';
import { bySystem } from '../../domains/helpdesk';
import { ticketStatuses, type TicketStatus } from '../../domains/helpdesk/contract';
import { listTicketMessages } from '../../domains/helpdesk/queries/messages';
import {
  findTicket,
  findTicketOwner,
  listTickets,
  type TicketRow,
} from '../../domains/helpdesk/queries/tickets';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { audited, byCli } from '../../domains/projects';
import { workflowIds } from '../../base/temporal/names';
import { count, oneOf, uuid } from './arguments';
import { findInstallation, UsageError, withDatabase } from './context';
import { facts, print, table } from './output';
import { requireProject } from './projects';

const SHOWN_MESSAGES = 50;

/** Without what was written: a terminal's history is read by others. */
function present(ticket: TicketRow) {
  const { id, number, status, priority, source, assignee_id, overdue } = ticket;
  return {
    ticket_id: id,
    number,
    status,
    priority,
    source,
    assignee_id,
    overdue,
    waiting_since: isoTimeOrNull(ticket.waiting_since),
    created_at: isoTime(ticket.created_at),
    closed_at: isoTimeOrNull(ticket.closed_at),
    workflow_id: workflowIds.ticket(id),
  };
}

async function requireAnyTicket(pool: pg.Pool, id: string): Promise<TicketRow> {
  const owner = await findTicketOwner(pool, id);
  const ticket = owner && (await findTicket(pool, owner.project_id, id));
  if (!ticket) throw new UsageError(`Ticket "${id}" not found.`);
  return ticket;
}

async function list(
  slug: string,
  { status, limit, json }: { status?: TicketStatus; limit: number; json?: boolean },
): Promise<void> {
  const found = await withDatabase(async (pool) =>
    listTickets(pool, (await requireProject(pool, slug)).id, { status, before: null, limit }),
  );
  const shown = found.slice(0, limit).map(present);
  print(shown, json, () =>
    shown.length === 0
      ? 'No tickets match.'
      : table(
          ['ticket', 'number', 'status', 'priority', 'waiting since', 'overdue', 'created'],
          shown.map((each) => [
            each.ticket_id,
            `#${each.number}`,
            each.status,
            each.priority,
            each.waiting_since,
            each.overdue ? 'yes' : '',
            each.created_at,
          ]),
        ),
  );
}

async function show(id: string, { json }: { json?: boolean }): Promise<void> {
  const shown = await withDatabase(async (pool) => {
    const ticket = await requireAnyTicket(pool, id);
    const page = { since: null, before: null, limit: SHOWN_MESSAGES };
    const messages = (await listTicketMessages(pool, id, page)).slice(0, SHOWN_MESSAGES).reverse();
    return {
      ...present(ticket),
      messages: messages.map((message) => ({
        message_id: message.id,
        from: message.sender,
        internal: message.internal,
        attachment_count: message.attachments.length,
        delivery_status: message.delivery?.status ?? null,
        created_at: isoTime(message.created_at),
      })),
    };
  });
  print(shown, json, () => {
    const { messages, ...fields } = shown;
    const rows = messages.map((each) => [
      each.created_at,
      each.from,
      each.internal ? 'internal' : '',
      each.delivery_status,
    ]);
    return `${facts(Object.entries(fields))}\n\n${table(['at', 'from', '', 'delivery'], rows)}`;
  });
}

async function close(id: string, { json }: { json?: boolean }): Promise<void> {
  // Loaded here, so that the other commands start fast.
  const { patchTicket } = await import('../../domains/helpdesk/tickets.js');
  const installation = await findInstallation();
  const config = installation.settings;
  const closed = await withDatabase(async (pool) => {
    const { project_id } = await requireAnyTicket(pool, id);
    await audited(pool, byCli(project_id, 'helpdesk_ticket.updated', id), () =>
      patchTicket({ pool, config }, project_id, id, { status: 'closed' }, bySystem),
    );
    return present(await requireAnyTicket(pool, id));
  }, installation);
  print(closed, json, () => `Ticket #${closed.number} is closed.`);
}

export function addTicketCommands(program: Command): void {
  const ticket = program.command('ticket').description('tickets of a project, without their texts');
  ticket
    .command('list')
    .description('list tickets, newest first')
    .argument('<slug>', 'slug of the project')
    .option('--status <status>', ticketStatuses.join(', '), oneOf(ticketStatuses))
    .option('--limit <n>', 'maximum number of rows', count(1000), 50)
    .option('--json', 'print JSON')
    .action(list);
  ticket
    .command('show')
    .description('show a ticket with its timeline')
    .argument('<id>', 'id of the ticket', uuid)
    .option('--json', 'print JSON')
    .action(show);
  ticket
    .command('close')
    .description('close a ticket')
    .argument('<id>', 'id of the ticket', uuid)
    .option('--json', 'print JSON')
    .action(close);
}
