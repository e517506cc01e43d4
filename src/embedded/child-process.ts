import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity';

/** What the data directory remembers of a child, so that a later start can stop it the way it likes to be stopped. */
export interface ChildRecord extends ProcessIdentity {
  name: string;
  stopSignal: NodeJS.Signals;
  forceSignal: NodeJS.Signals;
}

export interface ChildExit {
  name: string;
  code: number | null;
  signal: NodeJS.Signals | null;
  logFile: string;
}

/** Remembers running children beyond the life of this process. */
export interface ChildRegistry {
  recordChild(child: ChildRecord): void;
  forgetChild(pid: number): void;
}

export interface ChildOptions {
  name: string;
  command: string;
  args: string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
  uid?: number | undefined;
  gid?: number | undefined;
  logFile: string;
  stopSignal: NodeJS.Signals;
  forceSignal: NodeJS.Signals;
  registry: ChildRegistry;
  /** Told when the child ends without having been asked to. */
  onExit?: ((exit: ChildExit) => void) | undefined;
}

export interface Child {
  pid: number;
  exited: Promise<ChildExit>;
  hasExited(): boolean;
  stop(): Promise<void>;
}

const stopGraceMs = 10_000;
const killGraceMs = 5_000;
const logRotationBytes = 10 * 1024 * 1024;

/**
 * Starts a server in a process group of its own: Ctrl-C in the terminal must reach only us, because we stop the
 * database last. Its output goes to a file, which a child can go on writing to after we are gone.
 */
export function startChild(options: ChildOptions): Child {
  const log = openLog(options.logFile);
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['ignore', log, log],
    ...(options.uid === undefined ? {} : { uid: options.uid }),
    ...(options.gid === undefined ? {} : { gid: options.gid }),
  });
  closeSync(log);

  const { pid } = child;
  let exit: ChildExit | undefined;
  let stopping = false;
  const exited = new Promise<ChildExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      exit = { name: options.name, code, signal, logFile: options.logFile };
      if (pid !== undefined) options.registry.forgetChild(pid);
      if (!stopping) options.onExit?.(exit);
      resolve(exit);
    });
  });
  // A child that never started is reported through `exited`; nobody may be waiting for it at that moment.
  exited.catch(() => undefined);
  if (pid === undefined) {
    return { pid: -1, exited, hasExited: () => true, stop: () => Promise.resolve() };
  }

  const record: ChildRecord = {
    name: options.name,
    ...(identifyProcess(pid) ?? { pid, startedAt: null }),
    stopSignal: options.stopSignal,
    forceSignal: options.forceSignal,
  };
  options.registry.recordChild(record);

  return {
    pid,
    exited,
    hasExited: () => exit !== undefined,
    stop: async () => {
      stopping = true;
      if (exit === undefined) await signalUntilGone(record, () => exit === undefined);
      await exited;
    },
  };
}

/** Stops a child that an earlier process left running; true when there was one to stop. */
export async function stopRecordedChild(record: ChildRecord): Promise<boolean> {
  if (!isRunning(record)) return false;
  await signalUntilGone(record, () => isRunning(record));
  return true;
}

/** The child's own way to stop first, then its forceful one, then the system's. */
async function signalUntilGone(record: ChildRecord, running: () => boolean): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    [record.stopSignal, stopGraceMs],
    [record.forceSignal, killGraceMs],
    ['SIGKILL', killGraceMs],
  ];
  for (const [signal, graceMs] of steps) {
    if (!running()) return;
    if (!sendSignal(record.pid, signal)) return;
    const deadline = Date.now() + graceMs;
    while (running() && Date.now() < deadline) await sleep(25);
  }
}

/** False when there is no such process any more. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Appends, and sets a log aside when it has grown large, so that years of starts do not fill a disk. */
function openLog(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logRotationBytes) renameSync(file, `${file}.old`);
  return openSync(file, 'a', 0o600);
}

/** Throws the reason when the child is no longer there. */
export async function requireRunning(child: Child): Promise<void> {
  if (!child.hasExited()) return;
  const { code, signal } = await child.exited;
  throw new Error(`it exited with ${signal ?? `code ${code}`}`);
}

/** The end of a log, to look for the reason of an early death. */
export async function readLogFrom(file: string, offset: number): Promise<string> {
  const content = await readFile(file).catch(() => Buffer.alloc(0));
  return content.subarray(offset <= content.length ? offset : 0).toString('utf8');
}

export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
