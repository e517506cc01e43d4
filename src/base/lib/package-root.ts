import { existsSync } from 'node:fs';
import path from 'node:path';

function findPackageRoot(from: string): string {
  if (existsSync(path.join(from, 'package.json'))) return from;
  const parent = path.dirname(from);
  if (parent === from) throw new Error('package.json of herald was not found above its own code');
  return findPackageRoot(parent);
}

/** The folder of package.json, whether the code runs from src/ or dist/src/. */
export const packageRoot = findPackageRoot(__dirname);
