import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from './package-root';

export function packageVersion(): string {
  const file = readFileSync(path.join(packageRoot, 'package.json'), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
