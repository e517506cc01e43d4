import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { routeSpecs } from '../../../sdk/generator/routes';
import { errorCodes } from '../../../src/base/contract/errors';
import { auditActionOf } from '../../../src/base/http/audit-action';
import { auditEn, auditFieldsEn } from '../../../web/dashboard/texts/audit-en';
import { auditFieldsRu, auditRu } from '../../../web/dashboard/texts/audit-ru';
import { en } from '../../../web/dashboard/texts/en';
import { formsEn } from '../../../web/dashboard/texts/forms-en';
import { formsRu } from '../../../web/dashboard/texts/forms-ru';
import { inboxEn } from '../../../web/dashboard/texts/inbox-en';
import { inboxRu } from '../../../web/dashboard/texts/inbox-ru';
import { pagesEn } from '../../../web/dashboard/texts/pages-en';
import { pagesRu } from '../../../web/dashboard/texts/pages-ru';
import { ru } from '../../../web/dashboard/texts/ru';

const dashboard = path.join(__dirname, '..', '..', '..', 'web', 'dashboard');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'texts' ? [] : sources(file);
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}

const files = sources(dashboard).map((file) =>
  ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true),
);

function visitAll(visit: (node: ts.Node) => void): void {
  const each = (node: ts.Node) => {
    visit(node);
    ts.forEachChild(node, each);
  };
  for (const file of files) each(file);
}

/** Names that are the same in every language. */
const names = new Set(['Herald', 'Telegram', 'MAX', 'Markdown', 'HTML']);
const shown = new Set(['label', 'title', 'text', 'hint', 'placeholder', 'aria-label', 'alt', 'confirm']);
/** Names of events and actions, which are codes. */
const isCode = (text: string) => /^[a-z]+(\.[a-z_]+)+$/.test(text.trim());
const hasWord = (text: string) => /\p{L}{2}/u.test(text) && !names.has(text.trim()) && !isCode(text);

/** The shape of a catalogue: names of all texts, with those of nested tables. */
function shape(texts: object): string[] {
  return Object.entries(texts).flatMap(([name, value]) =>
    typeof value === 'object' && !Array.isArray(value) && name !== 'errors'
      ? Object.keys(value as object).map((inner) => `${name}.${inner}`)
      : [name],
  );
}

describe('the texts of the dashboard', () => {
  it('are there in both languages, and none is empty', () => {
    expect(shape(ru).sort()).toEqual(shape(en).sort());
    expect(shape(inboxRu).sort()).toEqual(shape(inboxEn).sort());
    expect(shape(formsRu).sort()).toEqual(shape(formsEn).sort());
    expect(shape(pagesRu).sort()).toEqual(shape(pagesEn).sort());
    expect(shape(auditRu).sort()).toEqual(shape(auditEn).sort());
    expect(shape(auditFieldsRu).sort()).toEqual(shape(auditFieldsEn).sort());
    for (const texts of [en, ru, inboxEn, inboxRu, formsEn, formsRu, auditEn, auditRu, pagesEn, pagesRu]) {
      const empty = Object.entries(texts).filter(([, value]) => (value as unknown) === '');
      expect(empty).toEqual([]);
    }
  });

  it('have words in Russian for every error of the API', () => {
    expect(errorCodes.filter((code) => !(code in ru.errors))).toEqual([]);
  });

  it('have a name for every action of the audit log', () => {
    const byRequest = routeSpecs().map(auditActionOf);
    const source = path.join(__dirname, '..', '..', '..', 'src');
    const byOthers = sources(source).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:byCli\([^']*|\baction: )'([a-z_]+\.[a-z_]+)'/g)].map(
        ([, action]) => action,
      ),
    );
    expect(byOthers).toContain('webhook.disabled');
    const known: string[] = Object.keys(auditEn);
    const all = [...byRequest, ...byOthers].filter((action) => action !== null && action !== undefined);
    expect([...new Set(all)].filter((action) => !known.includes(action))).toEqual([]);
  });

  it('are all used, and every text that is used exists', () => {
    const used = {
      t: new Set<string>(),
      inbox: new Set<string>(),
      forms: new Set<string>(),
      pages: new Set<string>(),
    };
    /** `w` are those of the inbox or of the forms, which are loaded with their pages. */
    const catalogueOf = (node: ts.Node) => {
      const name = node.getText().replace(/^(words\(\)|copy\[lang\])$/, 'w');
      if (name === 't') return used.t;
      if (name === 'p' || name === 'pageTexts()') return used.pages;
      if (name !== 'w') return null;
      return path.basename(path.dirname(node.getSourceFile().fileName)) === 'forms' ? used.forms : used.inbox;
    };
    visitAll((node) => {
      if (ts.isPropertyAccessExpression(node)) catalogueOf(node.expression)?.add(node.name.text);
      if (!ts.isVariableDeclaration(node) || !node.initializer || !ts.isObjectBindingPattern(node.name)) {
        return;
      }
      for (const { name } of node.name.elements) catalogueOf(node.initializer)?.add(name.getText());
    });
    for (const [texts, names] of [
      [en, used.t],
      [inboxEn, used.inbox],
      [formsEn, used.forms],
      [pagesEn, used.pages],
    ] as const) {
      expect([...names].filter((name) => !(name in texts))).toEqual([]);
      expect(Object.keys(texts).filter((name) => !names.has(name))).toEqual([]);
    }
  });

  it('are not written into the pages themselves', () => {
    const found: string[] = [];
    visitAll((node) => {
      if (ts.isJsxText(node) && hasWord(node.text)) found.push(node.text.trim());
      if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
        const { text } = node.initializer;
        if (shown.has(node.name.getText()) && hasWord(text) && !text.startsWith('https:')) found.push(text);
      }
    });
    expect(found).toEqual([]);
  });
});
