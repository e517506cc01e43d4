import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '..', '..', '..');
const page = readFileSync(path.join(root, 'docs', 'security.md'), 'utf8');

test('every promise of docs/security.md names a test that exists', () => {
  const promises = page.split('\n').filter((line) => /^\| (?!-|Promise)/.test(line));
  expect(promises.length).toBeGreaterThan(15);
  for (const promise of promises) {
    const files = [...promise.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
    expect([promise, files.length > 0]).toEqual([promise, true]);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  }
});

test('the README leads to it', () => {
  expect(readFileSync(path.join(root, 'README.md'), 'utf8')).toContain('(docs/security.md)');
});
