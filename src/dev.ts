import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { startServers, type Servers } from './embedded/environment';
import { packageRoot } from './lib/package-root';
import { summary, type Runtime } from './main';
import { environmentOptions, runUntilEnd, type Run } from './run';

/** What bin/build.js reports after each build. */
interface Built {
  /** Differs when the service has to restart: for its code, its migrations and the workflow bundles. */
  version: string;
  /** When the change was noticed. */
  changedAt: number;
}

/** An orderly stop takes less time. A service that is killed loses nothing but its open requests. */
const STOP_MS = 3_000;

/**
 * `npm run dev`. This process keeps the embedded servers running. Beside it run the build, the type check and the
 * service, which restarts after a build that changed its code. A build that fails leaves the service as it is.
 */
export function runDev(): Promise<number> {
  return runUntilEnd(undefined, async (run) => {
    const { stop, ...servers } = await startServers(environmentOptions(run));
    run.stops.push(stop);
    run.end.signal.throwIfAborted();
    const service = superviseService(run, servers);
    const build = fork(path.join(packageRoot, 'bin', 'build.js'), ['--watch']);
    build.on('message', (built: Built) => service.use(built));
    build.once('exit', () => {
      if (!run.end.signal.aborted) run.log.fatal('the build has ended by itself');
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
    // The new process loads its modules while the last one stops; it starts when it gets the servers.
    const child = fork(path.join(__dirname, 'dev-service.js'));
    running = { child, version };
    child.on('message', (runtime: Runtime) => {
      const seconds = ((Date.now() - changedAt) / 1000).toFixed(1);
      process.stdout.write(wasReady ? `Restarted ${seconds} s after the change.\n` : summary(runtime));
      wasReady = true;
    });
    child.once('exit', (code, signal) => {
      if (running?.child !== child || end.signal.aborted) return;
      log.error(`the service ended with ${signal ?? `code ${code}`}; it starts again after the next change`);
    });
    if (last) await endChild(last);
    // Without the callback, a process that has failed already would make this throw.
    child.send(servers, () => undefined);
  }

  return {
    /** Runs the newest build; several that arrive during a restart make one. */
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
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(late);
}
