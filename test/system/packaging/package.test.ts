import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const root = path.join(__dirname, '..', '..', '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  license: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};
const dependencies = [manifest.dependencies, manifest.optionalDependencies, manifest.devDependencies].flatMap(
  (group) => Object.keys(group),
);

interface LockedPackage {
  dev?: true;
  devOptional?: true;
  optional?: true;
  optionalDependencies?: Record<string, string>;
}
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };

/** Packages that an operator installs and updates, without the programs for single platforms. */
const MOST_PRODUCTION_PACKAGES = 310;

function markdownFiles(): string[] {
  const top = readdirSync(root).filter((file) => file.endsWith('.md'));
  const docs = readdirSync(path.join(root, 'docs')).filter((file) => file.endsWith('.md'));
  return [...top, ...docs.map((file) => path.join('docs', file))];
}

describe('the checkout', () => {
  it('says of every dependency why it is there, and of no other', () => {
    const listed = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1]);
    expect([...listed].sort()).toEqual([...dependencies].sort());
  });

  it('has a lock file that names no registry', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });

  it('has a lock file for every platform, without which npm ci refuses to install anything', () => {
    const locked = new Set(Object.keys(packages).map((place) => place.replace(/^.*node_modules\//, '')));
    const optional = Object.values(packages).flatMap((entry) =>
      Object.keys(entry.optionalDependencies ?? {}),
    );
    expect(optional.filter((name) => !locked.has(name))).toEqual([]);
  });

  it('brings few packages into production', () => {
    const inProduction = Object.entries(packages).filter(
      ([place, { dev, devOptional, optional }]) =>
        place.includes('node_modules/') && !dev && !devOptional && !optional,
    );
    expect(inProduction.length).toBeLessThanOrEqual(MOST_PRODUCTION_PACKAGES);
  });

  it('is under the licence that it says', () => {
    expect(manifest.license).toBe('Apache-2.0');
    expect(read('LICENSE')).toContain('Apache License');
    expect(read('LICENSE')).toContain('Version 2.0, January 2004');
  });

  it('is checked on GitHub by the very command that a newcomer runs, and by the tests of processes', () => {
    const script = path.join(root, '.ci', 'run');
    expect(statSync(script).mode & 0o111).not.toBe(0);
    expect(readFileSync(script, 'utf8')).toMatch(/^npm ci && npm test\nnpm run test:processes$/m);
    const workflow = parse(read('.github/workflows/ci.yml')) as {
      jobs: { test: { steps: { run?: string }[] } };
    };
    expect(workflow.jobs.test.steps.map(({ run }) => run)).toContain('.ci/run');
    expect(read('README.md')).toContain('npm ci && npm start');
    expect(read('README.md')).toContain('npm ci && npm test');
  });

  it('tells newcomers where things go by names of files that exist', () => {
    const named = [
      ...read('CONTRIBUTING.md').matchAll(/`((?:src|web|workflows|activities|test|docs|ops)\/[^`<…\s]*)`/g),
    ].map((match) => match[1] ?? '');
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  it.each(markdownFiles())('%s links to files that exist', (file) => {
    const links = [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)/g)].map(
      (match) => match[1],
    );
    for (const link of links) {
      const target = path.join(root, path.dirname(file), link ?? '');
      expect({ link, exists: statSync(target, { throwIfNoEntry: false }) !== undefined }).toEqual({
        link,
        exists: true,
      });
    }
  });
});
