import { readFileSync } from 'node:fs';
import path from 'node:path';
import { released } from '../../../bin/release';

const root = path.join(__dirname, '..', '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

test('service, SDKs, chart and manifests have one version', () => {
  // The same number again changes nothing but the changelog, wherever it stands.
  const log = read('CHANGELOG.md').replaceAll(`## [${version}]`, '## [before]');
  const files = released(version, '2026-01-31', (file) => (file === 'CHANGELOG.md' ? log : read(file)));
  files.delete('CHANGELOG.md');
  expect(files.size).toBe(10);
  for (const [file, text] of files) expect([file, text]).toEqual([file, read(file)]);
});

test('a release changes every version and begins a new section of the changelog', () => {
  const files = released('97.98.99-rc.1', '2026-01-31', read);
  for (const [file, text] of files) {
    expect([file, text.includes('97.98.99-rc.1')]).toEqual([file, true]);
    if (file !== 'CHANGELOG.md' && file !== 'package-lock.json') expect(text).not.toContain(version);
  }
  const lock = JSON.parse(files.get('package-lock.json')!) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  expect([lock.version, lock.packages['']?.version]).toEqual(['97.98.99-rc.1', '97.98.99-rc.1']);
  const before = JSON.parse(read('package-lock.json')) as typeof lock;
  expect({ ...lock.packages, '': null }).toEqual({ ...before.packages, '': null });
  expect(files.get('CHANGELOG.md')).toContain('## [Unreleased]\n\n## [97.98.99-rc.1] - 2026-01-31\n\n');
});

test('what is not a version is refused, and one that was released', () => {
  expect(() => released('1.0', '2026-01-31', read)).toThrow('1.0 is not a version');
  expect(() => released('0.1.0', '2026-01-31', read)).toThrow('CHANGELOG.md has 0.1.0 already');
});
