import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.join(__dirname, '..', '..');

/** A folder into which the packed service is installed, as `npm install herald` would, without a registry. */
export interface InstalledPackage {
  folder: string;
  /** What the tarball holds, by path. */
  files: string[];
  remove(): void;
}

export function installPackage(): InstalledPackage {
  const folder = mkdtempSync(path.join(tmpdir(), 'herald-installed-'));
  // PostgreSQL runs as another user and reads its programs here.
  chmodSync(folder, 0o755);
  // The scripts of the package would build again what the test run has built.
  const options = { cwd: root, encoding: 'utf8' } as const;
  const [tarball] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], options),
  ) as { filename: string; files: { path: string }[] }[];
  if (!tarball) throw new Error('npm has packed nothing');
  const target = path.join(folder, 'node_modules', 'herald');
  mkdirSync(target, { recursive: true });
  const archive = path.join(folder, tarball.filename);
  execFileSync('tar', ['-xzf', archive, '-C', target, '--strip-components', '1']);
  rmSync(archive);
  linkDependencies(path.join(folder, 'node_modules'));
  mkdirSync(path.join(folder, 'node_modules', '.bin'));
  symlinkSync('../herald/bin/herald.js', path.join(folder, 'node_modules', '.bin', 'herald'));
  return {
    folder,
    files: tarball.files.map((file) => file.path),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Those of the service alone: what only the development needs is not found. */
function linkDependencies(modules: string): void {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  for (const [place, { dev }] of Object.entries(packages)) {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
    if (name === undefined || dev) continue;
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name), 'dir');
  }
}
