import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';

const OF_OTHERS = 0o077;

/** The files below a directory that other users can read or write. What is in a directory closed to them counts as private. */
export function filesOpenToOthers(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const file = path.join(directory, name);
    const { mode } = lstatSync(file);
    const isOpen = (mode & OF_OTHERS) !== 0;
    if (lstatSync(file).isDirectory()) return isOpen ? filesOpenToOthers(file) : [];
    return isOpen ? [file] : [];
  });
}
