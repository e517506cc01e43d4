import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startServers, type Servers } from '../local/environment';
import { packageRoot } from '../base/lib/package-root';
import { summary, type Started } from '../main';
import { environmentOptions, runUntilEnd, type Run } from './run';

/** The message of bin/build.js after each build. */
interface Built {
  /** Changes when the service must restart: when its code, migrations or workflow bundles have changed. */
  version: string;
  /** When the change was detected. */
  changedAt: number;
}

/** Longer than a graceful stop. A killed service loses only its open requests. */
const STOP_MS = 3_000;

/**
 * `npm run dev`: this process keeps the embedded servers running, and starts the build, the type check and the service,
 * which restarts after a build that changed its code. A failed build leaves the service running.
 */
export function runDev(): Promise<number> {
  return runUntilEnd({}, async (run) => {
    const { stop, ...servers } = await startServers(environmentOptions(run));
    run.stops.push(stop);
    run.end.signal.throwIfAborted();
    const service = superviseService(run, servers);
    const build = fork(path.join(packageRoot, 'bin', 'build.js'), ['--watch']);
    build.on('message', (built: Built) => service.use(built));
    build.once('exit', () => {
      if (!run.end.signal.aborted) run.log.fatal('the build process stopped unexpectedly');
      run.end.fail();
    });
    const types = fork(path.join(packageRoot, 'bin', 'typecheck.js'));
    run.stops.push(() => Promise.all([service.stop(), endChild(build), endChild(types)]));
  });
}

function superviseService({ end, log }: Run, servers: Servers) {
  let newest: Built | undefined;
  let running: { child: ChildProcess; version: string } | undefined;
  let restarting = Promise.resolve();
  let wasReady = false;

  async function restart(): Promise<void> {
    if (!newest || newest.version === running?.version || end.signal.aborted) return;
    const { version, changedAt } = newest;
    const last = running?.child;
    // The new process loads its modules while the previous one stops; it starts when it receives the servers.
    const child = fork(path.join(__dirname, 'dev-service.js'));
    running = { child, version };
    child.on('message', (started: Started) => {
      const seconds = ((Date.now() - changedAt) / 1000).toFixed(1);
      process.stdout.write(wasReady ? `Restarted ${seconds} s after the change.\n` : summary(started));
      wasReady = true;
    });
    child.once('exit', (code, signal) => {
      if (running?.child !== child || end.signal.aborted) return;
      log.error(`the service ended with ${signal ?? `code ${code}`}; it starts again after the next change`);
    });
    if (last) await endChild(last);
    // Without the callback, this would throw if the process has already exited.
    child.send(servers, () => undefined);
  }

  return {
    /** Runs the newest build; builds that arrive during a restart are combined. */
    use(built: Built): void {
      newest = built;
      restarting = restarting.then(restart);
    },
    async stop(): Promise<void> {
      await restarting;
      if (running) await endChild(running.child);
    },
  };
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const forceKill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(forceKill);
}
