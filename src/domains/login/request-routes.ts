import { idParams } from '../../base/contract/common';
import { orNotFound } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { routesOf } from '../../base/http/route';
import { cancelSession } from './cancel';
import { createdRequestSchema, newRequestSchema, requestStatusSchema, statusQuery } from './contract';
import { createRequest } from './create-request';
import { createPollReader, pollView, readAsProject } from './poll';
import { presentRequest } from './present';
import { viewSession } from './queries/status';
import type { SessionWaiter } from './session-waiter';
import type { SessionStarter } from './workflow-client';

const route = routesOf('Approvals');

/** Approvals: the bot asks a known subscriber to confirm. */
export function createRequestRoutes(
  deps: Pick<Core, 'pool' | 'config' | 'cipher' | 'log'> & { waiter: SessionWaiter; starter: SessionStarter },
) {
  const { pool, cipher, config } = deps;
  const readPolled = createPollReader(pool);
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;

  return [
    route(
      {
        method: 'POST',
        path: '/v1/auth/requests',
        summary: 'Ask a subscriber to confirm',
        description:
          'The bot sends your message with the match code and the buttons Yes and No. With an external_id all its active subscribers are asked, and the first answer counts. An approval costs one credit, as a login does.',
        scope: 'auth',
        idempotent: {},
        body: newRequestSchema,
        status: 201,
        response: createdRequestSchema,
        errors: [
          'mutually_exclusive_identifiers',
          'invalid_external_id',
          'billing_blocked',
          'subscriber_not_found',
          'conflict',
          'rate_limit_auth_requests',
        ],
      },
      async ({ project, body, work }) => {
        const request = await createRequest(deps, project, body, work);
        return {
          request_id: request.id,
          status: 'pending',
          match_code: request.matchCode,
          expires_in: request.expiresIn,
        };
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/auth/requests/{id}',
        summary: 'Poll an approval',
        description:
          'With `wait` the response is held until the subscriber answers, for at most that many seconds.',
        scope: 'auth',
        params: idParams,
        query: statusQuery,
        response: requestStatusSchema,
        // It shows a login's code.
        confidential: true,
        errors: ['slow_down'],
      },
      async ({ project, params, query, access }) => {
        const view = await pollView(deps, access, { sessionId: params.id, waitSeconds: query.wait }, () =>
          readAsProject(readPolled, project.id, params.id, 'request'),
        );
        return presentRequest(view, cipher, format);
      },
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/auth/requests/{id}',
        summary: 'Cancel an approval',
        description: 'A pending request becomes `expired`, and the bot’s message says so.',
        scope: 'auth',
        params: idParams,
        response: requestStatusSchema,
        errors: ['conflict'],
      },
      async ({ project, params }) => {
        await cancelSession(deps, project.id, params.id, 'request');
        return presentRequest(orNotFound(await viewSession(pool, params.id)), cipher, format);
      },
    ),
  ];
}
