import {
  authLinkSchema,
  createdSessionSchema,
  newSessionSchema,
  qrQuery,
  sessionStatusSchema,
  statusQuery,
  verifyResultSchema,
  verifySchema,
} from './contract';
import { linkFields } from '../bots';
import { startParameter } from '../../base/contract/start-parameters';
import { idParams, type Channel } from '../../base/contract/common';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { findProjectSession } from './queries/sessions';
import { cancelSession } from './cancel';
import { createSession } from './create-session';
import { createPollReader, pollStatus, readAsPage, readAsProject } from './poll';
import { presentStatus } from './present';
import type { SessionWaiter } from './session-waiter';
import { createCodeRedeemer, verifyCode } from './verify';
import type { SessionStarter } from './workflow-client';
import { createFailureLimit } from '../../base/http/failure-limit';
import { qrPicture } from './qr';
import { routesOf } from '../../base/http/route';

export interface AuthRouteDeps extends Pick<
  Core,
  'pool' | 'config' | 'cipher' | 'messengers' | 'publicUrl' | 'log'
> {
  waiter: SessionWaiter;
  starter: SessionStarter;
}

const route = routesOf('Login');

export function createAuthRoutes(deps: AuthRouteDeps) {
  const { pool, cipher, messengers, publicUrl } = deps;
  const noteFailure = createFailureLimit(pool, 'verify', limits.authVerifyFailuresPerMinute, 60);
  const readPolled = createPollReader(pool);
  const redeem = createCodeRedeemer(pool);
  const link = (projectId: string, channel: Channel, start: string) =>
    messengers.ofProject(projectId, channel)?.link(start) ?? null;
  const links = (projectId: string, start: string) =>
    linkFields('link', (channel) => link(projectId, channel, start));

  return [
    route(
      {
        method: 'GET',
        path: '/v1/auth/link',
        summary: 'Get the static login links',
        description:
          '`configured` is false until the project has a callback URL; until then the bot replies that login is not set up.',
        response: authLinkSchema,
      },
      async ({ project }) => ({
        ...links(project.id, startParameter('staticLink', project.slug)),
        configured: project.callback_url !== null,
      }),
    ),

    route(
      {
        method: 'POST',
        path: '/v1/auth/session',
        summary: 'Create a session',
        description: 'Show the user one of the links, the hosted page or the QR code, then poll the status.',
        scope: 'auth',
        idempotent: {},
        body: newSessionSchema,
        status: 201,
        response: createdSessionSchema,
        errors: ['invalid_url', 'billing_blocked', 'rate_limit_auth_sessions'],
      },
      async ({ project, body, work }) => {
        const session = await createSession(deps, project, body, work);
        const hostedUrl = `${publicUrl()}/login/${session.hostedToken}`;
        return {
          session_id: session.id,
          ...links(project.id, startParameter('session', session.startToken)),
          hosted_url: hostedUrl,
          qr_url: `${hostedUrl}/qr`,
          match_code: session.matchCode,
          expires_in: session.expiresIn,
          interval: limits.authPollRecommendedSeconds,
        };
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/auth/session/{id}/status',
        summary: 'Poll a session',
        confidential: true,
        description:
          'With `wait` the response is held until the user answers, for at most that many seconds.',
        scope: 'auth',
        params: idParams,
        query: statusQuery,
        response: sessionStatusSchema,
        errors: ['slow_down'],
      },
      ({ project, params, query, access }) =>
        pollStatus(deps, access, { sessionId: params.id, waitSeconds: query.wait }, () =>
          readAsProject(readPolled, project.id, params.id),
        ),
    ),

    route(
      {
        method: 'DELETE',
        path: '/v1/auth/session/{id}',
        summary: 'Cancel a session',
        description: 'A pending session becomes `expired`, and the bot’s message says so.',
        scope: 'auth',
        params: idParams,
        response: sessionStatusSchema,
        errors: ['conflict'],
      },
      async ({ project, params }) => {
        await cancelSession(deps, project.id, params.id, 'session');
        return presentStatus(await readAsPage(deps, params.id), cipher);
      },
    ),

    route(
      {
        method: 'GET',
        path: '/v1/auth/session/{id}/qr',
        summary: 'Get the QR code of a session',
        scope: 'auth',
        params: idParams,
        query: qrQuery,
        response: ['image/svg+xml', 'image/png'],
      },
      async ({ project, params, query }) => {
        const session = await findProjectSession(pool, project.id, params.id);
        if (!session?.start_sealed) throw new AppError('not_found');
        const token = cipher.decrypt(session.start_sealed, 'start_token', session.id);
        const target = link(project.id, query.channel, startParameter('session', token));
        if (target === null) throw new AppError('not_found', 'This channel is not available.');
        return qrPicture(target, query.format);
      },
    ),

    route(
      {
        method: 'POST',
        path: '/v1/auth/verify',
        summary: 'Redeem a one-time code',
        description: `Returns the user. A code works once, within ${limits.authCodeTtlSeconds} seconds, and only for its own project.`,
        scope: 'auth',
        body: verifySchema,
        response: verifyResultSchema,
        errors: [
          'invalid_code',
          'code_expired',
          'invalid_code_verifier',
          'code_already_used',
          'rate_limit_verify',
        ],
      },
      ({ project, body }) => verifyCode({ ...deps, redeem, noteFailure }, project.id, body),
    ),
  ];
}
