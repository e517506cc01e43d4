'use strict';
/**
 * `npm run release -- 1.2.3`: one number for the service, its SDKs, its chart and its image, the changelog's heading, and
 * `test/released/1.2.3`, which later versions are tested against.
 */
const { spawnSync } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const NUMBER = String.raw`\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?`;

/** Where the number stands: a file and what stands before it there. */
const places = [
  ['package.json', '^  "version": "'],
  // Of the root package, twice; the packages below have numbers of their own.
  ['package-lock.json', '^  "version": "'],
  ['package-lock.json', '^    "": {\n      "name": "herald",\n      "version": "'],
  ['sdk/typescript/package.json', '^  "version": "'],
  ['sdk/python/pyproject.toml', '^version = "'],
  ['ops/helm/herald/Chart.yaml', '^version: '],
  ['ops/helm/herald/Chart.yaml', '^appVersion: '],
  ['ops/helm/README.md', '/herald:'],
  ['ops/kubernetes/README.md', '/herald:'],
  ['ops/kubernetes/api.yaml', '^ +image: herald:'],
  ['ops/kubernetes/worker.yaml', '^ +image: herald:'],
  ['ops/kubernetes/bots.yaml', '^ +image: herald:'],
];

/** The files of a checkout with another version. Changes nothing if one of the places is not there. */
function released(version, date, read) {
  if (!new RegExp(`^${NUMBER}$`).test(version)) throw new Error(`${version} is not a version`);
  const files = new Map();
  const change = (file, pattern, replacement) => {
    const text = files.get(file) ?? read(file);
    if (text.search(pattern) === -1) throw new Error(`${file}: ${pattern} is not there`);
    files.set(file, text.replace(pattern, replacement));
  };
  for (const [file, before] of places) change(file, new RegExp(`(?<=${before})${NUMBER}`, 'gm'), version);
  const log = read('CHANGELOG.md');
  if (log.includes(`\n## [${version}]`)) throw new Error(`CHANGELOG.md has ${version} already`);
  change('CHANGELOG.md', /^## \[Unreleased\]\n/m, `## [Unreleased]\n\n## [${version}] - ${date}\n`);
  return files;
}

/** Starts the service of the new version and keeps its API and a data directory. */
function record() {
  const steps = [['bin/build.js'], ['--import', 'tsx', 'test/support/released/record.ts']];
  for (const step of steps) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

module.exports = { released };

if (require.main === module) {
  try {
    const [version = ''] = process.argv.slice(2);
    const today = new Date().toISOString().slice(0, 10);
    const files = released(version, today, (file) => readFileSync(path.join(root, file), 'utf8'));
    for (const [file, text] of files) writeFileSync(path.join(root, file), text);
    process.stdout.write(`Version ${version} stands in:\n${[...files.keys()].join('\n')}\n`);
    process.exitCode = record();
  } catch (error) {
    process.stderr.write(`${error.message}\nUsage: npm run release -- <version>\n`);
    process.exitCode = 1;
  }
}
