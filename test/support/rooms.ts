import { readdirSync } from 'node:fs';
import path from 'node:path';

/** The folders of `src` and their order, for the tests that read imports and SQL. */

export const root = path.join(__dirname, '..', '..');

/** The floors of the house, lowest first. A room may use the rooms below it; rooms of one floor stay apart. */
export const floors: string[][] = [
  ['lib', 'contract'],
  ['db', 'outbound', 'temporal', 'http'],
  ['agenda'],
  ['events', 'exports'],
  ['bots'],
  ['projects'],
  ['subscribers', 'channels'],
  ['templates', 'tracked'],
  ['login', 'webhooks', 'messages'],
  ['broadcasts', 'oidc', 'mcp', 'helpdesk'],
  ['drip'],
  ['forms'],
  ['embedded', 'operations'],
  ['roles', 'cli'],
];
export const layers = new Set(floors.slice(0, 3).flat());
export const domains = new Set(floors.slice(3, -2).flat());

export function floorOf(room: string): number {
  return floors.findIndex((rooms) => rooms.includes(room));
}

/** Folders of rooms: the tiers of the house. */
const tiers = new Set(['base']);

export function roomOf(file: string): string | null {
  const [first, ...places] = file.split(path.sep);
  if (tiers.has(places[0] ?? '')) places.shift();
  const [room, ...rest] = places;
  return first === 'src' && room !== undefined && rest.length > 0 ? room : null;
}

/** The TypeScript files below a folder, by their paths from the root. */
export function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return sources(file);
    return /\.tsx?$/.test(entry.name) ? [file] : [];
  });
}
