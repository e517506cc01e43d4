import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHeraldProcess, type HeraldProcess } from '../support/herald-process';

/** Something of the installation that can be hurt, and comes back. */
export interface Part {
  name: string;
  /** As a crash; its supervisor starts it again, after a while. */
  kill(downMs: number): Promise<void>;
  /** As a machine that stands still, and goes on as if nothing had been. */
  pause(ms: number): Promise<void>;
  /** As an update does: it may finish what it is doing, and is started again. */
  restart(): Promise<void>;
  /** Resolves while it runs. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const SUPERVISOR_PAUSE_MS = 500;

export interface RoleOptions {
  /** Where several processes have the same role. */
  name?: string;
  /** `cli.js` of another build. */
  cli?: string;
}

export interface RolePart extends Part {
  ends: number;
  /** The lines that it has logged since it was started last. */
  log(): string[];
  pid(): number | undefined;
  /** Takes effect with the next start. */
  useBuild(cli: string): void;
}

/** A role in a process of its own, under a supervisor that starts it again whenever it ends. */
export function superviseRole(
  role: string,
  settings: Record<string, string>,
  { name = role, ...options }: RoleOptions = {},
): RolePart {
  let cli = options.cli;
  const program = () => (cli === undefined ? undefined : { node: process.execPath, cli });
  let current: HeraldProcess | null = null;
  let log: string[] = [];
  let stopped = false;
  let downUntil = 0;

  async function run(): Promise<void> {
    while (!stopped) {
      await sleep(Math.max(0, downUntil - Date.now()));
      try {
        const started = await startHeraldProcess(['start', '--json', '--roles', role], settings, program());
        log = started.log;
        current = started;
        if (stopped) return await started.kill9();
        await started.exited;
      } catch {
        // It could not start without what it needs, and is started again, as any supervisor does.
        await sleep(SUPERVISOR_PAUSE_MS);
      }
      current = null;
      part.ends += 1;
    }
  }

  const running = run();
  const part: RolePart = {
    name,
    ends: 0,
    log: () => log,
    pid: () => current?.child.pid,
    useBuild(next) {
      cli = next;
    },
    async restart() {
      await current?.stop();
      await part.ready();
    },
    async kill(downMs: number) {
      downUntil = Date.now() + downMs;
      await current?.kill9();
    },
    async pause(ms: number) {
      const pid = current?.child.pid;
      if (pid !== undefined) await pauseProcesses([pid], ms);
    },
    async ready() {
      while (!current || current.child.exitCode !== null || current.child.signalCode !== null) {
        await sleep(50);
      }
    },
    async stop() {
      stopped = true;
      await current?.kill9();
      await running;
    },
  };
  return part;
}

export interface Server {
  pid: number;
  stop(): Promise<void>;
}

const LOOK_MS = 500;

/** A server of the embedded kind, which is started again on the same port and with the same data whenever it ends. */
export async function superviseServer(name: string, start: () => Promise<Server>): Promise<Part> {
  let server = await start();
  let starting: Promise<void> = Promise.resolve();
  let isStopped = false;
  let changes = 0;

  /** A start that fails, as on a full disk, is repeated. */
  async function startAgain(): Promise<void> {
    while (!isStopped) {
      try {
        server = await start();
        return;
      } catch {
        await sleep(SUPERVISOR_PAUSE_MS);
      }
    }
  }
  /** One after the other: two starts would share a port and a directory. */
  function change(end: () => Promise<void>, downMs: number): Promise<void> {
    changes += 1;
    starting = starting
      .then(end)
      .then(() => sleep(downMs))
      .then(startAgain)
      .finally(() => (changes -= 1));
    return starting;
  }
  const watch = setInterval(() => {
    // It has ended by itself.
    if (changes === 0 && !isStopped && !isAlive(server.pid)) void change(() => server.stop(), 0);
  }, LOOK_MS);

  return {
    name,
    kill: (downMs) =>
      change(async () => {
        signal(server.pid, 'SIGKILL');
        // It has gone already; this waits until its end is noticed.
        await server.stop();
      }, downMs),
    pause: (ms) => pauseProcesses([server.pid, ...childrenOf(server.pid)], ms),
    restart: () => change(() => server.stop(), 0),
    ready: () => starting,
    async stop() {
      isStopped = true;
      clearInterval(watch);
      await starting;
      await server.stop();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function pauseProcesses(pids: number[], ms: number): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) signal(pid, 'SIGCONT');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself in this very moment.
  }
}

/** PostgreSQL serves each connection in a process of its own; elsewhere than on Linux only its first is paused. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}
