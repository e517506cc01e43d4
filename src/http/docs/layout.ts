import { html, type Html } from '../html';

/** The pages of the documentation, in the order of the menu. */
const contents = [
  { path: '/docs', title: 'Quick start' },
  { path: '/docs/login', title: 'Login flows' },
  { path: '/docs/embed', title: 'Login button' },
  { path: '/docs/webhooks', title: 'Receiving webhooks' },
  { path: '/docs/events', title: 'Events' },
  { path: '/docs/publishing', title: 'Publishing events' },
  { path: '/docs/sending', title: 'Sending messages' },
  { path: '/docs/reference', title: 'API reference' },
  { path: '/docs/errors', title: 'Errors' },
  { path: '/docs/limits', title: 'Limits' },
] as const;

export type DocsPath = (typeof contents)[number]['path'];

/** A documentation page. It works without JavaScript, except for the search. */
export function docsPage(path: DocsPath, title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Herald</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/docs/docs.css" />
        <script type="module" src="/assets/docs.js"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to content</a>
        <header class="top">
          <a class="brand" href="/docs"
            ><img src="/assets/icon.svg" alt="" width="28" height="28" /> Herald</a
          >
          <search id="search" hidden>
            <label class="visually-hidden" for="query">Search the documentation</label>
            <input id="query" type="search" placeholder="Search" autocomplete="off" aria-controls="results" />
            <ul id="results" hidden></ul>
            <p id="search-status" class="visually-hidden" role="status"></p>
          </search>
          <a href="/dashboard">Dashboard</a>
        </header>
        <div class="columns">
          <nav class="side" aria-label="Documentation">
            ${contents.map(
              (entry) =>
                html`<a href="${entry.path}" ${entry.path === path ? html`aria-current="page"` : ''}>
                  ${entry.title}
                </a>`,
            )}
            <a href="/openapi.json">openapi.json</a>
          </nav>
          <main id="content">${content}</main>
        </div>
      </body>
    </html>`.text;
}
