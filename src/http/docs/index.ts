import type { Middleware } from 'koa';
import { html } from '../html';
import { openApiDocument } from '../openapi';
import type { Route } from '../route';
import { guidePage, guidePath, readGuides } from './guides';
import { createLayout, heading, type DocsPage } from './layout';
import { limitsPage } from './limits-page';
import { byResource, listOperations } from './operations';
import { errorsPage, eventsPage } from './pages';
import { operationList, operationUrl, referenceIndex, resourcePage } from './reference';
import { searchIndex } from './search-index';
import { signaturePage } from './signature-page';

type Rendered = { type: string; body: string };

export interface DocsOptions {
  routes: Route[];
  publicUrl: () => string;
  /** Renders each request anew, because `npm run dev` rebuilds the guides while the process runs. */
  development: boolean;
}

type Renderers = Record<string, () => Rendered | Promise<Rendered>>;

/** What renders each path. Describing every route takes a quarter of a second. */
async function renderers({ routes, publicUrl }: DocsOptions): Promise<Renderers> {
  const operations = listOperations(routes);
  const resources = byResource(operations);
  const layout = createLayout(resources.map(([tag]) => tag));
  const page = (content: DocsPage): Rendered => ({ type: 'html', body: layout(content) });

  const urlOf = (id: string) => {
    const found = operations.find((operation) => operation.id === id);
    return found ? operationUrl(found) : '/docs/reference';
  };
  const listed = html`<section class="row wide">
    ${heading(2, 'operations', 'All operations')} ${operationList(operations)}
  </section>`;
  const paths = (await readGuides()).map(guidePath);
  const guide = async (path: string) => {
    const found = (await readGuides()).find((each) => guidePath(each) === path);
    if (!found) throw new Error(`the guide of ${path} is gone`);
    return page(
      guidePage(found, { baseUrl: publicUrl(), operations }, found.slug === 'start' ? listed : html``),
    );
  };
  const json = (value: unknown): Rendered => ({ type: 'json', body: JSON.stringify(value) });

  return {
    ...Object.fromEntries(paths.map((path) => [path, () => guide(path)])),
    '/docs/reference': () => page(referenceIndex(operations, publicUrl())),
    ...Object.fromEntries(
      resources.map(([tag, members]) => {
        const { path } = resourcePage(tag, [], '');
        return [path, () => page(resourcePage(tag, members, publicUrl()))];
      }),
    ),
    '/docs/errors': () => page(errorsPage()),
    '/docs/events': () => page(eventsPage(urlOf)),
    '/docs/signature': () => page(signaturePage()),
    '/docs/limits': () => page(limitsPage()),
    '/docs/search.json': async () => json(searchIndex(await readGuides(), operations)),
    '/openapi.json': () => json(openApiDocument(routes, publicUrl())),
  };
}

/** The documentation pages, the search index and the OpenAPI document; prepared when one of them is first asked for. */
export function docsPages(options: DocsOptions): Middleware {
  const { development } = options;
  let prepared: Promise<Renderers> | undefined;
  const cache = new Map<string, Promise<Rendered>>();
  return async (ctx, next) => {
    const isDocs = ctx.path === '/openapi.json' || /^\/docs(\/|$)/.test(ctx.path);
    if (!isDocs || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    prepared ??= renderers(options).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    const render = await prepared;
    const found = Object.hasOwn(render, ctx.path) ? render[ctx.path] : undefined;
    if (!found) return next();
    ctx.state['routePattern'] = ctx.path;
    const rendered = cache.get(ctx.path) ?? Promise.resolve(found());
    if (!development) cache.set(ctx.path, rendered);
    rendered.catch(() => cache.delete(ctx.path));
    const { type, body } = await rendered;
    ctx.type = type;
    ctx.set('Cache-Control', 'no-cache');
    ctx.body = body;
  };
}
