import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { STATEMENT_BY_STATEMENT, statementsOf } from '../../../src/base/db/migrate';

const root = path.join(__dirname, '..', '..', '..');

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return sources(file);
    return entry.name.endsWith('.ts') ? [file] : [];
  });
}

/** The texts in quotes of a file, without its comments. */
function textsOf(file: string): string[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      texts.push(node.text);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return texts;
}

const statements = sources('src')
  .filter((file) => file.startsWith('src/base/db/') || /\/queries(\.ts|\/)/.test(file))
  .flatMap((file) => textsOf(file).map((text) => ({ file, text })));

const found = (pattern: RegExp) =>
  statements.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([match]) => `${file}: ${match}`));

const folder = path.join(root, 'src', 'base', 'db', 'migrations');
const migrations = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => ({ name, sql: readFileSync(path.join(folder, name), 'utf8') }));

describe('SQL', () => {
  it('is found at all', () => {
    expect(statements.filter(({ text }) => /\bSELECT\b/.test(text)).length).toBeGreaterThan(100);
    expect(migrations.length).toBeGreaterThan(0);
  });

  // A prepared `SELECT *` fails once on every connection after a column was added (0A000).
  it('lists its columns', () => {
    expect(found(/\b(?:SELECT|DISTINCT|RETURNING)\s+\*|[\w)]\.\*|,\s*\*\s*(?:,|FROM\b)/g)).toEqual([]);
  });

  // now() is the beginning of the transaction: after a wait for a lock, a lease that starts there is too short.
  it('computes leases and expiries from the clock', () => {
    expect(found(/\bnow\(\)\)*\s*\+\s*(?:make_interval|interval)\b/g)).toEqual([]);
  });
});

describe('a migration', () => {
  it.each(migrations)('$name builds indexes of existing tables concurrently', ({ sql }) => {
    const created = new Set([...sql.matchAll(/CREATE (?:UNLOGGED )?TABLE (\w+)/g)].map(([, table]) => table));
    const blocking = [...sql.matchAll(/CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)\w+\s+ON (\w+)/g)]
      .map(([, table]) => table)
      .filter((table) => !created.has(table));
    expect(blocking).toEqual([]);
  });

  it.each(migrations)('$name is safe to repeat where it runs statement by statement', ({ sql }) => {
    if (!sql.startsWith(STATEMENT_BY_STATEMENT)) {
      expect(sql).not.toMatch(/\bCONCURRENTLY\b/);
      return;
    }
    const once = statementsOf(sql).filter(
      (statement) => !/\bIF (NOT )?EXISTS\b|\bON CONFLICT DO NOTHING\b/.test(statement),
    );
    expect(once).toEqual([]);
  });
});
