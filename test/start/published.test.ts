import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually';
import { installPackage, type InstalledPackage } from '../support/installed-package';
import { startNpm } from '../support/npm-start';
import { builtPackage, pythonProject } from '../support/sdk';

jest.setTimeout(180_000);

describe('the package of the service', () => {
  let installed: InstalledPackage;
  beforeAll(() => {
    installed = installPackage();
  });
  afterAll(() => installed?.remove());

  it('has what runs and what explains it, and nothing of the development', () => {
    for (const file of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'bin/herald.js']) {
      expect(installed.files).toContain(file);
    }
    const folders = new Set(installed.files.map((file) => file.split('/').slice(0, 2).join('/')));
    expect([...folders].filter((name) => /^(test|bench|sdk|ops|\.)/.test(name))).toEqual([]);
    expect(
      installed.files.filter((file) => /\.(tsx?|tsbuildinfo)$/.test(file) && !file.endsWith('.d.ts')),
    ).toEqual([]);
  });

  it('gives the demo in an empty folder: npx herald start', async () => {
    const dataDir = path.join(installed.folder, '.herald');
    const herald = startNpm(['exec', '--no', '--', 'herald', 'start', '--json'], {}, installed.folder);
    try {
      const { api_url, simulator_url, docs_url, demo_url, demo } = await herald.ready();
      expect(existsSync(dataDir)).toBe(true);
      // On a busy machine a check of it may take too long.
      await eventually(async () => (await fetch(`${api_url}/readyz`)).status === 200);
      for (const url of [`${api_url}/dashboard`, simulator_url, docs_url, demo_url]) {
        expect([url, (await fetch(url ?? '')).status]).toEqual([url, 200]);
      }
      const headers = { authorization: `Bearer ${demo?.api_key}` };
      const { status } = await fetch(`${api_url}/v1/project`, { headers });
      expect(status).toBe(200);
    } finally {
      herald.signalGroup('SIGINT');
      await herald.groupGone();
    }
  });
});

/** Without the folder that both tools put around everything. */
function listed(command: string, args: string[]): string[] {
  const lines = execFileSync(command, args, { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => line.replace(/^package\//, '').split(/\s/)[0] ?? '');
}

test('the TypeScript SDK is published with its types, licence and README, for both kinds of modules', () => {
  const files = listed('tar', ['-tzf', builtPackage('typescript')]);
  const wanted = [
    'package.json',
    'README.md',
    'LICENSE',
    'index.mjs',
    'index.d.mts',
    'dist/index.js',
    'dist/index.d.ts',
  ];
  expect(files).toEqual(expect.arrayContaining(wanted));
  expect(files.filter((file) => !wanted.includes(file) && !/^dist\/.*\.(js|d\.ts)$/.test(file))).toEqual([]);
});

test('the Python SDK is published with its types, licence and README', () => {
  const project = pythonProject();
  // Where Python is missing, the tests of the SDK say so.
  if (project === null) return;
  const wheel = builtPackage('python');
  const files = listed(project.python, ['-m', 'zipfile', '-l', wheel]).slice(1);
  expect(files).toEqual(expect.arrayContaining(['herald_sdk/__init__.py', 'herald_sdk/py.typed']));
  expect(files.filter((file) => /\.dist-info\/(METADATA|licenses\/LICENSE)$/.test(file))).toHaveLength(2);
  expect(files.filter((file) => !/^herald_sdk(-[\d.a-z]+\.dist-info)?\//.test(file))).toEqual([]);
});
