import { withVersion } from '../../base/http/asset-version';
import type { Language } from '../../base/contract/common';
import { html, pageHead, type Html } from '../../base/http/html';
import { localPath, menu, type MenuGroup } from './contents';
import { CHOICE } from '../../base/http/reader-language';
import { texts } from './texts';

/** A heading of the page, for the table of contents. */
export interface Heading {
  id: string;
  title: string;
}

export interface DocsPage {
  /** The path of the page in English. */
  path: string;
  title: string;
  headings?: Heading[];
  content: Html;
}

/** Renders a page into the frame of the documentation; `resources` are the tags of the API. */
export type RenderPage = (page: DocsPage, language: Language) => string;

export function createLayout(resources: string[], guides: Parameters<typeof menu>[2]): RenderPage {
  const menus = { en: menu('en', resources, guides), ru: menu('ru', resources, guides) };
  return (page, language) => docsPage(page, language, menus[language]);
}

/**
 * A documentation page: navigation, text and code. It works without JavaScript, except for the search, the buttons that
 * copy, the memory of the chosen language, "Try it" and the signature debugger.
 */
function docsPage(
  { path, title, headings = [], content }: DocsPage,
  language: Language,
  menu: MenuGroup[],
): string {
  const words = texts[language];
  const other = language === 'en' ? 'ru' : 'en';
  const shown = localPath(path, language);
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        ${pageHead({ title: `${title} · Herald`, style: '/docs/docs.css' })}
        <link rel="alternate" hreflang="en" href="${path}" />
        <link rel="alternate" hreflang="ru" href="${localPath(path, 'ru')}" />
        <link rel="alternate" hreflang="x-default" href="${path}" />
        <script src="${withVersion('/assets/docs-language.js')}"></script>
        <script type="module" src="${withVersion('/assets/docs.js')}"></script>
      </head>
      <body>
        <a class="skip" href="#content">${words.skip}</a>
        <header class="top">
          <button class="btn quiet menu" type="button" popovertarget="menu">
            ${icon('bars')}<span>${words.menu}</span>
          </button>
          <a class="brand" href="${localPath('/docs', language)}"
            ><img src="/assets/icon.svg" alt="" width="26" height="26" /> Herald <span>${words.docs}</span></a
          >
          <search id="search" hidden>
            <label class="visually-hidden" for="query">${words.searchLabel}</label>
            ${icon('search')}
            <input
              id="query"
              type="search"
              placeholder="${words.search}"
              autocomplete="off"
              aria-controls="results"
              aria-keyshortcuts="/"
              data-index="${localPath('/docs/search.json', language)}"
              data-none="${words.noResults}"
              data-count="${words.results}"
            />
            <kbd aria-hidden="true">/</kbd>
            <div id="results" hidden>
              <ul></ul>
              <p id="search-none" hidden></p>
            </div>
            <p id="search-status" class="visually-hidden" role="status"></p>
          </search>
          <a
            class="translation"
            href="${localPath(path, other)}?${CHOICE}=${other}"
            hreflang="${other}"
            lang="${other}"
            >${words.otherLanguage}</a
          >
          <a class="to-dashboard" href="/dashboard">${words.dashboard}</a>
        </header>
        <div class="columns">
          <nav class="contents" id="menu" popover aria-label="${words.navigation}">
            ${menu.map((group) => navigationGroup(group, shown, headings, words.onThisPage))}
            <a class="file" href="/openapi.json">openapi.json</a>
          </nav>
          <main id="content">${content}</main>
        </div>
      </body>
    </html>`.text;
}

function navigationGroup(
  { title, entries }: MenuGroup,
  path: string,
  headings: Heading[],
  onThisPage: string,
) {
  return html`<h2>${title}</h2>
    <ul>
      ${entries.map(
        (entry) =>
          html`<li>
            <a href="${entry.path}" ${entry.path === path ? html`aria-current="page"` : ''}>${entry.title}</a>
            ${entry.path === path && headings.length > 0 && tableOfContents(headings, onThisPage)}
          </li>`,
      )}
    </ul>`;
}

function tableOfContents(headings: Heading[], label: string): Html {
  return html`<ul class="toc" aria-label="${label}">
    ${headings.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
  </ul>`;
}

/** An icon of the sprite that is built from the shared set. */
export function icon(name: 'bars' | 'search'): Html {
  return html`<svg class="icon" aria-hidden="true"><use href="/assets/docs-icons.svg#${name}"></use></svg>`;
}

/** A heading that links to itself. */
export function heading(level: 2 | 3, id: string, content: Html | string): Html {
  const link = html`<a class="anchor" href="#${id}">${content}</a>`;
  return level === 2 ? html`<h2 id="${id}">${link}</h2>` : html`<h3 id="${id}">${link}</h3>`;
}

/** Text beside its code; below it on a narrow screen. */
export function row(text: Html, code: Html | Html[] | '' = ''): Html {
  return html`<div class="row">
    <div class="text">${text}</div>
    ${code !== '' && html`<div class="aside">${code}</div>`}
  </div>`;
}
