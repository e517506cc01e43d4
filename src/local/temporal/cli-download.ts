import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { TemporalRelease } from './release';

const run = promisify(execFile);

/** The service that tells Temporal SDKs which archive contains a release for a platform. */
const publisherUrl = 'https://temporal.download/cli';
/** Short, so that the next method is tried soon where a firewall drops the connection. */
const noProgressMs = 10_000;

const archiveInfo = z.object({ archiveUrl: z.url(), fileToExtract: z.string().min(1) });

/** Downloads the release as the SDK's test server does, into `directory`, and returns the program's path. */
export async function downloadTemporalCli(
  directory: string,
  executable: string,
  {
    release,
    downloadUrl = `${publisherUrl}/v${release.version}`,
    signal,
    onProgress,
  }: {
    release: TemporalRelease;
    downloadUrl?: string;
    signal?: AbortSignal;
    onProgress: (message: string) => void;
  },
): Promise<string> {
  try {
    onProgress('downloading the Temporal server');
    const info = await fetchArchiveInfo(downloadUrl, signal);
    const archive = path.join(directory, 'archive');
    await fetchTo(info.archiveUrl, archive, onProgress, signal);
    // The archive is always a tarball, so tar suffices on every platform.
    await run('tar', ['-xzf', archive, '-C', directory, '--', info.fileToExtract], { signal });
    const file = path.join(directory, path.basename(info.fileToExtract) || executable);
    await chmod(file, 0o755);
    return file;
  } catch (error) {
    throw new Error(`the download failed (${reasonOf(error)})`, { cause: error });
  }
}

async function fetchArchiveInfo(
  url: string,
  signal: AbortSignal | undefined,
): Promise<z.infer<typeof archiveInfo>> {
  const request = new URL(url);
  request.searchParams.set('platform', process.platform === 'win32' ? 'windows' : process.platform);
  request.searchParams.set('arch', process.arch === 'x64' ? 'amd64' : process.arch);
  request.searchParams.set('format', 'tar.gz');
  request.searchParams.set('sdk-name', 'sdk-typescript');
  request.searchParams.set('sdk-version', sdkVersion());
  const response = await fetch(request, { signal: anyOf(signal, AbortSignal.timeout(noProgressMs)) });
  if (!response.ok) throw new Error(`${request.host} returned ${response.status}`);
  return archiveInfo.parse(await response.json());
}

function sdkVersion(): string {
  // oxlint-disable-next-line typescript/no-require-imports
  return (require('@temporalio/client/package.json') as { version: string }).version;
}

/** A slow download may continue as long as data arrives; a stalled one is aborted. */
async function fetchTo(
  url: string,
  file: string,
  onProgress: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(new Error('the download stalled')), noProgressMs);
  let received = 0;
  let reportedAt = Date.now();
  try {
    const response = await fetch(url, { signal: anyOf(signal, stalled.signal) });
    if (!response.ok || !response.body) throw new Error(`${new URL(url).host} returned ${response.status}`);
    const body = Readable.fromWeb(response.body as ReadableStream);
    body.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      timer = setTimeout(() => stalled.abort(new Error('the download stalled')), noProgressMs);
      received += chunk.length;
      if (Date.now() - reportedAt < 5_000) return;
      reportedAt = Date.now();
      onProgress(`downloading the Temporal server… ${Math.round(received / 1e6)} MB`);
    });
    await pipeline(body, createWriteStream(file));
  } finally {
    clearTimeout(timer);
  }
}

function anyOf(signal: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  return signal ? AbortSignal.any([signal, other]) : other;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const inner = cause as NodeJS.ErrnoException | undefined;
  return inner?.code ?? inner?.message ?? message;
}
