import type { Context, Middleware } from 'koa';
import type { Core } from '../../base/core';
import { randomToken256, sha256 } from '../../base/lib/tokens';
import { signIn } from '../../domains/projects';
import { demoOwner, findDemoOwner } from './index';

const VALID_MS = 15 * 60_000;
const PATH = /^\/dashboard\/demo\/([\w-]{43})$/;
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|\[::1\]|localhost)$/;
/** Where a link that has been used leads: the sign-in through the simulator, two clicks. */
const BY_SIMULATOR = `/dashboard?demo=${demoOwner}`;

export interface DemoSignIn {
  /** The link that the terminal shows; null where the service is not reached at an address of this machine. */
  urlAt: (publicUrl: string) => string | null;
  page: (core: Pick<Core, 'pool' | 'publicUrl'>) => Middleware;
}

/**
 * Signs the browser in as the owner of the demo project, by a link that works once, for a quarter of an hour after the
 * start and on this machine only. It is kept in memory and exists in development alone.
 */
export function createDemoSignIn(now = Date.now): DemoSignIn {
  const token = randomToken256();
  const endsAt = now() + VALID_MS;
  let isUsed = false;
  const redeem = (given: string) => {
    const isValid = !isUsed && now() < endsAt && sha256(given).equals(sha256(token));
    if (isValid) isUsed = true;
    return isValid;
  };
  return {
    urlAt: (publicUrl) =>
      LOOPBACK.test(new URL(publicUrl).hostname) ? `${publicUrl}/dashboard/demo/${token}` : null,
    page: ({ pool, publicUrl }) => {
      return async (ctx, next) => {
        const given = PATH.exec(ctx.path)?.[1];
        if (given === undefined || ctx.method !== 'GET') return next();
        ctx.state['routePattern'] = '/dashboard/demo/{token}';
        ctx.status = 303;
        ctx.redirect(BY_SIMULATOR);
        if (!isOwnClick(ctx) || !redeem(given)) return;
        const account = await findDemoOwner(pool);
        if (!account) return;
        await signIn(ctx, { publicUrl }, pool, { account_id: account.id, project_id: null });
        ctx.redirect('/dashboard');
      };
    },
  };
}

/** A person on this machine opened the link: not through a tunnel, not a link of another site, not a preview of it. */
function isOwnClick(ctx: Context): boolean {
  return (
    LOOPBACK.test(ctx.ip) &&
    LOOPBACK.test(ctx.hostname) &&
    ctx.get('x-forwarded-for') === '' &&
    ['', 'none', 'same-origin'].includes(ctx.get('sec-fetch-site')) &&
    !/prefetch/.test(ctx.get('sec-purpose') + ctx.get('purpose'))
  );
}
