import type pg from 'pg';
import { pageOf } from '../../base/contract/common';
import { orNotFound } from '../../base/contract/errors';
import { decodeCursor, toPage } from '../../base/contract/cursor';
import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import {
  loginStatsQuery,
  loginStatsSchema,
  sessionListQuery,
  sessionParams,
  sessionRecordSchema,
  type SessionRecord,
} from './contract';
import type { Config } from '../../base/config';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { listLoggedSessions, type LoggedSession } from './log';
import { loginStats } from './stats';
import { route } from '../../base/http/route';
import { requireSubscriber } from '../subscribers';

export function createSessionListRoutes({
  pool,
  config,
}: {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_SUBSCRIBER_ID_FORMAT'>;
}) {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/auth/sessions',
        summary: 'List logins',
        description:
          'Sessions created through the API, logins by the static link and by OpenID Connect, and approvals, newest first, without codes.',
        tag: 'Login',
        query: sessionListQuery,
        response: pageOf(sessionRecordSchema),
        errors: ['subscriber_not_found'],
      },
      async ({ project, query }) => {
        const { cursor, subscriber_id: of, ...filter } = query;
        const subscriberId =
          of === undefined ? undefined : (await requireSubscriber(pool, project.id, of)).id;
        const before = decodeCursor(cursor);
        const found = await listLoggedSessions(pool, project.id, { ...filter, subscriberId, before });
        return toPage(found, query.limit, (session) =>
          presentSession(session, config.HERALD_SUBSCRIBER_ID_FORMAT),
        );
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/auth/sessions/{id}',
        summary: 'Get a login',
        description: 'An entry of the list of logins, without its code.',
        tag: 'Login',
        params: sessionParams,
        response: sessionRecordSchema,
      },
      async ({ project, params: { id } }) => {
        const one = { sessionId: id, before: null, limit: 1 };
        const [session] = await listLoggedSessions(pool, project.id, one);
        return presentSession(orNotFound(session), config.HERALD_SUBSCRIBER_ID_FORMAT);
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/auth/stats',
        summary: 'Count logins by day',
        description:
          'Logins of every flow, without approvals. A step counts on the day (UTC) on which it happens. A confirmed login whose code is not redeemed stays confirmed.',
        tag: 'Login',
        query: loginStatsQuery,
        response: loginStatsSchema,
      },
      ({ project, query }) => loginStats(pool, project.id, query.days),
    ),
  ];
}

export function presentSession(session: LoggedSession, format: SubscriberIdFormat): SessionRecord {
  return {
    session_id: session.id,
    flow: session.flow,
    client_name: session.client_name,
    purpose: session.purpose,
    message: session.message,
    status: session.status,
    reason: session.decline_reason,
    confirmed: session.was_confirmed,
    channel: session.channel,
    subscriber_id: session.subscriber_id && formatSubscriberId(session.subscriber_id, format),
    first_name: session.first_name,
    username: session.username,
    state: session.state,
    client_ip: session.client_ip,
    user_agent: session.user_agent,
    created_at: isoTime(session.created_at),
    expires_at: isoTime(session.expires_at),
    decided_at: isoTimeOrNull(session.decided_at),
    redeemed_at: isoTimeOrNull(session.consumed_at),
  };
}
