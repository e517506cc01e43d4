import type { Middleware } from 'koa';
import { html } from '../html';
import { openApiDocument } from '../openapi';
import type { Route } from '../route';
import { guideHtml, readGuides } from './guides';
import { docsPage, type DocsPath } from './layout';
import { limitsPage } from './limits-page';
import { errorsPage, eventsPage } from './pages';
import { listOperations, operationList, referencePage } from './reference';
import { searchIndex } from './search-index';

type Rendered = { type: string; body: string };

export interface DocsOptions {
  routes: Route[];
  publicUrl: () => string;
  /** Renders each request anew, because `npm run dev` rebuilds the guides while the process runs. */
  development: boolean;
}

/** The documentation pages, the search index and the OpenAPI document. */
export function docsPages({ routes, publicUrl, development }: DocsOptions): Middleware {
  const operations = () => listOperations(openApiDocument(routes, publicUrl()));
  const page = async (body: string | Promise<string>): Promise<Rendered> => ({
    type: 'html',
    body: await body,
  });

  const guide = async (slug: string, path: DocsPath, more = html``): Promise<string> => {
    const found = (await readGuides()).find((one) => one.slug === slug);
    if (!found) throw new Error(`guide "${slug}" not found`);
    return docsPage(path, found.title, html`${guideHtml(found, publicUrl())} ${more}`);
  };
  const listed = () =>
    html`<h2 id="operations"><a class="anchor" href="#operations">All operations</a></h2>
      ${operationList(operations())}`;

  const render: Record<string, () => Promise<Rendered>> = {
    '/docs': () => page(guide('start', '/docs', listed())),
    '/docs/login': () => page(guide('login', '/docs/login')),
    '/docs/embed': () => page(guide('embed', '/docs/embed')),
    '/docs/webhooks': () => page(guide('webhooks', '/docs/webhooks')),
    '/docs/publishing': () => page(guide('publishing', '/docs/publishing')),
    '/docs/sending': () => page(guide('sending', '/docs/sending')),
    '/docs/reference': () => page(referencePage(operations(), publicUrl())),
    '/docs/errors': () => page(errorsPage()),
    '/docs/events': () => page(eventsPage()),
    '/docs/limits': () => page(limitsPage()),
    '/docs/search.json': async () => ({
      type: 'json',
      body: JSON.stringify(searchIndex(await readGuides(), operations())),
    }),
    '/openapi.json': async () => ({
      type: 'json',
      body: JSON.stringify(openApiDocument(routes, publicUrl())),
    }),
  };
  const cache = new Map<string, Promise<Rendered>>();
  return async (ctx, next) => {
    const found = Object.hasOwn(render, ctx.path) ? render[ctx.path] : undefined;
    if (!found || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    ctx.state['routePattern'] = ctx.path;
    const rendered = cache.get(ctx.path) ?? found();
    if (!development) cache.set(ctx.path, rendered);
    rendered.catch(() => cache.delete(ctx.path));
    const { type, body } = await rendered;
    ctx.type = type;
    ctx.set('Cache-Control', 'no-cache');
    ctx.body = body;
  };
}
