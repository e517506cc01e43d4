import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../lib/package-root';

export const buildDir = path.join(packageRoot, 'dist', 'web');

const known = new Map<string, { changedAt: number; version: string }>();

/** A hash of the file's content, read again only after a build; null if there is no such file. */
function versionOf(name: string): string | null {
  const file = path.join(buildDir, name);
  const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (changedAt === undefined) return null;
  const found = known.get(name);
  if (found?.changedAt === changedAt) return found.version;
  const version = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12);
  known.set(name, { changedAt, version });
  return version;
}

/** Whether this is the version of the file as it is now: only then can a browser keep it for ever. */
export function isVersion(name: string, given: unknown): boolean {
  return typeof given === 'string' && given === versionOf(name);
}

/** The address of a built file, with its version, so that browsers need not ask for it again. */
export function withVersion(url: string): string {
  const version = versionOf(path.basename(url));
  return version === null ? url : `${url}?v=${version}`;
}

/**
 * Adds the versions to the style sheets and pictures of a page. Not to its script: the parts that it loads import it by its
 * plain address, and by another one it would be another module.
 */
export function withVersions(page: string): string {
  return page.replace(/"(\/assets\/[\w-]+\.(?:css|svg))"/g, (_, url: string) => `"${withVersion(url)}"`);
}
