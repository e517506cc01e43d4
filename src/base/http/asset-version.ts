import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../lib/package-root';

export const buildDir = path.join(packageRoot, 'dist', 'web');

const known = new Map<string, string>();
let areKept = false;

/** From now on each file is read once. In development it is read again for each page, because a build can change it. */
export function keepVersions(): void {
  areKept = true;
}

/** A hash of a file's content. A browser can keep for ever what it gets under the address with the hash of what is sent. */
export function versionOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

/** The version of a built file; null if there is no such file. */
function builtVersion(name: string): string | null {
  const found = known.get(name);
  if (found !== undefined) return found;
  const file = path.join(buildDir, name);
  if (!existsSync(file)) return null;
  const version = versionOf(readFileSync(file));
  if (areKept) known.set(name, version);
  return version;
}

/** The address of a built file, with its version, so that browsers need not ask for it again. */
export function withVersion(url: string): string {
  const version = builtVersion(path.basename(url));
  return version === null ? url : `${url}?v=${version}`;
}

/**
 * Adds the versions to the style sheets and pictures of a page. Not to its script: the parts that it loads import it by its
 * plain address, and by another one it would be another module.
 */
export function withVersions(page: string): string {
  return page.replace(/"(\/assets\/[\w-]+\.(?:css|svg))"/g, (_, url: string) => `"${withVersion(url)}"`);
}
