import { pageOf } from '../contract/common';
import { decodeCursor, toPage } from '../contract/cursor';
import type { Core } from '../core';
import { route } from '../http/route';
import { isoTime, isoTimeOrNull } from '../lib/iso-time';
import type { SubscriberIdFormat } from '../contract/ids';
import { requireSubscriber, type SubscriberRecord } from '../subscribers';
import {
  messageListQuery,
  messageRecordSchema,
  messageStatsQuery,
  messageStatsSchema,
  type MessageRecord,
} from './contract';
import { contentFor } from './stored-content';
import { countMessages, listMessages, type MessageLogRow } from './queries/log';

const tag = 'Messages';

export function createMessageLogRoutes({ pool, config }: Pick<Core, 'pool' | 'config'>) {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/messages',
        summary: 'List messages to a subscriber',
        description: 'Single messages, one-time codes and messages of broadcasts and batches, newest first.',
        tag,
        auth: 'key',
        query: messageListQuery,
        status: 200,
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
          presentMessage(message, textOf(message, subscriber, project.name, format)),
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
        tag,
        auth: 'key',
        query: messageStatsQuery,
        status: 200,
        response: messageStatsSchema,
        errors: [],
      },
      ({ project, query }) => countMessages(pool, project.id, Number(query.hours)),
    ),
  ];
}

/** A template of a broadcast is shown as it would be rendered now. */
function textOf(
  { id, content }: MessageLogRow,
  subscriber: SubscriberRecord,
  project: string,
  format: SubscriberIdFormat,
): string | null {
  return content && (contentFor(content, { project, format, id })(subscriber).text ?? null);
}

function presentMessage(message: MessageLogRow, text: string | null): MessageRecord {
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
