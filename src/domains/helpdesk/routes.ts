import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { limits, MIB } from '../../base/contract/limits';
import { shortListQuery, shortPage } from '../../base/contract/short-list';
import type { Core } from '../../base/core';
import { inReadTurn } from '../../base/db/batches';
import { SHARE_WAIT_MS } from '../../base/db/project-share';
import { routesOf } from '../../base/http/route';
import type { DeliverDeps } from '../messages';
import { listMembers } from '../projects';
import { openAttachment } from './attachments';
import { authorOf } from './change';
import {
  agentSchema,
  attachmentParams,
  bulkResultSchema,
  bulkTicketsSchema,
  helpdeskChangesSchema,
  helpdeskLinksSchema,
  helpdeskSchema,
  newTicketMessageSchema,
  newTicketSchema,
  newTicketTypeSchema,
  ticketChangesSchema,
  ticketCountsSchema,
  ticketListQuery,
  ticketMessageSchema,
  ticketMessagesQuery,
  ticketParams,
  ticketSchema,
  ticketTypeChangesSchema,
  ticketTypeSchema,
  typeParams,
} from './contract';
import { listTicketMessages } from './queries/messages';
import { findSettings, listTypes } from './queries/settings';
import { countTickets } from './queries/tickets';
import { requireTicket, writeMessage } from './reply';
import { changeSettings, createType, patchType, presentType, removeType, supportLinks } from './settings';
import { presentTicket, presentTicketMessage } from './ticket';
import { createByApi, patchTicket, patchTickets, searchTickets } from './tickets';

const route = routesOf('Helpdesk');

type HelpdeskDeps = DeliverDeps & Pick<Core, 'messengers'>;

export function createHelpdeskRoutes(deps: HelpdeskDeps) {
  return [...settingRoutes(deps), ...ticketRoutes(deps), ...messageRoutes(deps)];
}

function settingRoutes(deps: HelpdeskDeps) {
  const { pool } = deps;
  return [
    route(
      {
        method: 'GET',
        path: '/v1/helpdesk',
        summary: 'Get the helpdesk settings',
        response: helpdeskSchema,
      },
      ({ project }) => findSettings(pool, project.id),
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/helpdesk',
        summary: 'Change the helpdesk settings',
        description:
          'Due times are those of the settings when a ticket is created. While the helpdesk is enabled, `ticket.*` cannot be published.',
        body: helpdeskChangesSchema,
        response: helpdeskSchema,
      },
      ({ project, body }) => changeSettings(pool, project, body),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/helpdesk/link',
        summary: 'Get the support links',
        description: 'They open the bot, which subscribes the customer and asks what it is about.',
        response: helpdeskLinksSchema,
      },
      ({ project }) => Promise.resolve(supportLinks(deps, project)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/helpdesk/agents',
        summary: 'List agents',
        description: 'The members of the team, by name: those whom tickets can be assigned to.',
        query: shortListQuery,
        response: pageOf(agentSchema),
      },
      async ({ project, query }) =>
        shortPage(
          await listMembers(pool, project.id),
          query,
          ({ id }) => id,
          ({ id, first_name }) => ({ member_id: id, first_name, you: id === project.member_id }),
        ),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/helpdesk/types',
        summary: 'List ticket types',
        query: shortListQuery,
        response: pageOf(ticketTypeSchema),
      },
      async ({ project, query }) =>
        shortPage(await listTypes(pool, project.id), query, ({ id }) => id, presentType),
    ),

    route(
      {
        method: 'POST',
        path: '/v1/helpdesk/types',
        summary: 'Create a ticket type',
        description: `A button of the bot. It sets the priority and the assignee of its tickets. At most ${limits.ticketTypes}.`,
        idempotent: {},
        body: newTicketTypeSchema,
        status: 201,
        response: ticketTypeSchema,
        errors: ['conflict', 'not_found'],
      },
      async ({ project, body, work }) => presentType(await createType(pool, project.id, body, work)),
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/helpdesk/types/{id}',
        summary: 'Change a ticket type',
        params: typeParams,
        body: ticketTypeChangesSchema,
        response: ticketTypeSchema,
      },
      async ({ project, params, body }) => presentType(await patchType(pool, project.id, params.id, body)),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/helpdesk/types/{id}',
        summary: 'Delete a ticket type',
        description: 'Its tickets stay, without a type.',
        params: typeParams,
        status: 204,
      },
      ({ project, params }) => removeType(pool, project.id, params.id),
    ),
  ];
}

function ticketRoutes(deps: HelpdeskDeps) {
  const { pool, config } = deps;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  return [
    route(
      {
        method: 'POST',
        path: '/v1/helpdesk/tickets',
        summary: 'Create a ticket',
        description:
          'What a customer has written elsewhere: of a subscriber, or of a customer without one, who is not reached through the bot.',
        scope: 'helpdesk',
        idempotent: {},
        body: newTicketSchema,
        status: 201,
        response: ticketSchema,
        errors: [
          'conflict',
          'not_found',
          'subscriber_not_found',
          'mutually_exclusive_identifiers',
          'invalid_external_id',
        ],
      },
      async ({ project, body, work }) => presentTicket(await createByApi(deps, project, body, work), format),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/helpdesk/tickets',
        summary: 'List tickets',
        query: ticketListQuery,
        response: pageOf(ticketSchema),
        errors: ['subscriber_not_found'],
      },
      async ({ project, query: { cursor, limit, sort, ...filter } }) => {
        const page = { before: decodeCursor(cursor), limit, sort };
        const read = () => searchTickets(pool, project.id, filter, page);
        // A frequent word is in as many tickets as the project has.
        const found = await (filter.q === undefined
          ? read()
          : inReadTurn(project.id, read, { waitMs: SHARE_WAIT_MS }));
        return toPage(found, limit, (ticket) => presentTicket(ticket, format));
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/helpdesk/counts',
        summary: 'Count open tickets',
        response: ticketCountsSchema,
      },
      ({ project }) => countTickets(pool, project.id, project.member_id),
    ),

    route(
      {
        method: 'POST',
        path: '/v1/helpdesk/tickets/bulk',
        summary: 'Change several tickets',
        scope: 'helpdesk',
        idempotent: {},
        body: bulkTicketsSchema,
        response: bulkResultSchema,
        errors: ['not_found'],
      },
      ({ project, body }) => patchTickets(deps, project, body),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/helpdesk/tickets/{id}',
        summary: 'Get a ticket',
        params: ticketParams,
        response: ticketSchema,
      },
      async ({ project, params }) => presentTicket(await requireTicket(pool, project.id, params.id), format),
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/helpdesk/tickets/{id}',
        summary: 'Change a ticket',
        description:
          'Assigning a new ticket takes it up (`in_progress`). A type sets priority and assignee, unless they are given.',
        scope: 'helpdesk',
        params: ticketParams,
        body: ticketChangesSchema,
        response: ticketSchema,
      },
      async ({ project, params, body }) =>
        presentTicket(await patchTicket(deps, project.id, params.id, body, authorOf(project)), format),
    ),
  ];
}

function messageRoutes(deps: HelpdeskDeps) {
  const { pool } = deps;
  return [
    route(
      {
        method: 'GET',
        path: '/v1/helpdesk/tickets/{id}/messages',
        summary: 'List the messages of a ticket',
        description: 'Messages of both sides, internal notes and changes, newest first.',
        params: ticketParams,
        query: ticketMessagesQuery,
        response: pageOf(ticketMessageSchema),
      },
      async ({ project, params, query: { since, cursor, limit } }) => {
        const { id } = await requireTicket(pool, project.id, params.id);
        const filter = { since: since ?? null, before: decodeCursor(cursor), limit };
        return toPage(await listTicketMessages(pool, id, filter), limit, presentTicketMessage);
      },
    ),

    route(
      {
        method: 'POST',
        path: '/v1/helpdesk/tickets/{id}/messages',
        summary: 'Reply to a ticket',
        description: `A public message is sent to the customer, also after /stop, with the project and the ticket’s number above it, and sets \`waiting\`. What the messenger refuses is in \`delivery\`. Canned replies are templates of purpose \`reply\`. A message waits for its turn for up to ${limits.sendWaitSeconds} seconds.`,
        scope: 'helpdesk',
        idempotent: {},
        params: ticketParams,
        body: newTicketMessageSchema,
        status: 201,
        response: ticketMessageSchema,
        errors: ['conflict', 'not_found', 'template_variable_missing', 'invalid_url', 'billing_blocked'],
      },
      async ({ project, params, body, work }) =>
        presentTicketMessage(await writeMessage(deps, project, params.id, body, work)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/helpdesk/tickets/{id}/attachments/{attachment_id}',
        summary: 'Download an attachment',
        description: `Streamed from the messenger, which keeps the file; up to ${limits.ticketAttachmentBytes / MIB} MB. Always to be saved, never shown in the browser.`,
        params: attachmentParams,
        response: ['application/octet-stream'],
        example: () => 'The bytes of the file',
        errors: ['platform_busy'],
      },
      ({ project, params, access }) =>
        openAttachment(deps, project.id, params.id, params.attachment_id, access()),
    ),
  ];
}
