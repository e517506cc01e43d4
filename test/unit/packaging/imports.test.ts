import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { domains, floorOf, floors, layers, roomOf, root, sources } from '../../support/rooms';

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
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

const files = ['src', 'workflows', 'activities'].flatMap(sources);
const all = files.flatMap(importsOf).filter(({ to }) => !to.startsWith('npm:'));

const isContract = (file: string) => path.basename(file) === 'contract';
const show = ({ from, to }: Import) => `${from} → ${to}`;

/** Imports between two rooms, of which at least the first must be known. */
const between = all.flatMap((each) => {
  const [from, to] = [roomOf(each.from), roomOf(resolved(each.to))];
  return from !== null && to !== null && from !== to ? [{ ...each, fromRoom: from, toRoom: to }] : [];
});

/** A folder is imported as its index. */
function resolved(to: string): string {
  const file = to.replace(/\.js$/, '');
  return files.includes(`${file}.ts`) ? file : path.join(file, 'index');
}

describe('imports go one way', () => {
  it('finds imports at all, and knows every room', () => {
    expect(all.length).toBeGreaterThan(500);
    const rooms = new Set(files.map(roomOf).filter((room) => room !== null));
    expect([...rooms].filter((room) => floorOf(room) < 0)).toEqual([]);
  });

  it('never leads up, nor from one domain to its neighbour on the same floor', () => {
    const wrong = between.filter(({ to, fromRoom, toRoom }) => {
      // Contracts are plain data and lie below everything.
      if (isContract(to)) return false;
      const [from, target] = [floorOf(fromRoom), floorOf(toRoom)];
      return target > from || (target === from && domains.has(fromRoom));
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('leads into another domain only through its index or its contract', () => {
    const wrong = between.filter(
      ({ to, fromRoom, toRoom }) =>
        domains.has(fromRoom) &&
        domains.has(toRoom) &&
        !isContract(to) &&
        path.basename(resolved(to)) !== 'index',
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it('leads from a contract to nothing but contracts, zod and the check for an IP address', () => {
    const wrong = files
      .filter((file) => path.basename(file) === 'contract.ts')
      .flatMap(importsOf)
      .filter(
        ({ to }) =>
          !['npm:zod', 'npm:net'].includes(to) && !isContract(to) && roomOf(resolved(to)) !== 'contract',
      );
    expect(wrong.map(show)).toEqual([]);
  });

  it('leads from lib and the layers to no file of the process but the types of its settings', () => {
    const wrong = all.filter(({ from, to, typeOnly }) => {
      const room = roomOf(from);
      return (
        room !== null &&
        (layers.has(room) || domains.has(room)) &&
        /^src\/[^/]+$/.test(resolved(to)) &&
        !typeOnly
      );
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('leads from src to workflows and activities for types only, except where the worker is built', () => {
    const wrong = all.filter(
      ({ from, to, typeOnly }) =>
        from.startsWith('src/') &&
        /^(workflows|activities)(\/|$)/.test(to) &&
        !typeOnly &&
        from !== 'src/roles/worker.ts',
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it('leads from workflows only to themselves and to pure files: their code is replayed', () => {
    const pure = ['src/temporal/names', 'src/login/flows', 'src/webhooks/retrying-attributes'];
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
    for (const { from, to } of all) {
      const key = from.replace(/\.ts$/, '');
      next.set(key, [...(next.get(key) ?? []), resolved(to)]);
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

/** From the top: the files of `src` that are in no room, `workflows` and `activities` count as one room each. */
function chainRoomOf(file: string): string {
  return roomOf(file) ?? (file.startsWith('src') ? 'src' : (file.split(path.sep)[0] ?? ''));
}

describe('the longest chain of imports between rooms', () => {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of all) {
    const key = from.replace(/\.tsx?$/, '');
    next.set(key, (next.get(key) ?? new Set<string>()).add(resolved(to)));
  }
  const longest = new Map<string, string[]>();
  /** The rooms on the path from this file that leads most often from one room into another. */
  function chainFrom(file: string): string[] {
    const known = longest.get(file);
    if (known) return known;
    const room = chainRoomOf(file);
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
      file.startsWith('src/db/') || /\/queries(\.ts|\/)/.test(file) || file === 'src/embedded/postgres.ts';
    const elsewhere = files.filter(
      (file) => !isPlace(file) && statement.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(elsewhere).toEqual([]);
  });
});
