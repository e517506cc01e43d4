import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import { AppError } from '../contract/errors';
import { clientAddress } from './client-address';
import { errorMapper, type ErrorMapperDeps } from './errors';
import { admit, guard, type GuardDeps } from './guard';
import type { OwnRequests } from './own-requests';
import { requestLog } from './request-log';
import type { Route } from './route';
import { securityHeaders } from './security-headers';

interface AppDeps extends GuardDeps, ErrorMapperDeps {
  /** For the routes of logins. Default: as for the others. */
  login?: GuardDeps;
  /** True once shutdown has begun: each connection is closed after its next response. */
  stopping: () => boolean;
  /** How many proxies in front of the service append to X-Forwarded-For. */
  trustedProxies: number;
  ownRequests?: OwnRequests;
  /** The public URL is https: browsers must not use plain HTTP. */
  httpsOnly: boolean;
}

interface AppParts {
  routes: Route[];
  /** Pages and files for browsers, tried before the API's routes; each calls `next` for other paths. */
  pages?: Middleware[];
}

export function createApp({ routes, pages = [] }: AppParts, deps: AppDeps): Koa {
  const app = new Koa({ proxy: deps.trustedProxies > 0 });
  app.use(clientAddress(deps.trustedProxies, deps.ownRequests));
  app.use(requestLog(deps.log));
  app.use(errorMapper(deps));
  app.use(securityHeaders(deps));
  app.use(closeWhileStopping(deps.stopping));
  app.use(refuseWithoutPath);
  app.use(outsideApi(inOrder(pages)));
  const { router, byPath } = createRouter(routes, deps);
  app.use(byPath);
  app.use(router.routes());
  app.use(refuseUnknown(router, deps));
  // The error mapper handles everything thrown; only broken connections end up here.
  app.on('error', (err: unknown) => deps.log.debug({ err }, 'connection ended early'));
  return app;
}

/** For a server without the API's keys, limits and audit log: none of its routes asks for them. */
export function createOpenApp(parts: AppParts, { log, docsUrl }: Pick<AppDeps, 'log' | 'docsUrl'>): Koa {
  const refuse = () => Promise.reject(new AppError('not_found'));
  return createApp(parts, {
    authenticate: refuse,
    countRequest: refuse,
    runOnce: refuse,
    audited: refuse,
    checkResponses: false,
    log,
    docsUrl,
    stopping: () => false,
    trustedProxies: 0,
    httpsOnly: false,
  });
}

/** `byPath` finds routes whose path has no parameter, most of the calls, without trying the pattern of each route. */
function createRouter(routes: Route[], deps: AppDeps): { router: Router; byPath: Middleware } {
  const router = new Router({ strict: true, sensitive: true });
  const plain = new Map<string, Middleware>();
  for (const entry of routes) {
    const { method, path } = entry.spec;
    const guarded = guard(entry, (entry.isLogin && deps.login) || deps);
    const handle: Middleware = async (ctx, next) => {
      ctx.state['routePattern'] = path;
      await guarded(ctx, next);
    };
    router.register(toKoaPath(path), [method.toLowerCase()], (ctx, next) =>
      handle(ctx as unknown as Koa.Context, next),
    );
    if (!path.includes('{')) plain.set(`${method} ${path}`, handle);
  }
  const byPath: Middleware = (ctx, next) => {
    const handle = plain.get(`${ctx.method} ${ctx.path}`);
    return handle ? handle(ctx, next) : next();
  };
  return { router, byPath };
}

/** Converts OpenAPI's {id} to the router's :id. */
function toKoaPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Runs after the router, so that a request with a route is matched only once. */
function refuseUnknown(router: Router, deps: GuardDeps): Middleware {
  return async (ctx) => {
    const match = router.match(ctx.path, ctx.method);
    if (ctx.path.startsWith('/v1/') && ctx.get('authorization')) await countUnknown(ctx, deps);
    if (match.path.length === 0) throw new AppError('not_found');
    ctx.set('Allow', [...new Set(match.path.flatMap((layer) => layer.methods))].join(', '));
    throw new AppError('method_not_allowed');
  };
}

/** Unknown routes count towards the rate limit too; a failed authentication does not change the response. */
async function countUnknown(ctx: Koa.Context, deps: GuardDeps): Promise<void> {
  try {
    await admit(ctx, deps);
  } catch (error) {
    if (!(error instanceof AppError) || error.status === 429) throw error;
  }
}

/** As one middleware, so that an API request passes one and not one for each page. */
function inOrder(pages: Middleware[]): Middleware {
  return (ctx, next) => {
    const from = (index: number): Promise<unknown> => {
      const page = pages[index];
      return Promise.resolve(page ? page(ctx, () => from(index + 1)) : next());
    };
    return from(0);
  };
}

/** Skips the pages for API requests. */
function outsideApi(page: Middleware): Middleware {
  return (ctx, next) => (ctx.path.startsWith('/v1/') ? next() : page(ctx, next));
}

/** "GET http:// HTTP/1.1" is valid HTTP but has no path. */
const refuseWithoutPath: Middleware = async (ctx, next) => {
  if (!ctx.path) throw new AppError('bad_request', 'The request has no path.');
  await next();
};

/**
 * The server takes no new connections, but clients still send requests on those that are open. These are served, because a
 * refusal would fail a request that a single process could handle.
 */
function closeWhileStopping(stopping: () => boolean): Middleware {
  return async (ctx, next) => {
    const close = () => stopping() && ctx.set('Connection', 'close');
    close();
    try {
      await next();
    } finally {
      close();
    }
  };
}
