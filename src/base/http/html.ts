import { escapeAttribute } from '../contract/escape-html';
import { withVersion } from './asset-version';

/** Marks text as HTML; everything else on a page is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

/** html`<p>${text}</p>`: escapes values unless they are Html; joins arrays. */
export function html(strings: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(strings.map((part, index) => part + present(values[index], index, values.length)).join(''));
}

function present(value: unknown, index: number, count: number): string {
  if (index >= count || value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map((item) => present(item, 0, 1)).join('');
  return escapeAttribute(String(value));
}

/** What every page's head has: the rest of it follows. */
export function pageHead(page: {
  title: string;
  /** Null on a server without files. */
  style: string | null;
  /** For pages that a search engine must not list. */
  noindex?: boolean;
}): Html {
  return html`<meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${page.noindex && html`<meta name="robots" content="noindex" />`}
    <title>${page.title}</title>
    ${
      page.style !== null &&
      html`<link rel="icon" href="${withVersion('/assets/icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${withVersion(page.style)}" />`
    }`;
}
