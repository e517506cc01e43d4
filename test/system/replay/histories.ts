import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readPacked } from '../../support/packed-file';

export const historiesDir = path.join(__dirname, 'histories');
export const HISTORY_FILE = '.json.br';

/** The recorded histories, each as `workflow/name`. */
export const recorded = readdirSync(historiesDir, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith(HISTORY_FILE))
  .map((file) => file.slice(0, -HISTORY_FILE.length))
  .sort();

export function historyJson(name: string): string {
  return readPacked(path.join(historiesDir, `${name}${HISTORY_FILE}`)).toString('utf8');
}
