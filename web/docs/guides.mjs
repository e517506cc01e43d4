import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Marked } from 'marked';
import { sequence } from './sequence.mjs';

/** The guides in the order of the menu. The webhooks guide is also a document of the repository. */
const sources = [
  { slug: 'start', file: 'docs/guides/start.md' },
  { slug: 'login', file: 'docs/guides/login.md' },
  { slug: 'embed', file: 'docs/guides/embed.md' },
  { slug: 'webhooks', file: '../docs/receiving-webhooks.md' },
  { slug: 'publishing', file: 'docs/guides/publishing.md' },
  { slug: 'sending', file: 'docs/guides/sending.md' },
];

/** Turns the Markdown guides into guides.json, from which the server renders pages and the search index. */
export function guides(web) {
  return {
    name: 'herald-guides',
    generateBundle() {
      const built = sources.map(({ slug, file }) => guide(slug, readFileSync(path.join(web, file), 'utf8')));
      this.emitFile({ type: 'asset', fileName: 'guides.json', source: JSON.stringify(built) });
    },
  };
}

function guide(slug, markdown) {
  const sections = [];
  const marked = new Marked();
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${content}</h1>`;
        const id = anchor(text);
        sections.push({ id, title: plain(content), text: '' });
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${depth}>`;
      },
      code({ text, lang }) {
        if (lang === 'sequence') return sequence(text);
        return `<pre tabindex="0"><code>${escape(text)}</code></pre>`;
      },
      // Links to files of the repository would be dead on the site: keep only their text.
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        return href.startsWith('../') ? content : `<a href="${href}">${content}</a>`;
      },
      table(token) {
        const cells = (row, tag) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>`;
      },
    },
  });
  const html = marked.parse(markdown);
  const title = plain(/<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? slug);
  // The text under each heading, for the search.
  const parts = html.split(/<h[2-6] id="[^"]+">/);
  sections.forEach((section, index) => (section.text = plain(parts[index + 1] ?? '')));
  return { slug, title, html, intro: plain(parts[0] ?? ''), sections };
}

function anchor(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}

function plain(html) {
  return html
    .replaceAll(/<svg.*?<\/svg>/gs, ' ')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&lt;/g, '<')
    .replaceAll(/&gt;/g, '>')
    .replaceAll(/&quot;/g, '"')
    .replaceAll(/&#39;/g, "'")
    .replaceAll(/&amp;/g, '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
