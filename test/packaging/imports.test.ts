import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.join(__dirname, '..', '..');

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return sources(file);
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}

function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
  );
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier;
    if (!specifier || !ts.isStringLiteral(specifier)) return [];
    const to = specifier.text.startsWith('.')
      ? path.join(path.dirname(file), specifier.text)
      : `npm:${specifier.text.replace(/^node:/, '')}`;
    return [{ from: file, to, typeOnly: isTypeOnly(statement) }];
  });
}

function isTypeOnly(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  const clause = statement.importClause;
  if (!clause) return false;
  if (clause.isTypeOnly) return true;
  const named = clause.namedBindings;
  return (
    !clause.name &&
    !!named &&
    ts.isNamedImports(named) &&
    named.elements.every((element) => element.isTypeOnly)
  );
}

const all = ['src', 'workflows', 'activities'].flatMap(sources).flatMap(importsOf);
const within = (folder: string) => (file: string) => file === folder || file.startsWith(`${folder}/`);

/** Imports that run code (types cost nothing) and lead from one room into another where they may not. */
function wrongWays(folder: string, forbidden: string[]): string[] {
  const isForbidden = (to: string) => forbidden.some((room) => within(room)(to));
  return all
    .filter(({ from, to, typeOnly }) => within(folder)(from) && !typeOnly && isForbidden(to))
    .map(({ from, to }) => `${from} → ${to}`);
}

describe('imports go one way', () => {
  it('finds imports at all', () => {
    expect(all.length).toBeGreaterThan(100);
  });

  it.each([
    [
      'src/contracts',
      [
        'src/db',
        'src/http',
        'src/bots',
        'src/webhooks',
        'src/temporal',
        'src/embedded',
        'activities',
        'workflows',
      ],
    ],
    [
      'src/db',
      ['src/http', 'src/bots', 'src/temporal', 'src/embedded', 'src/roles', 'activities', 'workflows'],
    ],
    ['src/webhooks', ['src/http', 'src/bots', 'src/temporal', 'src/embedded', 'src/roles', 'activities']],
    ['src/bots', ['src/embedded', 'src/roles', 'activities', 'workflows']],
    ['activities', ['src/http', 'src/embedded', 'src/roles', 'src/cli']],
    ['src/http', ['src/embedded', 'src/roles', 'src/cli', 'activities']],
    ['src/embedded/simulator', ['src/http', 'src/bots', 'src/db', 'src/temporal', 'src/roles', 'activities']],
  ])('from %s never into %j', (folder, forbidden) => {
    expect(wrongWays(folder, forbidden)).toEqual([]);
  });

  it('from workflows only to themselves, to names and to the Temporal SDK: their code is replayed', () => {
    const allowed = (to: string) =>
      within('workflows')(to) ||
      to === 'src/temporal/names' ||
      /^npm:@temporalio\/(workflow|common)/.test(to);
    const wrong = all.filter(
      ({ from, to, typeOnly }) => within('workflows')(from) && !typeOnly && !allowed(to),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps all SQL in db', () => {
    const statement =
      /[`'"]\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s[\s\S]*?\b(FROM|SET|VALUES|AS \()/;
    const elsewhere = ['src/http', 'src/bots', 'src/webhooks', 'activities', 'workflows']
      .flatMap(sources)
      .filter((file) => statement.test(readFileSync(path.join(root, file), 'utf8')));
    expect(elsewhere).toEqual([]);
  });
});
