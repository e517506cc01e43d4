import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Language } from '../../base/contract/common';
import { packageRoot } from '../../base/lib/package-root';
import { html, Html } from '../../base/http/html';
import { codeBlock, requestBlock, tabbedBlock, type Tab } from './code-block';
import { guideOrder, guidePath } from './contents';
import { row, type DocsPage } from './layout';
import { withLimits } from './limit-texts';
import type { Operation } from './operations';
import { languages } from './samples';
import type { SdkCall } from './samples/request';
import { sdkCall } from './samples/sdk-call';
import { texts } from './texts';

/** Code of a guide: a block, the same in several languages, or a request, whose samples are generated. */
type GuideCode =
  | { kind: 'code'; language: string; code: string }
  | { kind: 'tabs'; tabs: { language: string; code: string }[] }
  | { kind: 'request'; method: string; path: string; headers: Record<string, string>; body?: unknown };

/** A guide, built from Markdown by web/docs/guides.mjs: text, and beside each part of it the code. */
export interface Guide {
  slug: string;
  language: Language;
  title: string;
  /** Its title in the menu. */
  menu: string;
  rows: { html: string; wide?: boolean; code: GuideCode[] }[];
  intro: string;
  sections: {
    id: string;
    title: string;
    depth: number;
    text: string;
    facts: { name: string; text: string }[];
  }[];
}

/** The guides in the order of the menu, with the limits filled in. */
export async function readGuides(): Promise<Guide[]> {
  const file = path.join(packageRoot, 'dist', 'web', 'guides.json');
  const guides = JSON.parse(await readFile(file, 'utf8')) as Guide[];
  return guides
    .map((guide) => JSON.parse(withLimits(JSON.stringify(guide), guide.language)) as Guide)
    .sort((a, b) => guideOrder.indexOf(a.slug) - guideOrder.indexOf(b.slug));
}

interface Installation {
  baseUrl: string;
  operations: Operation[];
}

/** The page of a guide, with the URL of this installation and a time to come in its examples. */
export function guidePage(guide: Guide, installation: Installation, more: Html = html``): DocsPage {
  const { baseUrl } = installation;
  const block = (each: GuideCode, place: string) => guideCode(each, place, guide.language, installation);
  const content = html`${guide.rows.map(({ html: text, wide, code }, index) =>
    wide
      ? html`<div class="row wide">${new Html(text)}</div>`
      : row(new Html(text), code.length === 0 ? '' : code.map((each, at) => block(each, `${index}-${at}`))),
  )}
  ${more}`;
  return {
    path: guidePath({ slug: guide.slug, language: 'en' }),
    title: guide.title,
    headings: guide.sections.filter(({ depth }) => depth === 2),
    content: new Html(
      content.text
        .replaceAll('{{base_url}}', html`${baseUrl}`.text)
        .replaceAll('{{next_year}}', String(new Date().getUTCFullYear() + 1)),
    ),
  };
}

const titles: Record<string, string> = {
  bash: 'Shell',
  sh: 'Shell',
  csv: 'CSV',
  html: 'HTML',
  ini: 'INI',
  js: 'JavaScript',
  json: 'JSON',
  python: 'Python',
  ts: 'TypeScript',
};
const tabIds: Record<string, string> = { ts: 'typescript' };

function guideCode(
  code: GuideCode,
  place: string,
  language: Language,
  { baseUrl, operations }: Installation,
): Html {
  const words = texts[language];
  switch (code.kind) {
    case 'code':
      return codeBlock(code.code, code.language, titles[code.language] ?? words.example, words);
    case 'tabs':
      return tabbedBlock(code.tabs.flatMap(knownTab), words.example, `tabs-${place}`, words);
    case 'request': {
      const { method, path: target, headers, body } = code;
      const url = baseUrl + target;
      const request = {
        method,
        url,
        call: callOf(operations, { method, url }),
        needsKey: true,
        headers,
        body,
        returns: 'json' as const,
      };
      return requestBlock(request, `request-${place}`, words);
    }
  }
}

function callOf(operations: Operation[], request: { method: string; url: string }): SdkCall {
  for (const operation of operations) {
    const call = sdkCall(operation, request);
    if (call) return call;
  }
  throw new Error(`a guide has the unknown request ${request.method} ${request.url}`);
}

function knownTab({ language, code }: { language: string; code: string }): Tab[] {
  const known = languages.find(({ id }) => id === (tabIds[language] ?? language));
  if (!known) throw new Error(`a guide has a tab in the unknown language "${language}"`);
  return [{ id: known.id, code }];
}
