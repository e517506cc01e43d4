import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const documents = ['README.md', 'CONTRIBUTING.md', ...readdirSync(path.join(root, 'docs'))]
  .map((name) => (existsSync(path.join(root, name)) ? name : `docs/${name}`))
  .concat(
    readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => `src/${name}`),
  )
  .filter((name) => name.endsWith('.md'));
const folders = ['src', 'test', 'workflows', 'activities', 'web', 'bench', 'ops', 'examples', 'sdk', 'bin'];

const pathsIn = (text: string) =>
  [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/?)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => folders.includes(name.split('/')[0] ?? ''));

test.each(documents)('%s names only files and folders that exist', (document) => {
  expect(pathsIn(read(document)).filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

test('the paths of a text are found', () => {
  expect(pathsIn('See `src/base/config/index.ts`, `docs/x.md` and\n| `test/unit/` |')).toEqual([
    'src/base/config/index.ts',
    'test/unit/',
  ]);
  expect(documents).toEqual(
    expect.arrayContaining(['README.md', 'docs/architecture.md', 'src/domains/webhooks/README.md']),
  );
});

test('every promise of docs/security.md names a test', () => {
  const tables = read('docs/security.md')
    .split(/\n{2,}/)
    .filter((block) => block.startsWith('| Promise'));
  expect(tables.length).toBeGreaterThan(5);
  // Below the row of titles and the one of dashes.
  const promises = tables.flatMap((table) => table.trim().split('\n').slice(2));
  expect(promises.filter((promise) => !/`test\/[^`]+\.test\.ts`/.test(promise))).toEqual([]);
});
