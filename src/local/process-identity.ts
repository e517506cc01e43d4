import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process by pid and start time, because pids are reused. */
export interface ProcessIdentity {
  pid: number;
  /** Null if the system does not report it; then only the pid is compared. */
  startedAt: string | null;
}

/** Identifies a running process; null if there is none. A zombie does not count as running. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  if (!exists(pid)) return null;
  if (process.platform === 'linux') return identifyByProc(pid);
  return { pid, startedAt: startTimeByPs(pid) };
}

export function isRunning(identity: ProcessIdentity): boolean {
  const current = identifyProcess(identity.pid);
  if (current === null) return false;
  if (identity.startedAt === null || current.startedAt === null) return true;
  return current.startedAt === identity.startedAt;
}

export function ownIdentity(): ProcessIdentity {
  return identifyProcess(process.pid) ?? { pid: process.pid, startedAt: null };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function identifyByProc(pid: number): ProcessIdentity | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The program name is in parentheses and may itself contain them, so parse after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return { pid, startedAt: `${bootId()}/${fields[19]}` };
}

/** Start times are relative to the boot, so they are only comparable with the boot id. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

function startTimeByPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch {
    return null;
  }
}
