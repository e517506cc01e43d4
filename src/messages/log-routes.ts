import { pageOf } from '../contract/common';
import { decodeCursor, toPage } from '../contract/cursor';
import type { Core } from '../core';
import { route } from '../http/route';
import { isoTime, isoTimeOrNull } from '../lib/iso-time';
import { requireSubscriber } from '../subscribers';
import {
  messageListQuery,
  messageRecordSchema,
  messageStatsQuery,
  messageStatsSchema,
  type MessageRecord,
} from './contract';
import { countMessages, listMessages, type MessageLogRow } from './queries/log';

const tag = 'Messages';

export function createMessageLogRoutes({ pool }: Pick<Core, 'pool'>) {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/messages',
        summary: 'List messages to a subscriber',
        description: 'Single messages, one-time codes and messages of broadcasts, newest first.',
        tag,
        auth: 'key',
        query: messageListQuery,
        status: 200,
        response: pageOf(messageRecordSchema),
        errors: ['subscriber_not_found'],
      },
      async ({ project, query }) => {
        const { id } = await requireSubscriber(pool, project.id, query.subscriber_id);
        const before = decodeCursor(query.cursor);
        const found = await listMessages(pool, project.id, { subscriberId: id, before, limit: query.limit });
        return toPage(found, query.limit, presentMessage);
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

function presentMessage(message: MessageLogRow): MessageRecord {
  return {
    delivery_id: message.id,
    kind: message.kind,
    channel: message.channel,
    status: message.status,
    reason: message.reason,
    text: message.text,
    created_at: isoTime(message.created_at),
    ended_at: isoTimeOrNull(message.ended_at),
    clicked_at: message.clicked_at.map((at) => isoTime(at)),
  };
}
