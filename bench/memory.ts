import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageRoot } from '../src/base/lib/package-root';
import { startNpm, temporaryDataDir, type NpmProcess } from '../test/support/npm-start';
import type { Figure } from './table';

const IDLE_MS = 60_000;
const GOAL_MB = 400;
const name = 'memory of npm start, idle for a minute';

/** The memory of all processes of a default `npm start` with a new data directory. */
export async function memory(): Promise<Figure> {
  if (process.platform !== 'linux') return { name, value: 'measured on Linux only' };
  const dataDir = await temporaryDataDir();
  const herald = startNpm(['start', '--', '--json'], { HERALD_DATA_DIR: dataDir.path }, packageRoot);
  try {
    await herald.ready();
    await sleep(IDLE_MS);
    const parts = proportionalSetSizes(herald.pid);
    const total = [...parts.values()].reduce((sum, size) => sum + size, 0);
    const shown = [...parts].map(([part, size]) => `${part} ${size.toFixed(0)}`).join(', ');
    return {
      name,
      value: `${total.toFixed(0)} MB (${shown})`,
      baseline: `goal ${GOAL_MB} MB`,
      ratio: total / GOAL_MB,
      atMost: true,
    };
  } finally {
    stop(herald);
    await herald.allGone();
    await dataDir.remove();
  }
}

function stop(herald: NpmProcess): void {
  try {
    herald.signalGroup('SIGINT');
  } catch {
    // It has ended by itself, and its error is reported.
  }
}

/** Megabytes of a process and its descendants. A page that several processes share counts once, in parts. */
function proportionalSetSizes(root: number): Map<string, number> {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) && readProcess(Number(entry), 'stat');
    // After the name, which may hold spaces and brackets: the state and the parent.
    if (stat) parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const tree = [root];
  // The loop also visits what is added to the list meanwhile.
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  const sizes = new Map<string, number>();
  for (const pid of tree) {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readProcess(pid, 'smaps_rollup') ?? '')?.[1];
    if (!kilobytes) continue;
    const part = partOf(readProcess(pid, 'cmdline') ?? '');
    sizes.set(part, (sizes.get(part) ?? 0) + Number(kilobytes) / 1024);
  }
  return sizes;
}

function partOf(commandLine: string): string {
  const program = path.basename(commandLine.split(/[\0:]| start/)[0] ?? '');
  return ['postgres', 'temporal', 'node'].find((known) => known === program) ?? 'npm';
}

/** Null if the process has just ended. */
function readProcess(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
