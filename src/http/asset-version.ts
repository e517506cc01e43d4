import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../lib/package-root';

export const buildDir = path.join(packageRoot, 'dist', 'web');

const known = new Map<string, { changedAt: number; version: string }>();

/** A hash of a file's content. A browser can keep for ever what it gets under the address with the hash of what is sent. */
export function versionOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

/** The version of a built file, read again only after a build; null if there is no such file. */
function builtVersion(name: string): string | null {
  const file = path.join(buildDir, name);
  const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (changedAt === undefined) return null;
  const found = known.get(name);
  if (found?.changedAt === changedAt) return found.version;
  const version = versionOf(readFileSync(file));
  known.set(name, { changedAt, version });
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
