import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Marked } from 'marked';
import { escape, sequence } from './sequence.mjs';

/** The English webhooks guide is also a document of the repository. */
const elsewhere = { webhooks: '../docs/receiving-webhooks.md' };

/** The icons of the frame, for a sprite: pages of the server cannot inline them. */
const icons = { bars: '24/outline/bars-3', search: '20/solid/magnifying-glass' };

/** Turns the Markdown guides into guides.json, from which the server renders pages and the search index. */
export function guides(web) {
  return {
    name: 'herald-guides',
    generateBundle() {
      const read = (file) => readFileSync(path.join(web, file), 'utf8');
      const originals = slugsOf(web).map((slug) =>
        guide({ slug, language: 'en' }, read(elsewhere[slug] ?? `docs/guides/${slug}.md`)),
      );
      const built = [
        ...originals,
        ...originals.map((original) => translation(original, read(`docs/guides/ru/${original.slug}.md`))),
      ];
      this.emitFile({ type: 'asset', fileName: 'guides.json', source: JSON.stringify(built) });
      this.emitFile({ type: 'asset', fileName: 'docs-icons.svg', source: sprite(web) });
    },
  };
}

/** Each guide, in both languages; src/site/docs/contents.ts says where it stands in the menu. */
function slugsOf(web) {
  const files = readdirSync(path.join(web, 'docs/guides')).filter((name) => name.endsWith('.md'));
  return [...files.map((name) => path.basename(name, '.md')), ...Object.keys(elsewhere)];
}

function sprite(web) {
  const symbols = Object.entries(icons).map(([id, file]) => {
    const svg = readFileSync(path.join(web, '..', 'node_modules', 'heroicons', `${file}.svg`), 'utf8');
    return svg.replace(/<svg[^>]*?(viewBox="[^"]*")[^>]*>/, (all, viewBox) => {
      const paint = [...all.matchAll(/ (fill|stroke|stroke-width)="[^"]*"/g)].map(([text]) => text).join('');
      return `<symbol id="${id}" ${viewBox}${paint}>`;
    });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('').replaceAll('</svg>', '</symbol>')}</svg>`;
}

/**
 * Splits a guide into rows: text, and the code that follows it. Code between `<!-- tabs -->` and `<!-- /tabs -->` becomes
 * one block with a tab for each language; the lines between, which name the languages, are for readers of the file.
 *
 * A translation has no code of its own: each `<!-- code -->` in it stands for the next block of the original, so that
 * the two cannot differ. Its headings have the anchors of the original.
 */
function guide({ slug, language }, file, original) {
  const { menu, markdown } = withoutFrontMatter(file);
  const sections = [];
  const marked = markdownRenderer(sections, language, original);
  const rows = [];
  const blocks = original ? original.rows.flatMap(({ code }) => code) : [];
  let tabs;
  const add = (html) => {
    const last = rows.at(-1);
    if (last && last.code.length === 0 && !last.wide && !html.startsWith('<h2')) last.html += html;
    else rows.push({ html, code: [] });
  };
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'html' && /^<!-- tabs -->/.test(token.raw)) tabs = [];
    else if (token.type === 'html' && /^<!-- code -->/.test(token.raw)) beside(rows).push(blocks.shift());
    else if (token.type === 'html' && /^<!-- \/tabs -->/.test(token.raw)) {
      beside(rows).push({ kind: 'tabs', tabs });
      tabs = undefined;
    } else if (tabs && token.type === 'code') tabs.push({ language: token.lang, code: token.text });
    else if (tabs || token.type === 'space') continue;
    else if (token.type === 'code' && token.lang === 'sequence') {
      rows.push({ html: sequence(token.text, language), wide: true, code: [] });
    } else if (token.type === 'code') beside(rows).push(codeOf(token));
    else add(marked.parser([token]));
  }
  const html = rows.map((row) => row.html).join('');
  const title = plain(/<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? slug);
  // The text under each heading, for the search.
  const parts = html.split(/<h[2-6] id="[^"]+">/);
  sections.forEach((section, index) => {
    section.facts = factsOf(parts[index + 1] ?? '');
    section.text = plain((parts[index + 1] ?? '').replace(/^.*?<\/h\d>/s, '').replaceAll(FACTS, ''));
  });
  return {
    slug,
    language,
    title,
    menu: menu ?? title,
    rows,
    intro: plain((parts[0] ?? '').replace(/<h1>.*?<\/h1>/s, '')),
    sections,
  };
}

/** `menu: …` between two lines of `---`: the title in the menu, where it is not that of the page. */
function withoutFrontMatter(file) {
  const [all = '', menu] = /^---\nmenu: (.+)\n---\n/.exec(file) ?? [];
  return { menu, markdown: file.slice(all.length) };
}

/** A guide in Russian. A translation that has fallen behind its original ends the build. */
function translation(original, markdown) {
  const translated = guide({ slug: original.slug, language: 'ru' }, markdown, original);
  const differs = Object.entries(outline(original)).filter(
    ([aspect, value]) => value !== outline(translated)[aspect],
  );
  for (const [aspect, value] of differs) {
    throw new Error(
      `the Russian guide "${original.slug}" has other ${aspect}:\n${outline(translated)[aspect]}\ninstead of\n${value}`,
    );
  }
  return translated;
}

/** What both languages of a guide have in common, as text: headings, links, and the code of each section. */
function outline({ rows, sections }) {
  const html = rows.map((row) => row.html).join('');
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) =>
    href.replace(/^\/docs\/ru(?=\/|$)/, '/docs'),
  );
  let section = 0;
  const code = rows.flatMap((row) => {
    section += [...row.html.matchAll(/<h[2-6] /g)].length;
    return row.code.map((block) => `${section}: ${JSON.stringify(block)}`);
  });
  return {
    headings: sections.map(({ id, depth }) => `${depth} ${id}`).join('\n'),
    links: links.sort().join('\n'),
    code: code.join('\n'),
    diagrams: String(rows.filter(({ wide }) => wide).length),
    tables: String(html.split(/<table/).length),
    facts: sections.map(({ facts }) => facts.length).join(),
  };
}

/** Where code goes: beside the last text. */
function beside(rows) {
  if (rows.length === 0 || rows.at(-1).wide) rows.push({ html: '', code: [] });
  return rows.at(-1).code;
}

/** A block in the form of an HTTP request is shown in every language of the samples. */
function codeOf({ lang = '', text }) {
  if (lang !== 'http') return { kind: 'code', language: lang, code: text };
  const [head, body] = text.split('\n\n');
  const [line, ...headers] = head.split('\n');
  const [, method, target] = /^([A-Z]+) (\/\S+)$/.exec(line) ?? [];
  if (!method) throw new Error(`invalid request in a guide: ${line}`);
  return {
    kind: 'request',
    method,
    path: target,
    headers: Object.fromEntries(headers.map((header) => header.split(': '))),
    ...(body ? { body: JSON.parse(body) } : {}),
  };
}

function markdownRenderer(sections, language, original) {
  const local = (href) => (language === 'ru' ? href.replace(/^\/docs(?=[/#]|$)/, '/docs/ru') : href);
  const marked = new Marked();
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const content = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1>${content}</h1>`;
        const id = original?.sections[sections.length]?.id ?? anchor(text);
        sections.push({ id, title: plain(content), depth, text: '' });
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${content}</a></h${depth}>`;
      },
      // Documents of the repository name pages of the service as code.
      codespan({ text }) {
        const code = `<code>${escape(text)}</code>`;
        return /^\/docs(\/|$)/.test(text) ? `<a href="${local(text)}">${code}</a>` : code;
      },
      // Links to files of the repository would be dead on the site: keep only their text.
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        return href.startsWith('../') ? content : `<a href="${local(href)}">${content}</a>`;
      },
      table(token) {
        const inline = (cell) => this.parser.parseInline(cell.tokens);
        if (token.header.every(({ text }) => text === '')) {
          return factsTable(
            token.rows.map((row) => row.map(inline)),
            sections.at(-1)?.title ?? '',
          );
        }
        const cells = (row, tag) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const body = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
        return `<div class="table" tabindex="0" role="group" aria-label="${plain(cells(token.header, 'th'))}"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>`;
      },
    },
  });
  return marked;
}

/** A table without a header: each row is a fact, which the search finds by itself. */
const FACTS = /<table class="facts">.*?<\/table>/gs;

function factsTable(rows, label) {
  const body = rows.map(([name, text]) => `<tr><th scope="row">${name}</th><td>${text}</td></tr>`).join('');
  return `<div class="table" tabindex="0" role="group" aria-label="${label}"><table class="facts"><tbody>${body}</tbody></table></div>`;
}

function factsOf(html) {
  const rows = (html.match(FACTS) ?? []).flatMap((table) => [
    ...table.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/gs),
  ]);
  return rows.map(([, name, text]) => ({ name: plain(name), text: plain(text) }));
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
