import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { orNotFound } from '../../base/contract/errors';
import { formatSubscriberId } from '../../base/contract/ids';
import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { findSubscriber, findSubscribers, requireSubscriber, type SubscriberRecord } from '../subscribers';
import {
  messageListQuery,
  messageParams,
  messageRecordSchema,
  messageSchema,
  messageSources,
  messageStatsQuery,
  messageStatsSchema,
  messageStatuses,
  type MessageContent,
  type MessageRecord,
} from './contract';
import { countMessages, findLoggedMessage, listMessages, type LoggedMessage } from './log';
import { contentFor, viewStored } from './stored-content';

const route = routesOf('Messages');

export function createMessageLogRoutes({ pool, config }: Pick<Core, 'pool' | 'config'>) {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;

  /** A broadcast's template for a recipient who has not been sent to is shown as it would be rendered now. */
  function present(
    message: LoggedMessage,
    subscriber: SubscriberRecord | null,
    projectName: string,
  ): { record: MessageRecord; content: MessageContent | null } {
    const { id, content: stored } = message;
    const context = { project: projectName, format, id };
    const content = subscriber && stored && contentFor(stored, context)(subscriber);
    const record = {
      delivery_id: id,
      subscriber_id: subscriber && formatSubscriberId(subscriber.id, format),
      source: message.source,
      source_id: message.source_id,
      channel: message.channel,
      status: message.status,
      reason: message.reason,
      text: content?.text ?? null,
      created_at: isoTime(message.created_at),
      ended_at: isoTimeOrNull(message.ended_at),
      clicks: message.clicks.map((at) => ({ clicked_at: isoTime(at) })),
    };
    return { record, content };
  }

  return [
    route(
      {
        method: 'GET',
        path: '/v1/messages',
        summary: 'List messages',
        description:
          'Single messages, one-time codes and messages of batches, broadcasts and chains, newest first: of the project, or those that match the filters.',
        query: messageListQuery,
        response: pageOf(messageRecordSchema),
        errors: ['subscriber_not_found'],
      },
      async ({ project, query }) => {
        const { source, source_id, subscriber_id, status, since, limit } = query;
        const subscriber =
          subscriber_id === undefined ? null : await requireSubscriber(pool, project.id, subscriber_id);
        const found = await listMessages(pool, project.id, {
          sources: source === undefined ? messageSources : [source],
          statuses: status === undefined ? messageStatuses : [status],
          sourceId: source_id ?? null,
          subscriberId: subscriber?.id ?? null,
          since: since ?? null,
          before: decodeCursor(query.cursor),
          limit,
        });
        const ids = [...new Set(found.map((message) => message.subscriber_id))];
        const recipients = subscriber ? [subscriber] : await findSubscribers(pool, project.id, ids);
        const byId = new Map(recipients.map((recipient) => [recipient.id, recipient]));
        return toPage(
          found,
          limit,
          (message) => present(message, byId.get(message.subscriber_id) ?? null, project.name).record,
        );
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/messages/stats',
        summary: 'Count messages',
        description:
          'Single messages and one-time codes of the last hours, and all messages of the broadcasts created in them.',
        query: messageStatsQuery,
        response: messageStatsSchema,
      },
      ({ project, query }) => countMessages(pool, project.id, query.hours),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/messages/{delivery_id}',
        summary: 'Get a message',
        description: 'The message as it was sent, its status and the reason of a failure.',
        params: messageParams,
        response: messageSchema,
      },
      async ({ project, params }) => {
        const found = orNotFound(await findLoggedMessage(pool, project.id, params.delivery_id));
        const subscriber = await findSubscriber(pool, project.id, found.subscriber_id);
        const { record, content } = present(found, subscriber, project.name);
        return { ...record, content: content && viewStored(content) };
      },
    ),
  ];
}
