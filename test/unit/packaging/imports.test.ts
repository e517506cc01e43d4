import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { domains, floorOf, floors, roomOf, root, sources } from '../../support/rooms';

interface Import {
  /** With its ending. */
  from: string;
  /** A file of ours without its ending, or `npm:` and the name of a package. */
  to: string;
  typeOnly: boolean;
}

const files = ['src', 'workflows', 'activities'].flatMap(sources);
const known = new Set(files);

/** Statements, `import()` and types that name a module. */
function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(path.join(root, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const to = specifier.text.startsWith('.')
      ? resolved(path.join(path.dirname(file), specifier.text))
      : `npm:${specifier.text.replace(/^node:/, '')}`;
    found.push({ from: file, to, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, isTypeOnly(node));
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)) {
      add(node.name, true);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
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

/** A folder is imported as its index. */
function resolved(to: string): string {
  const file = to.replace(/\.js$/, '');
  return known.has(`${file}.ts`) || file.endsWith('.json') ? file : path.join(file, 'index');
}

const all = files.flatMap(importsOf);
/** The SDK is a package of its own. */
const own = all.filter(({ to }) => /^(src|workflows|activities)\//.test(to));
const between = own
  .map((each) => ({ ...each, fromRoom: roomOf(each.from), toRoom: roomOf(each.to) }))
  .filter(({ fromRoom, toRoom }) => fromRoom !== toRoom);

const show = ({ from, to }: Pick<Import, 'from' | 'to'>) => `${from} → ${to}`;
const isContract = (file: string) => path.basename(file) === 'contract';

/** Imports that lead up, each with the reason why it stays. */
const upward: Record<string, string> = {};

describe('imports go one way', () => {
  it('finds imports at all, and knows every room', () => {
    expect(own.length).toBeGreaterThan(500);
    expect([...new Set(files.map(roomOf))].filter((room) => floorOf(room) < 0)).toEqual([]);
    const isFile = (to: string) => known.has(`${to}.ts`) || existsSync(path.join(root, to));
    expect(own.filter(({ to }) => !isFile(to)).map(show)).toEqual([]);
  });

  it('never leads up, nor to a neighbour on the same floor: contracts and types are no exception', () => {
    const wrong = between.filter(({ fromRoom, toRoom }) => floorOf(toRoom) >= floorOf(fromRoom));
    expect([...new Set(wrong.map(show))].sort()).toEqual(Object.keys(upward).sort());
  });

  it('leads into another domain only through its index or its contract', () => {
    const wrong = between.filter(
      ({ to, fromRoom, toRoom }) =>
        domains.has(fromRoom) && domains.has(toRoom) && !isContract(to) && path.basename(to) !== 'index',
    );
    expect([...new Set(wrong.map(show))].filter((each) => !(each in upward))).toEqual([]);
  });

  it('leads from a contract to nothing but contracts, zod and the check for an IP address', () => {
    const wrong = all.filter(
      ({ from, to }) =>
        path.basename(from) === 'contract.ts' &&
        !['npm:zod', 'npm:net'].includes(to) &&
        !isContract(to) &&
        roomOf(to) !== 'contract',
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it('leads to the activities only from where the worker is built', () => {
    const wrong = between.filter(
      ({ from, toRoom }) =>
        toRoom === 'activities' && !from.startsWith('workflows/') && from !== 'src/process/roles/worker.ts',
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it('leads from workflows only to themselves, types and pure files: their code is replayed', () => {
    const pure = [
      'src/base/temporal/names',
      'src/domains/login/flows',
      'src/domains/webhooks/retrying-attributes',
    ].filter((file) => existsSync(path.join(root, `${file}.ts`)));
    const wrong = ['workflows', ...pure.map((file) => `${file}.ts`)]
      .flatMap((place) => (place.endsWith('.ts') ? [place] : sources(place)))
      .flatMap(importsOf)
      .filter(({ to, typeOnly }) => {
        const allowed =
          to.startsWith('workflows/') || pure.includes(to) || /^npm:@temporalio\/(workflow|common)/.test(to);
        return !typeOnly && !allowed;
      });
    expect(wrong.map(show)).toEqual([]);
  });

  it('has no circles', () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of own) {
      const key = from.replace(/\.tsx?$/, '');
      next.set(key, [...(next.get(key) ?? []), to]);
    }
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, trail: string[]): void => {
      if (trail.includes(file)) {
        circles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
        return;
      }
      if (done.has(file)) return;
      for (const target of next.get(file) ?? []) visit(target, [...trail, file]);
      done.add(file);
    };
    for (const file of next.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});

it('rooms stand in the architecture document on the floors that the imports are checked by', () => {
  const document = readFileSync(path.join(root, 'docs', 'architecture.md'), 'utf8');
  const documented: string[][] = floors.map(() => []);
  for (const [, floor, rooms = ''] of document.matchAll(/^\| (\d+) +\| ([^|]+)\|/gm)) {
    documented[Number(floor)]?.push(...[...rooms.matchAll(/`(\w+)`/g)].map(([, room = '']) => room));
  }
  expect(documented.map((rooms) => rooms.sort())).toEqual(floors.map((rooms) => [...rooms].sort()));
});

describe('the longest chain of imports between rooms', () => {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of own) {
    const key = from.replace(/\.tsx?$/, '');
    next.set(key, (next.get(key) ?? new Set<string>()).add(to));
  }
  const longest = new Map<string, string[]>();
  /** The rooms on the path from this file that leads most often from one room into another. */
  function chainFrom(file: string): string[] {
    const found = longest.get(file);
    if (found) return found;
    const room = roomOf(`${file}.ts`);
    let best = [room];
    for (const target of next.get(file) ?? []) {
      const rest = chainFrom(target);
      const chain = rest[0] === room ? rest : [room, ...rest];
      if (chain.length > best.length) best = chain;
    }
    longest.set(file, best);
    return best;
  }

  it('has at most 14 imports from one room into another, types and contracts included', () => {
    const chains = [...next.keys()].map(chainFrom);
    const [chain = []] = chains.sort((one, other) => other.length - one.length);
    process.stdout.write(`${chain.length - 1} imports between rooms: ${chain.join(' → ')}\n`);
    expect(chain.length - 1).toBeLessThanOrEqual(14);
  });
});

describe('SQL', () => {
  it('is in db and in the queries of each room, and nowhere else', () => {
    const statement =
      /[`'"]\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s[\s\S]*?\b(FROM|SET|VALUES|AS \()/;
    // The last one creates the database itself.
    const isPlace = (file: string) =>
      file.startsWith('src/base/db/') ||
      /\/queries(\.ts|\/)/.test(file) ||
      file === 'src/local/postgres/index.ts';
    const elsewhere = files.filter(
      (file) => !isPlace(file) && statement.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(elsewhere).toEqual([]);
  });
});
