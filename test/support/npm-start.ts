import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRunning, type ProcessIdentity } from '../../src/local/process-identity';
import type { Runtime } from '../../src/main';
import { eventually } from './eventually';

const root = path.join(__dirname, '..', '..');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The environment of a user who has configured nothing, with port 0 (any free port) for everything. */
export function userEnvironment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(HERALD_(?!TEMPORAL_CLI)|TEMPORAL_|DATABASE_URL|NODE_ENV|PORT$|npm_)/.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    PORT: '0',
    HERALD_SIMULATOR_PORT: '0',
    HERALD_POSTGRES_PORT: '0',
    HERALD_TEMPORAL_PORT: '0',
    HERALD_TEMPORAL_UI_PORT: '0',
    HERALD_METRICS_PORT: '0',
    ...settings,
  };
}

/** A data directory that is accessible to PostgreSQL running as another user. */
export async function temporaryDataDir(): Promise<{ path: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-start-'));
  await chmod(directory, 0o711);
  return {
    path: path.join(directory, 'data'),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Runs `herald …` to its end. */
export function runHerald(args: string[], settings: Record<string, string>): Promise<Finished> {
  return finish(spawn('node', ['bin/herald.js', ...args], { cwd: root, env: userEnvironment(settings) }));
}

function finish(child: ChildProcess): Promise<Finished> {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output.stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (output.stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
}

/** An npm script in its own process group, as in a terminal. */
export interface NpmProcess {
  pid: number;
  stdout(): string;
  stderr(): string;
  /** The parsed line of `--json`; rejects if the process exits without printing it. */
  ready(): Promise<Runtime>;
  /** The result of npm. */
  finished: Promise<Finished>;
  /** Ctrl-C in a terminal reaches every process of the group. */
  signalGroup(signal: NodeJS.Signals): void;
  /** A supervisor signals only npm. */
  signalNpm(signal: NodeJS.Signals): void;
  /** Resolves when no process of the group is left. */
  groupGone(): Promise<void>;
  /** Resolves when the group and the embedded servers are gone. */
  allGone(): Promise<void>;
}

export function startHerald(settings: Record<string, string>, args: string[] = []): NpmProcess {
  return startNpm(['start', '--', '--json', ...args], settings);
}

export function startNpm(args: string[], settings: Record<string, string>, cwd = root): NpmProcess {
  const child = spawn('npm', args, {
    cwd,
    env: userEnvironment(settings),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('npm could not be started');
  const seen = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (seen.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (seen.stderr += chunk.toString()));
  const finished = finish(child);
  let embedded: ProcessIdentity[] = [];
  const groupGone = async () => void (await eventually(() => !groupExists(pid), 60_000));

  return {
    pid,
    stdout: () => seen.stdout,
    stderr: () => seen.stderr,
    finished,
    async ready() {
      const line = await Promise.race([
        eventually(() => seen.stdout.split('\n').find((text) => text.startsWith('{')), 90_000),
        finished.then(({ code, stderr }) => {
          throw new Error(`herald ended with code ${code}: ${stderr}`);
        }),
      ]);
      embedded = recordedChildren(settings['HERALD_DATA_DIR']);
      return JSON.parse(line) as Runtime;
    },
    signalGroup: (signal) => void process.kill(-pid, signal),
    signalNpm: (signal) => void process.kill(pid, signal),
    groupGone,
    async allGone() {
      await groupGone();
      const children = [...embedded, ...recordedChildren(settings['HERALD_DATA_DIR'])];
      await eventually(() => !children.some(isRunning), 30_000);
    },
  };
}

export function recordedChildren(dataDir: string | undefined): ProcessIdentity[] {
  try {
    return JSON.parse(readFileSync(path.join(dataDir ?? '', 'children.json'), 'utf8')) as ProcessIdentity[];
  } catch {
    return [];
  }
}

function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts of a file in one data directory, none of which outlives it. */
export function npmStarts() {
  const started: NpmProcess[] = [];
  const starts = {
    dataDir: '',
    settings: { HERALD_DATA_DIR: '' },
    start(extra: Record<string, string> = {}, args: string[] = []): NpmProcess {
      const herald = startHerald({ ...starts.settings, ...extra }, args);
      started.push(herald);
      return herald;
    },
  };
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ path: starts.dataDir, remove } = await temporaryDataDir());
    starts.settings.HERALD_DATA_DIR = starts.dataDir;
  });
  afterAll(async () => {
    for (const herald of started) {
      try {
        herald.signalGroup('SIGKILL');
      } catch {
        // It has ended, as it should have.
      }
    }
    for (const child of recordedChildren(starts.dataDir)) {
      if (isRunning(child)) process.kill(child.pid, 'SIGKILL');
    }
    await remove();
  });
  return starts;
}
