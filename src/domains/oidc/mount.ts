import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../base/contract/errors';
import { KIB, limits } from '../../base/contract/limits';
import type { CountAddress } from '../../base/http/address-limit';
import { createFailureLimit } from '../../base/http/failure-limit';
import { clientNetwork } from '../../base/http/client-network';
import { readBody, readShortText } from '../../base/http/json-body';
import { createRateLimiter, retryAfterSeconds } from '../../base/http/rate-limiter';
import { sha256 } from '../../base/lib/tokens';
import type { CollectOutcome } from '../login';
import { UsedMeanwhile } from './adapter';
import { createDeviceLogins } from './device';
import { takeDeferredWrites, withDeferredWrites } from './deferred-writes';
import { collectOutcome } from './finish-login';
import { loadKeys, openKeys } from './keys';
import { loadLibrary, type KoaContextWithOIDC, type OidcProvider } from './library';
import { allowFormTarget, showCodeInput } from './pages';
import { createProvider, MOUNT, type ProviderDeps } from './provider';
import { revokeGrant } from './queries/records';

/** Other processes use rotated keys within this time. */
const KEY_CHECK_MS = 2_000;

const READ = ['GET', 'HEAD'];
const READ_OR_POST = [...READ, 'POST'];

/** Methods of each path, and patterns for logs and metrics: paths can contain the id of an interaction. */
const paths: [path: RegExp, pattern: string, methods: string[]][] = [
  [/^\/\.well-known\/openid-configuration$/, '/.well-known/openid-configuration', READ],
  [/^\/\.well-known\/oauth-authorization-server$/, '/.well-known/oauth-authorization-server', READ],
  [/^\/jwks$/, '/jwks', READ],
  // No HEAD: a link preview would start a login.
  [/^\/auth$/, '/auth', ['GET', 'POST']],
  [/^\/auth\/[^/]+$/, '/auth/{uid}', ['GET']],
  [/^\/token$/, '/token', ['POST']],
  [/^\/me$/, '/me', READ_OR_POST],
  // Only a page: the provider's own form would need a script to go on from a link with the code.
  [/^\/device$/, '/device', ['GET']],
  [/^\/device\/auth$/, '/device/auth', ['POST']],
  [/^\/session\/end$/, '/session/end', READ_OR_POST],
  [/^\/session\/end\/confirm$/, '/session/end/{step}', ['POST']],
  [/^\/session\/end\/success$/, '/session/end/{step}', READ],
];

/** Called by servers of projects. Limited by client and grant; failed authentications are counted by address. */
const serverPaths = new Set(['/token', '/me']);

/** Where the standard lets a browser send its parameters in a form, too. */
const formPaths = new Set(['/auth', '/session/end']);
const FORM = 'application/x-www-form-urlencoded';
/** Characters that every browser and proxy takes in an address. */
const MAX_QUERY = 6_000;

/** The OpenID Connect provider under /oidc, with the request log, headers and error pages of every other page. */
export function createOidc(deps: ProviderDeps & { countAddress: CountAddress }): {
  pages: Middleware;
  collectOutcome: CollectOutcome;
} {
  const currentProvider = createProviderSource(deps);
  const maxBytes = deps.config.HERALD_KEYLESS_BODY_KIB * KIB;
  const startDeviceLogin = createDeviceLogins(deps);
  const countDeviceCode = createRateLimiter(deps.pool, {
    name: 'oidc_device_code',
    points: limits.oidcDeviceCodesPerHour,
    seconds: 3_600,
  });

  // One customer of a provider can have every /64 of a /48 network.
  const countCodesOfSite = createRateLimiter(deps.pool, {
    name: 'oidc_device_site',
    points: limits.oidcDeviceCodesPerSite,
    seconds: limits.oidcDeviceCodeMinutes * 60,
  });

  // Counts only failures: a client behind the same address goes on.
  const recordFailure = createFailureLimit(
    deps.pool,
    'oidc_client_failure',
    deps.config.HERALD_OIDC_FAILURES_PER_MINUTE,
    60,
  );

  async function openDevice(ctx: Context): Promise<void> {
    const userCode = ctx.query['user_code'];
    if (typeof userCode !== 'string' || userCode === '') return showCodeInput(ctx, null);
    const login = await startDeviceLogin(ctx, userCode);
    if ('problem' in login) return showCodeInput(ctx, login);
    ctx.status = 303;
    ctx.redirect(login.path);
  }

  async function pages(ctx: Context, next: () => Promise<void>): Promise<void> {
    if (ctx.path !== MOUNT && !ctx.path.startsWith(`${MOUNT}/`)) return next();
    const path = ctx.path.slice(MOUNT.length);
    const found = paths.find(([form]) => form.test(path));
    if (!found) return next();
    const [, pattern, methods] = found;
    ctx.state['routePattern'] = MOUNT + pattern;
    if (!serverPaths.has(path)) await deps.countAddress(ctx);
    // The provider answers OPTIONS for pages of other sites.
    const isPreflight = ctx.method === 'OPTIONS' && path !== '/device';
    if (!isPreflight && !methods.includes(ctx.method)) {
      ctx.set('Allow', methods.join(', '));
      throw new AppError('method_not_allowed');
    }
    if (path === '/device') return openDevice(ctx);
    if (path === '/device/auth' && ctx.method === 'POST') {
      for (const counted of [
        await countDeviceCode(clientNetwork(ctx.ip)),
        await countCodesOfSite(clientNetwork(ctx.ip, 48)),
      ]) {
        if (counted.allowed) continue;
        return refuseFor(ctx, retryAfterSeconds(counted), 'Too many device codes. Try again later.');
      }
    }
    if (ctx.method === 'POST' && formPaths.has(path)) return repeatByGet(ctx, path, maxBytes);
    const provider = await currentProvider();
    const isAuthorization = path === '/auth' || pattern === '/auth/{uid}';
    if (isAuthorization) {
      forgetSession(ctx);
      // The provider adds the hash of its own script to this directive, if it responds with a form.
      ctx.set('Content-Security-Policy', `${ctx.response.get('content-security-policy')}; script-src 'self'`);
    }
    if (path === '/auth') allowRefreshTokens(ctx);
    if (ctx.method === 'POST') await provideBody(ctx, maxBytes);
    try {
      await withDeferredWrites(deps.pool, async () => {
        await run(provider, ctx, path);
        // What the provider would keep for its page, which this browser does not see.
        if (path === '/session/end' && endsWithoutQuestion(ctx)) takeDeferredWrites();
      });
    } catch (error) {
      if (!(error instanceof UsedMeanwhile)) throw error;
      await error.endGrant(deps.pool);
      ctx.status = 400;
      ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' };
    }
    if (path === '/token' && ctx.status === 401) {
      const wait = await recordFailure(clientNetwork(ctx.ip));
      if (wait !== null) refuseFor(ctx, wait, 'Too many failed authentications. Try again later.');
    }
    if (isAuthorization) allowFormPost(ctx);
    if (path === '/session/end') await endGrant(deps, provider, ctx);
    if (ctx.status === 404 && ctx.body === undefined) throw new AppError('not_found');
  }

  return {
    pages: pages as unknown as Middleware,
    collectOutcome: async (session) =>
      collectOutcome({ ...deps, provider: await currentProvider() }, session.id),
  };
}

/** The provider with the current keys. They are read again every few seconds, on use. */
function createProviderSource(deps: ProviderDeps): () => Promise<OidcProvider> {
  let current: { provider: OidcProvider; keyIds: string; issuer: string } | undefined;
  let checked: { at: number; result: Promise<OidcProvider> } | undefined;

  async function refresh(): Promise<OidcProvider> {
    const [library, keys] = await Promise.all([loadLibrary(deps.log), loadKeys(deps)]);
    const keyIds = keys.map(({ id }) => id).join();
    const issuer = deps.publicUrl();
    if (current?.keyIds === keyIds && current.issuer === issuer) return current.provider;
    current = { provider: createProvider(deps, library, openKeys(deps.cipher, keys)), keyIds, issuer };
    return current.provider;
  }

  return () => {
    if (checked && Date.now() - checked.at < KEY_CHECK_MS) return checked.result;
    const result = refresh();
    checked = { at: Date.now(), result };
    result.catch(() => (checked = undefined));
    return result;
  };
}

/** Runs the provider's middleware on our own context, with the mount's path removed as the provider expects. */
async function run(provider: OidcProvider, ctx: Context, path: string): Promise<void> {
  const [middleware] = (provider as unknown as { middleware: Middleware[] }).middleware;
  const secure = provider.issuer.startsWith('https:');
  // Behind a proxy that terminates TLS the connection is plain HTTP.
  Object.defineProperty(ctx.request, 'protocol', { value: secure ? 'https' : 'http' });
  ctx.cookies.secure = secure;
  const whole = ctx.path;
  ctx.path = path;
  try {
    await middleware?.(ctx as never, async () => {});
  } finally {
    ctx.path = whole;
  }
}

/** The library would read larger bodies; it takes this one for the request's own. */
async function provideBody(ctx: Context, maxBytes: number): Promise<void> {
  const body = await readBody(ctx, maxBytes);
  if (body === null) return;
  Object.defineProperty(ctx.req, 'readable', { value: true });
  Object.defineProperty(ctx.req, 'iterator', { value: () => Readable.from([body]) });
}

/** There is no single sign-on: no authorization sees the session of an earlier one. */
function forgetSession(ctx: Context): void {
  const cookies = ctx.get('cookie').split(/;\s*/);
  ctx.req.headers.cookie = cookies.filter((pair) => !/^herald_oidc_session(\.sig)?=/.test(pair)).join('; ');
}

/**
 * The provider drops `offline_access` from a request that does not ask for a consent page. Here the bot's question is the
 * consent, and every authorization asks it.
 */
function allowRefreshTokens(ctx: Context): void {
  const { scope, prompt } = ctx.query;
  if (typeof scope !== 'string' || !scope.split(' ').includes('offline_access')) return;
  if (prompt !== undefined && typeof prompt !== 'string') return;
  const prompts = new Set(prompt?.split(' ').filter((name) => name !== ''));
  if (prompts.has('none')) return;
  ctx.query = { ...ctx.query, prompt: [...prompts.add('consent')].join(' ') };
}

/**
 * The library takes a form only with cookies that every site can make the browser send. The browser repeats the request by
 * GET instead, with the same parameters.
 */
async function repeatByGet(ctx: Context, path: string, maxBytes: number): Promise<void> {
  const form = await readShortText(ctx, { type: FORM, maxBytes });
  const query = new URLSearchParams(form).toString();
  if (query.length > MAX_QUERY) throw new AppError('payload_too_large', 'The parameters are too long.');
  ctx.status = 303;
  ctx.redirect(`${MOUNT}${path}?${query}`);
}

/** With `response_mode=form_post` the browser returns to the client by a form. */
function allowFormPost(ctx: Context): void {
  const { oidc } = ctx as unknown as KoaContextWithOIDC;
  const { response_mode: mode, redirect_uri: target } = (oidc?.params ?? {}) as Record<string, unknown>;
  if (mode !== 'form_post' || typeof target !== 'string') return;
  if (oidc.client?.redirectUriAllowed(target)) allowFormTarget(ctx, new URL(target).origin);
}

/**
 * An ID token of the client is proof enough of the wish to log out: its grant ends, and the browser returns without a
 * question. A browser without a login has nothing to end and returns, too. The provider has verified the token and the
 * address by now, and shows its page in any other case.
 */
async function endGrant({ pool }: ProviderDeps, provider: OidcProvider, ctx: Context): Promise<void> {
  const { oidc } = ctx as unknown as KoaContextWithOIDC;
  if (!oidc || !endsWithoutQuestion(ctx)) return;
  const hint = oidc.entities.IdTokenHint as { payload: { sid?: unknown } } | undefined;
  const sid = hint?.payload.sid;
  if (typeof sid === 'string') await revokeGrant(pool, sid, sha256(sid));
  const params = oidc.params as Record<string, string | undefined>;
  const target = new URL(params['post_logout_redirect_uri'] ?? provider.urlFor('end_session_success'));
  if (params['post_logout_redirect_uri'] !== undefined && params['state'] !== undefined) {
    target.searchParams.set('state', params['state']);
  }
  ctx.status = 303;
  ctx.redirect(target.href);
}

function endsWithoutQuestion(ctx: Context): boolean {
  const { oidc } = ctx as unknown as KoaContextWithOIDC;
  if (ctx.status !== 200 || !oidc) return false;
  return Boolean(oidc.entities.IdTokenHint && oidc.client) || !oidc.session?.accountId;
}

function refuseFor(ctx: Context, retryAfter: number, description: string): void {
  ctx.status = 429;
  ctx.set('Retry-After', String(retryAfter));
  ctx.body = { error: 'temporarily_unavailable', error_description: description };
}
