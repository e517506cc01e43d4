import { z } from 'zod';
import { pageOf } from '../../../base/contract/common';
import { decodeCursor, toPage } from '../../../base/contract/cursor';
import { formatSubscriberId, type SubscriberIdFormat } from '../../../base/contract/ids';
import { limits } from '../../../base/contract/limits';
import type { AdmitEvents } from '../../events';
import { route } from '../../../base/http/route';
import { isoTime } from '../../../base/lib/iso-time';
import { filteredSubscriberId } from '..';
import {
  trackedEventSchema,
  trackedListQuery,
  trackResultSchema,
  trackSchema,
  type TrackedEventView,
} from './contract';
import { listTracked, type TrackedRow } from './queries';
import { trackEvents, type TrackDeps } from './track';

const tag = 'Tracked events';

export function createTrackedEventRoutes(deps: TrackDeps & { admit: AdmitEvents }) {
  const { pool, config, admit } = deps;
  return [
    route(
      {
        method: 'POST',
        path: '/v1/events',
        summary: 'Track events',
        description: `What your users did, up to ${limits.trackedEvents} events in one commit, for at most ${limits.trackedPeople.toLocaleString('en')} subscribers together. Each one is sent to webhooks as event.tracked, once for each subscriber that it names. A subscriber who is not known is a result and does not refuse the others.`,
        tag,
        scope: 'send',
        idempotent: {},
        body: trackSchema,
        status: 202,
        response: z.strictObject({
          data: z.array(trackResultSchema).describe('In the order of the request.'),
        }),
        errors: [
          'mutually_exclusive_identifiers',
          'invalid_external_id',
          'rate_limit_events',
          'rate_limit_queue',
        ],
      },
      async ({ project, body, work }) => {
        await admit(project, body.events.length, work);
        return { data: await trackEvents(deps, project.id, body, work) };
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/events',
        summary: 'List tracked events',
        description:
          'One entry for each subscriber of an event, in the order in which they were received, newest first.',
        tag,
        query: trackedListQuery,
        response: pageOf(trackedEventSchema),
        errors: ['subscriber_not_found'],
      },
      async ({ project, query: { cursor, limit, subscriber_id, name, since } }) => {
        const subscriberId = await filteredSubscriberId(pool, project.id, subscriber_id);
        const before = decodeCursor(cursor);
        const filter = { subscriberId, name: name ?? null, since: since ?? null, before, limit };
        const found = await listTracked(pool, project.id, filter);
        return toPage(found, limit, (row) => present(row, config.HERALD_SUBSCRIBER_ID_FORMAT));
      },
    ),
  ];
}

function present(row: TrackedRow, format: SubscriberIdFormat): TrackedEventView {
  return {
    event_id: row.event_id,
    name: row.name,
    subscriber_id: formatSubscriberId(row.subscriber_id, format),
    channel: row.channel,
    external_id: row.external_id,
    properties: row.properties,
    occurred_at: isoTime(row.occurred_at),
    received_at: isoTime(row.received_at),
  };
}
