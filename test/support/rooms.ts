import { readdirSync } from 'node:fs';
import path from 'node:path';

/** The tiers and rooms of `src`, for the tests that read imports and SQL. */

export const root = path.join(__dirname, '..', '..');

/** Lowest first. A room uses the rooms below it; rooms of one floor stay apart. */
const base = [
  ['lib', 'contract'],
  ['outbound'],
  ['config', 'db'],
  ['temporal'],
  ['core'],
  ['agenda', 'http'],
];
const ofDomains = [
  ['events', 'exports'],
  ['bots'],
  ['projects'],
  ['subscribers'],
  ['templates'],
  ['login', 'webhooks', 'messages'],
  ['broadcasts', 'oidc', 'helpdesk'],
  ['drip', 'recurring', 'scheduled'],
  ['forms'],
];
/** `main.ts` and `cli.ts` belong to `process`. */
const aboveDomains = [['activities', 'local', 'site'], ['workflows'], ['process']];

export const floors: string[][] = [...base, ...ofDomains, ...aboveDomains];
export const domains = new Set(ofDomains.flat());

export function floorOf(room: string): number {
  return floors.findIndex((rooms) => rooms.includes(room));
}

/** Of `src/base` and `src/domains` each folder is a room, and so is `core.ts`; elsewhere the tier is one. */
export function roomOf(file: string): string {
  const [first = '', tier = '', room = ''] = file.split(path.sep);
  if (first !== 'src') return first;
  if (tier === 'base' || tier === 'domains') return room.replace(/\.ts$/, '');
  return /\.ts$|^(main|cli)$/.test(tier) ? 'process' : tier;
}

/** The TypeScript files below a folder, by their paths from the root. */
export function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return sources(file);
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}
