import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.join(__dirname, '..', '..', '..');

/** Where a messenger may be named: its own folder, the registry, the simulator, texts, examples and the demo's data. */
const allowed = [
  /^src\/domains\/bots\/(telegram|max)\//,
  'src/domains/bots/registry.ts',
  /^src\/domains\/bots\/texts/,
  /^(src\/local|web)\/simulator\//,
  'src/local/demo/index.ts',
  // The channel of all examples.
  'src/base/contract/common.ts',
  /^src\/site\/docs\//,
  /^web\/dashboard\/texts\//,
];

function isAllowed(file: string): boolean {
  return allowed.some((place) => (typeof place === 'string' ? place === file : place.test(file)));
}

function filesOf(folder: string, extension: RegExp): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && extension.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !isAllowed(file));
}

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** `telegram`, `max_link`, `TELEGRAM_BOT_TOKEN`, `./max/client`; sentences may speak of the messengers. */
function isName(text: string): boolean {
  return (
    /^telegram|\/telegram|^max(_link|_mini_app)?$|^MAX_(BOT|API|MINI)|\/max(\/|$)/i.test(text) &&
    !/\s/.test(text)
  );
}

/** Names in code; `max` alone is also the largest of something. */
function namesIn(file: string): string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true, kind);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (isName(node.text)) found.push(`${file}: ${node.text}`);
    } else if (ts.isJsxText(node)) {
      if (/\b(Telegram|MAX)\b/.test(node.text)) found.push(`${file}: ${node.text.trim()}`);
    } else if (
      ts.isIdentifier(node) &&
      /telegram|^max(Link|MiniApp|Bot|Token)|[a-z]Max(Bot|Messenger|Update|Link)/i.test(node.text)
    ) {
      found.push(`${file}: ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it('no code outside its folder, the registry, the simulator and texts names a messenger', () => {
  const files = ['src', 'web', 'workflows', 'activities'].flatMap((folder) => filesOf(folder, /\.tsx?$/));
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap(namesIn)).toEqual([]);
});

it('no statement of the schema lists the messengers', () => {
  const listed = filesOf('src/base/db/migrations', /\.sql$/).filter((file) =>
    /telegram|'max'/i.test(read(file).replaceAll(/--.*$/gm, '')),
  );
  expect(listed).toEqual([]);
});

it('no style is for one messenger', () => {
  const styled = filesOf('web', /\.css$/).filter((file) => /telegram|\.max\b|['"]max['"]/i.test(read(file)));
  expect(styled).toEqual([]);
});
