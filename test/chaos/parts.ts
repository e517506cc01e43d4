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
  /** Resolves while it runs. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

const SUPERVISOR_PAUSE_MS = 500;

/** A role in a process of its own, under a supervisor that starts it again whenever it ends. */
export function superviseRole(role: string, settings: Record<string, string>): Part & { ends: number } {
  let current: HeraldProcess | null = null;
  let stopped = false;
  let downUntil = 0;

  async function run(): Promise<void> {
    while (!stopped) {
      await sleep(Math.max(0, downUntil - Date.now()));
      try {
        const started = await startHeraldProcess(['start', '--json', '--roles', role], settings);
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
  const part = {
    name: role,
    ends: 0,
    async kill(downMs: number) {
      downUntil = Date.now() + downMs;
      await current?.kill9();
    },
    async pause(ms: number) {
      const pid = current?.child.pid;
      if (pid !== undefined) await pauseProcesses([pid], ms);
    },
    async ready() {
      while (!current) await sleep(50);
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

/** A server of the embedded kind, which is started again on the same port and with the same data. */
export async function superviseServer(name: string, start: () => Promise<Server>): Promise<Part> {
  let server = await start();
  let starting: Promise<void> = Promise.resolve();
  return {
    name,
    async kill(downMs) {
      signal(server.pid, 'SIGKILL');
      // It has gone already; this waits until its end is noticed.
      await server.stop();
      starting = sleep(downMs).then(async () => {
        server = await start();
      });
      await starting;
    },
    pause: (ms) => pauseProcesses([server.pid, ...childrenOf(server.pid)], ms),
    ready: () => starting,
    async stop() {
      await starting;
      await server.stop();
    },
  };
}

async function pauseProcesses(pids: number[], ms: number): Promise<void> {
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
