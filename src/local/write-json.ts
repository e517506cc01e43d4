import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Atomic, and synchronous: it is on record before anything else happens. */
export function writeJson(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, file);
  } finally {
    // Nothing is left of a write that found the disk full.
    rmSync(draft, { force: true });
  }
}
