import { linkFields } from '../../bots';
import { idParams } from '../../../base/contract/common';
import { AppError } from '../../../base/contract/errors';
import { limits } from '../../../base/contract/limits';
import { startParameter } from '../../../base/contract/start-parameters';
import { clientNetwork } from '../../../base/http/client-network';
import { createFailureLimit } from '../../../base/http/failure-limit';
import { route } from '../../../base/http/route';
import { statusQuery } from '../contract';
import { requireSameOrigin } from '../../projects';
import { dashboardLoginSchema, dashboardLoginStatusSchema } from './contract';
import { beginSignIn, pollSignIn, type SignInDeps } from './sign-in';

const tag = 'Dashboard';

/** Signing in to the dashboard by messenger: Herald's own login. */
export function createSignInRoutes(deps: SignInDeps) {
  const { pool, messengers, publicUrl } = deps;
  const countLogin = createFailureLimit(pool, 'dashboard_login', limits.dashboardLoginsPerHour, 3_600);

  return [
    route(
      {
        method: 'POST',
        path: '/dashboard/login',
        summary: 'Begin a sign-in by messenger',
        description: `Sets a cookie: only this browser is signed in. At most ${limits.dashboardLoginsPerHour} an hour for each address.`,
        tag,
        auth: 'none',
        status: 201,
        response: dashboardLoginSchema,
        errors: ['forbidden', 'rate_limit_sign_in'],
      },
      async ({ ctx, work }) => {
        requireSameOrigin(ctx, publicUrl());
        const retryAfter = await countLogin(clientNetwork(ctx.ip));
        if (retryAfter !== null) throw new AppError('rate_limit_sign_in', undefined, { retryAfter });
        const session = await beginSignIn(deps, ctx, work);
        const start = startParameter('session', session.startToken);
        return {
          login_id: session.id,
          ...linkFields('link', (channel) => messengers.get(channel)?.link(start) ?? null),
          match_code: session.matchCode,
          expires_in: session.expiresIn,
        };
      },
    ),
    route(
      {
        method: 'GET',
        path: '/dashboard/login/{id}',
        summary: 'Poll a sign-in by messenger',
        description:
          'For the browser that began it. `confirmed` sets the cookie of the session. With `wait` the response is held until the user answers.',
        tag,
        auth: 'none',
        params: idParams,
        query: statusQuery,
        response: dashboardLoginStatusSchema,
        errors: ['forbidden'],
      },
      async ({ ctx, params, query }) => {
        requireSameOrigin(ctx, publicUrl());
        return { status: await pollSignIn(deps, ctx, { loginId: params.id, waitSeconds: query.wait }) };
      },
    ),
  ];
}
