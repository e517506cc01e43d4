import type { Middleware } from 'koa';
import { html } from '../html';
import { openApiDocument } from '../openapi';
import type { Route } from '../route';
import { guidePage, guidePath, readGuides, type Guide } from './guides';
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

const ENGLISH_GUIDES = [
  'openid-connect',
  'oidc-authjs',
  'oidc-keycloak',
  'oidc-supabase',
  'oidc-logto',
  'oidc-authentik',
  'oidc-oauth2-proxy',
  'oidc-grafana',
  'start',
  'typescript',
  'python',
  'login',
  'embed',
  'approvals',
  'webhooks',
  'publishing',
  'tracking',
  'drip',
  'sending',
  'plans',
  'team',
  'data',
  'agents',
  'subscribing',
  'sending',
  'plans',
];

/** The guides by their paths. The build fails if one is missing, so that the list holds in production as well. */
const guides: Pick<Guide, 'slug' | 'language'>[] = [
  { slug: 'own-bot', language: 'en' },
  ...ENGLISH_GUIDES.map((slug) => ({
    slug,
    language: 'en' as const,
  })),
  { slug: 'typescript', language: 'ru' },
  { slug: 'python', language: 'ru' },
  { slug: 'login', language: 'ru' },
  { slug: 'webhooks', language: 'ru' },
];

type Renderers = Record<string, () => Rendered | Promise<Rendered>>;

/** What renders each path. Describing every route takes a quarter of a second. */
function renderers({ routes, publicUrl }: DocsOptions): Renderers {
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
  const guide = async (wanted: (typeof guides)[number]) => {
    const found = (await readGuides()).find(
      ({ slug, language }) => slug === wanted.slug && language === wanted.language,
    );
    if (!found) throw new Error(`guide "${wanted.slug}" (${wanted.language}) not found`);
    return page(
      guidePage(found, { baseUrl: publicUrl(), operations }, wanted.slug === 'start' ? listed : html``),
    );
  };
  const json = (value: unknown): Rendered => ({ type: 'json', body: JSON.stringify(value) });

  return {
    ...Object.fromEntries(guides.map((each) => [guidePath(each), () => guide(each)])),
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
  let render: Renderers | undefined;
  const cache = new Map<string, Promise<Rendered>>();
  return async (ctx, next) => {
    const isDocs = ctx.path === '/openapi.json' || /^\/docs(\/|$)/.test(ctx.path);
    if (!isDocs || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    render ??= renderers(options);
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
