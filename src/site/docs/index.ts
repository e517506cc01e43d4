import type { Context, Middleware } from 'koa';
import { languages, type Language } from '../../base/contract/common';
import { html } from '../../base/http/html';
import { openApiDocument } from '../openapi';
import type { Route } from '../../base/http/route';
import { guidePath, localPath, resourcePath } from './contents';
import { guidePage, readGuides } from './guides';
import { createLayout, heading, type DocsPage } from './layout';
import { byResource, listOperations, type Operation } from './operations';
import { errorsPage, eventsPage } from './pages';
import { newChoice, readerLanguage, remember } from '../../base/http/reader-language';
import { operationList, operationUrl, referenceIndex, resourcePage } from './reference';
import { searchIndex } from './search-index';
import { signaturePage } from './signature-page';
import { texts } from './texts';

type Rendered = { type: string; body: string };

export interface DocsOptions {
  routes: Route[];
  publicUrl: () => string;
  /** Renders each request anew, because `npm run dev` rebuilds the guides while the process runs. */
  development: boolean;
}

interface Renderer {
  /** The same page in each language; a file, such as the search index, has none. */
  paths?: Record<Language, string>;
  render: () => Rendered | Promise<Rendered>;
}
type Renderers = Map<string, Renderer>;

/** What renders each path. Describing every route takes a quarter of a second. */
async function renderers({ routes, publicUrl }: DocsOptions): Promise<Renderers> {
  const operations = listOperations(routes);
  const resources = byResource(operations).map(([tag]) => tag);
  const layout = createLayout(resources, await readGuides());
  const found: Renderers = new Map();
  for (const language of languages) {
    for (const [path, content] of Object.entries(await pages(language, operations, publicUrl))) {
      const paths = { en: path, ru: localPath(path, 'ru') };
      const render = async () => ({ type: 'html', body: layout(await content(), language) });
      found.set(paths[language], { paths, render });
    }
    found.set(localPath('/docs/search.json', language), {
      render: async () => json(searchIndex(await readGuides(), operations, language)),
    });
  }
  found.set('/openapi.json', { render: () => json(openApiDocument(routes, publicUrl())) });
  return found;
}

function json(value: unknown): Rendered {
  return { type: 'json', body: JSON.stringify(value) };
}

/** The pages in a language, by the path of the English page. */
async function pages(
  language: Language,
  operations: Operation[],
  publicUrl: () => string,
): Promise<Record<string, () => DocsPage | Promise<DocsPage>>> {
  const resources = byResource(operations);
  const listed = html`<section class="row wide">
    ${heading(2, 'operations', texts[language].allOperations)} ${operationList(operations, language)}
  </section>`;
  const slugs = new Set((await readGuides()).map(({ slug }) => slug));
  const guide = async (slug: string) => {
    const found = (await readGuides()).find((each) => each.slug === slug && each.language === language);
    if (!found) throw new Error(`the guide ${slug} is gone`);
    return guidePage(found, { baseUrl: publicUrl(), operations }, slug === 'start' ? listed : html``);
  };
  const urlOf = (id: string) => {
    const found = operations.find((operation) => operation.id === id);
    return found ? operationUrl(found, language) : localPath('/docs/reference', language);
  };
  return {
    ...Object.fromEntries([...slugs].map((slug) => [guidePath({ slug, language: 'en' }), () => guide(slug)])),
    '/docs/reference': () => referenceIndex(operations, publicUrl(), language),
    ...Object.fromEntries(
      resources.map(([tag, members]) => [
        resourcePath(tag, 'en'),
        () => resourcePage(tag, members, publicUrl(), language),
      ]),
    ),
    '/docs/errors': () => errorsPage(language),
    '/docs/events': () => eventsPage(urlOf, language),
    '/docs/signature': () => signaturePage(language),
  };
}

/**
 * The documentation pages, the search index and the OpenAPI document; prepared when one of them is first asked for. An
 * English address leads readers of Russian to the Russian page.
 */
export function docsPages(options: DocsOptions): Middleware {
  const { development, publicUrl } = options;
  let prepared: Promise<Renderers> | undefined;
  const cache = new Map<string, Promise<Rendered>>();
  return async (ctx, next) => {
    const isDocs = ctx.path === '/openapi.json' || /^\/docs(\/|$)/.test(ctx.path);
    if (!isDocs || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    prepared ??= renderers(options).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    const found = (await prepared).get(ctx.path);
    if (!found) return next();
    ctx.state['routePattern'] = ctx.path;
    ctx.set('Cache-Control', 'no-cache');
    if (found.paths && redirects(ctx, found.paths, publicUrl())) return;
    const rendered = cache.get(ctx.path) ?? Promise.resolve(found.render());
    if (!development) cache.set(ctx.path, rendered);
    rendered.catch(() => cache.delete(ctx.path));
    const { type, body } = await rendered;
    ctx.type = type;
    ctx.body = body;
  };
}

/** Leads to the page in the reader's language. The browser keeps the fragment, and both languages have the same ones. */
function redirects(ctx: Context, paths: Record<Language, string>, publicUrl: string): boolean {
  const chosen = newChoice(ctx);
  if (chosen) {
    remember(ctx, chosen, publicUrl);
    ctx.redirect(paths[chosen]);
    return true;
  }
  if (ctx.path !== paths.en) return false;
  ctx.vary('Accept-Language');
  ctx.vary('Cookie');
  if (readerLanguage(ctx) !== 'ru') return false;
  ctx.redirect(paths.ru + ctx.search);
  return true;
}
