import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const documents = ['README.md', 'CONTRIBUTING.md', ...readdirSync(path.join(root, 'docs'))]
  .map((name) => (existsSync(path.join(root, name)) ? name : `docs/${name}`))
  .filter((name) => name.endsWith('.md'));
const folders = ['src', 'test', 'workflows', 'activities', 'web', 'bench', 'ops', 'examples', 'sdk', 'bin'];

test.each(documents)('%s names only files and folders that exist', (document) => {
  const named = [...read(document).matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/?)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => folders.includes(name.split('/')[0] ?? ''));
  expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

test('every promise of docs/security.md names a test', () => {
  const promises = read('docs/security.md')
    .split('\n')
    .filter((line) => /^\| (?!-|Promise)/.test(line));
  expect(promises.filter((promise) => !/`test\/[^`]+\.test\.ts`/.test(promise))).toEqual([]);
});
