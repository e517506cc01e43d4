import { pageOf } from '../../base/contract/common';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import type { Core } from '../../base/core';
import { routesOf, Streamed } from '../../base/http/route';
import { patchSubscriber, publicIdOf, requireSubscriber, tagSubscribers } from './changes';
import { heldData } from './held-data';
import { heldDataSchema } from './held-data-schema';
import {
  subscriberChangesSchema,
  subscriberListQuery,
  subscriberParams,
  subscriberSchema,
  taggedSchema,
  taggingSchema,
} from './contract';
import { listSubscribers } from './queries/records';
import { viewSubscriber, type SubscriberRecord } from './record';
import { removeSubscriber } from './remove';

const route = routesOf('Subscribers');

export function createSubscriberRoutes(core: Pick<Core, 'pool' | 'cipher' | 'config' | 'client' | 'log'>) {
  const { pool, config } = core;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const present = (subscriber: SubscriberRecord) => viewSubscriber(subscriber, format);

  return [
    route(
      {
        method: 'GET',
        path: '/v1/subscribers',
        summary: 'List subscribers',
        query: subscriberListQuery,
        response: pageOf(subscriberSchema),
        errors: ['invalid_external_id'],
      },
      async ({ project, query }) => {
        const { cursor, ids, ...filter } = query;
        const uuids = ids?.flatMap((id) => publicIdOf(id) ?? []);
        const before = decodeCursor(cursor);
        const found = await listSubscribers(pool, project.id, { ...filter, uuids, before });
        return toPage(found, query.limit, present);
      },
    ),

    route(
      {
        method: 'POST',
        path: '/v1/subscribers/tags',
        summary: 'Add and remove tags of several subscribers',
        description:
          'As updating each of them: an added tag can start drip chains. Ids that match no subscriber are listed; the others are changed together. A project can have up to 20 different tags; with more, none is changed.',
        idempotent: {},
        unnamedInAudit: true,
        body: taggingSchema,
        response: taggedSchema,
        errors: ['conflict'],
      },
      ({ project, body }) => tagSubscribers(pool, project.id, body),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/subscribers/{id}',
        summary: 'Get a subscriber',
        params: subscriberParams,
        response: subscriberSchema,
        errors: ['subscriber_not_found'],
      },
      async ({ project, params }) => present(await requireSubscriber(pool, project.id, params.id)),
    ),

    route(
      {
        method: 'PATCH',
        path: '/v1/subscribers/{id}',
        summary: 'Update a subscriber',
        description:
          'Each given field (external_id, tags, permissions, timezone) replaces the old value; null removes the external_id and the timezone. Properties are merged: null removes one. A project can have up to 20 different tags and 20 different permissions.',
        params: subscriberParams,
        body: subscriberChangesSchema,
        response: subscriberSchema,
        errors: ['subscriber_not_found', 'invalid_external_id', 'conflict'],
      },
      async ({ project, params, body }) =>
        present(await patchSubscriber(pool, project.id, params.id, body, format)),
    ),

    route(
      {
        method: 'GET',
        path: '/v1/subscribers/{id}/data',
        summary: 'Get everything held on a subscriber',
        description:
          'A JSON object with the subscriber and a list for each kind of record: logins, messages, broadcasts, one-time codes, button clicks, events. For requests of people about their data. The rows show what is stored; only the names of the lists are stable.',
        scope: 'export',
        params: subscriberParams,
        response: heldDataSchema(),
        streamed: true,
        errors: ['subscriber_not_found'],
      },
      async ({ project, params, access }) => {
        const subscriber = await requireSubscriber(pool, project.id, params.id);
        const data = heldData(pool, subscriber, format, access());
        return new Streamed('application/json', `subscriber-${subscriber.id}.json`, data);
      },
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/subscribers/{id}',
        summary: 'Delete a subscriber',
        description:
          'Also removes everything held about them: messages, one-time codes, names and addresses in logins, events with their deliveries. Open deliveries, including `subscription.deleted`, are still made, and removed when they have ended. They can subscribe again as a new subscriber.',
        unnamedInAudit: true,
        params: subscriberParams,
        status: 204,
        errors: ['subscriber_not_found'],
      },
      ({ project, params }) => removeSubscriber(core, project.id, params.id, format),
    ),
  ];
}
