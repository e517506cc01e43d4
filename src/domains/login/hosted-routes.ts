import { z } from 'zod';
import { qrQuery, sessionStatusSchema, statusQuery } from './contract';
import { startParameter } from '../../base/contract/start-parameters';
import type { Channel } from '../../base/contract/common';
import { AppError } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { pollStatus, readAsPage } from './poll';
import type { SessionWaiter } from './session-waiter';
import { isOwnBrowser, requireHostedSession } from './hosted-session';
import { qrPicture } from './qr';
import { route } from '../../base/http/route';

const params = z.strictObject({ token: z.string().regex(/^[0-9A-Za-z]{32}$/) });
const tag = 'Hosted login page';

/** Routes of the hosted page. The page's token authorizes them, so that an <img> can show the QR code. */
export function createHostedRoutes(
  deps: Pick<Core, 'pool' | 'cipher' | 'messengers'> & { waiter: SessionWaiter },
) {
  const { pool, cipher, messengers } = deps;
  return [
    route(
      {
        method: 'GET',
        path: '/login/{token}/qr',
        summary: 'Get the QR code of a session without an API key',
        tag,
        auth: 'none',
        params,
        query: qrQuery,
        response: ['image/svg+xml', 'image/png'],
      },
      async ({ params: { token }, query }) => {
        const session = await requireHostedSession(pool, token);
        const start = startParameter(
          'session',
          cipher.decrypt(session.start_sealed, 'start_token', session.id),
        );
        const link = messengers.ofProject(session.project_id, query.channel as Channel)?.link(start);
        if (!link) throw new AppError('not_found', 'This channel is not available.');
        return qrPicture(link, query.format);
      },
    ),
    route(
      {
        method: 'GET',
        path: '/login/{token}/status',
        summary: 'Poll a session from the hosted page',
        description: 'Only the browser that opened the page first receives the code.',
        tag,
        auth: 'none',
        params,
        query: statusQuery,
        response: sessionStatusSchema,
      },
      async ({ params: { token }, query, ctx, access }) => {
        const session = await requireHostedSession(pool, token);
        // For any other browser the session does not exist.
        if (!isOwnBrowser(ctx, session)) throw new AppError('not_found');
        return pollStatus(deps, access, { sessionId: session.id, waitSeconds: query.wait }, () =>
          readAsPage(deps, session.id),
        );
      },
    ),
  ];
}
