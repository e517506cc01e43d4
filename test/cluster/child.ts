import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface ChildOptions {
  command: string;
  args: string[];
  logFile: string;
  env?: NodeJS.ProcessEnv;
  /** PostgreSQL and PgBouncer refuse to run as root. */
  as?: { uid: number | undefined; gid: number | undefined };
}

/** A server of the cluster, with its output in a file. */
export interface Child {
  pid: number;
  exited(): boolean;
  end(signal: NodeJS.Signals): Promise<void>;
  /** The end of its log, for the error of a start that failed. */
  lastWords(): string;
}

export function startChild({ command, args, logFile, env, as }: ChildOptions): Child {
  const log = openSync(logFile, 'a');
  const child: ChildProcess = spawn(command, args, {
    cwd: '/',
    env: env ?? process.env,
    stdio: ['ignore', log, log],
    ...(as?.uid === undefined ? {} : { uid: as.uid }),
    ...(as?.gid === undefined ? {} : { gid: as.gid }),
  });
  closeSync(log);
  const exited = once(child, 'exit');
  const isGone = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? -1,
    exited: isGone,
    async end(signal) {
      if (!isGone()) child.kill(signal);
      await exited;
    },
    lastWords: () => readFileSync(logFile, 'utf8').split('\n').slice(-12).join('\n'),
  };
}
