import { pageOf } from '../contract/common';
import { decodeCursor, toPage } from '../contract/cursor';
import { AppError } from '../contract/errors';
import { formatSubscriberId, type SubscriberIdFormat } from '../contract/ids';
import type { Core } from '../core';
import { routesOf } from '../http/route';
import { isoTime, isoTimeOrNull } from '../lib/iso-time';
import { findSubscriber, requireSubscriber, type SubscriberRecord } from '../subscribers';
import {
  messageListQuery,
  messageParams,
  messageRecordSchema,
  messageSchema,
  messageStatsQuery,
  messageStatsSchema,
  type MessageContent,
  type MessageRecord,
} from './contract';
import { countMessages, findLoggedMessage, listMessages, type LoggedMessage } from './log';
import { contentFor, viewStored } from './stored-content';

const route = routesOf('Messages');

export function createMessageLogRoutes({ pool, config }: Pick<Core, 'pool' | 'config'>) {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/messages',
        summary: 'List messages to a subscriber',
        description: 'Single messages, one-time codes and messages of broadcasts and batches, newest first.',
        query: messageListQuery,
        response: pageOf(messageRecordSchema),
        errors: ['subscriber_not_found'],
      },
      async ({ project, query }) => {
        const subscriber = await requireSubscriber(pool, project.id, query.subscriber_id);
        const { id } = subscriber;
        const before = decodeCursor(query.cursor);
        const found = await listMessages(pool, project.id, { subscriberId: id, before, limit: query.limit });
        const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
        return toPage(found, query.limit, (message) =>
          presentMessage(message, contentOf(message, subscriber, project.name, format)?.text ?? null),
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
      ({ project, query }) => countMessages(pool, project.id, Number(query.hours)),
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
        const found = await findLoggedMessage(pool, project.id, params.delivery_id);
        if (!found) throw new AppError('not_found');
        const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
        const subscriber = await findSubscriber(pool, project.id, found.subscriber_id);
        const content = subscriber && contentOf(found, subscriber, project.name, format);
        return {
          ...presentMessage(found, content?.text ?? null),
          subscriber_id: formatSubscriberId(found.subscriber_id, format),
          content: content && viewStored(content),
        };
      },
    ),
  ];
}

/** A broadcast's template for a recipient who has not been sent to is shown as it would be rendered now. */
function contentOf(
  { id, content }: LoggedMessage,
  subscriber: SubscriberRecord,
  project: string,
  format: SubscriberIdFormat,
): MessageContent | null {
  return content && contentFor(content, { project, format, id })(subscriber);
}

function presentMessage(message: LoggedMessage, text: string | null): MessageRecord {
  return {
    delivery_id: message.id,
    kind: message.kind,
    channel: message.channel,
    status: message.status,
    reason: message.reason,
    text,
    created_at: isoTime(message.created_at),
    ended_at: isoTimeOrNull(message.ended_at),
    clicked_at: message.clicked_at.map((at) => isoTime(at)),
  };
}
