import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Middleware } from 'koa';
import { packageRoot } from '../../package-root';
import { openApiDocument } from '../openapi';
import type { Route } from '../route';
import { errorsPage, eventsPage, referencePage } from './pages';

/** The pages that Herald renders of itself: reference, errors, events, and the OpenAPI document. */
export function docsPages(routes: Route[], publicUrl: () => string): Middleware {
  const render: Record<string, () => Promise<{ type: string; body: string }>> = {
    '/docs': async () => ({ type: 'html', body: referencePage(routes) }),
    '/docs/errors': async () => ({ type: 'html', body: errorsPage() }),
    '/docs/events': async () => ({ type: 'html', body: eventsPage() }),
    '/docs/docs.css': async () => ({
      type: 'css',
      body: await readFile(path.join(packageRoot, 'web', 'docs', 'docs.css'), 'utf8'),
    }),
    '/openapi.json': async () => ({
      type: 'json',
      body: JSON.stringify(openApiDocument(routes, publicUrl())),
    }),
  };
  return async (ctx, next) => {
    const found = Object.hasOwn(render, ctx.path) ? render[ctx.path] : undefined;
    if (!found || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = ctx.path;
    const { type, body } = await found();
    ctx.type = type;
    ctx.body = body;
  };
}
