import { spawn } from 'node:child_process';
import path from 'node:path';

/** The last release that `go install` accepts: later ones have a `replace` directive. */
const goPackage = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const progressEveryMs = 10_000;

/** Builds the CLI with Go into `directory` and returns its path. */
export async function buildTemporalCli(
  go: string,
  directory: string,
  executable: string,
  options: { env: NodeJS.ProcessEnv; signal?: AbortSignal; onProgress: (message: string) => void },
): Promise<string> {
  const start = Date.now();
  const reportProgress = () => {
    const seconds = Math.round((Date.now() - start) / 1000);
    options.onProgress(
      `building the Temporal server; this happens once and takes about 5 minutes… ${seconds} s`,
    );
  };
  reportProgress();
  const timer = setInterval(reportProgress, progressEveryMs);
  try {
    await goInstall(go, directory, options.env, options.signal);
  } catch (error) {
    throw new Error(`the build with Go failed (${(error as Error).message})`, { cause: error });
  } finally {
    clearInterval(timer);
  }
  return path.join(directory, executable);
}

function goInstall(
  go: string,
  directory: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // GOFLAGS, GOOS and GOARCH are for the user's own builds; this one must run on this machine.
    const { GOFLAGS: _flags, GOOS: _os, GOARCH: _arch, ...rest } = env;
    const child = spawn(go, ['install', goPackage], {
      cwd: directory,
      env: { ...rest, GOBIN: directory, GO111MODULE: 'on' },
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(signal ? { signal } : {}),
    });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-4_000);
    });
    child.once('error', reject);
    child.once('close', (code, killedBy) => {
      if (code === 0) return resolve();
      const lastLine = output.trim().split('\n').at(-1);
      reject(new Error(lastLine || `it exited with ${killedBy ?? `code ${code}`}`));
    });
  });
}
