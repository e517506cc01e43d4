import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root';

export function packageVersion(): string {
  const file = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}

/** The commit of a checkout; null where Herald was installed as a package. */
export function packageCommit(): string | null {
  if (!existsSync(path.join(packageRoot, '.git'))) return null;
  try {
    const git = ['-C', packageRoot, 'rev-parse', 'HEAD'];
    return execFileSync('git', git, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // Without git, or without a commit.
    return null;
  }
}
