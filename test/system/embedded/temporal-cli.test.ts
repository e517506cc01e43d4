import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findTemporalCli, type TemporalCliOptions } from '../../../src/embedded/temporal-cli';
import { setupErrorOf } from './fixture';

let directory: string;
let bin: string;
let cache: string;
let progress: string[];
const servers: Server[] = [];

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'herald-cli-'));
  bin = path.join(directory, 'bin');
  cache = path.join(directory, 'cache', 'herald');
  progress = [];
  await mkdir(bin);
  await mkdir(cache, { recursive: true });
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  await rm(directory, { recursive: true, force: true });
});

const cli = (name: string) =>
  `#!/bin/sh\n# ${name}\necho "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"\n`;

async function writeProgram(file: string, content: string): Promise<string> {
  await writeFile(file, content);
  await chmod(file, 0o755);
  return file;
}

/** A Go that "builds" by writing the program, and counts how often it was asked to. */
async function installFakeGo(
  body = `printf '%s\\n' '#!/bin/sh' 'echo "temporal version 0.0.0-DEV (Server 1.29.1)"' > "$GOBIN/temporal"`,
) {
  const calls = path.join(directory, 'go-calls');
  await writeProgram(
    path.join(bin, 'go'),
    `#!/bin/sh\necho "$@" >> '${calls}'\n${body}\n/bin/chmod +x "$GOBIN/temporal"\n`,
  );
  return async () => (await readFile(calls, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean);
}

/** An address where no server listens: a machine without a network, as far as the download is concerned. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/cli/default`;
}

async function find(options: TemporalCliOptions = {}): Promise<string> {
  return findTemporalCli({
    env: { PATH: bin, HOME: directory, XDG_CACHE_HOME: path.dirname(cache) },
    downloadUrl: options.downloadUrl ?? (await closedUrl()),
    onProgress: (message) => progress.push(message),
    ...options,
  });
}

/** The service that the SDKs ask, with an archive that holds `content` as the program. */
async function serveDownload(content: string): Promise<string> {
  await writeProgram(path.join(directory, 'temporal'), content);
  execFileSync('tar', ['-czf', path.join(directory, 'archive.tar.gz'), '-C', directory, 'temporal']);
  const archive = await readFile(path.join(directory, 'archive.tar.gz'));
  const server = createServer((request, response) => {
    if (request.url === '/archive') return response.end(archive);
    const { port } = server.address() as AddressInfo;
    response.end(
      JSON.stringify({ archiveUrl: `http://127.0.0.1:${port}/archive`, fileToExtract: 'temporal' }),
    );
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/cli/default`;
}

describe('where the program is found', () => {
  test('the setting wins over the PATH', async () => {
    await writeProgram(path.join(bin, 'temporal'), cli('on the PATH'));
    const configured = await writeProgram(path.join(directory, 'my-temporal'), cli('configured'));
    expect(await find({ configured })).toBe(configured);
  });

  test('a setting that names something else is an error, not a reason to search on', async () => {
    await writeProgram(path.join(bin, 'temporal'), cli('on the PATH'));
    const error = await setupErrorOf(find({ configured: '/bin/echo' }));
    expect(error.message).toContain('HERALD_TEMPORAL_CLI is set to /bin/echo');
    expect(error.exitCode).toBe(78);
  });

  test('the PATH wins over the cache', async () => {
    const onPath = await writeProgram(path.join(bin, 'temporal'), cli('on the PATH'));
    await writeProgram(path.join(cache, 'temporal'), cli('cached'));
    expect(await find()).toBe(onPath);
  });

  test('a broken program on the PATH is skipped with a message', async () => {
    const onPath = await writeProgram(path.join(bin, 'temporal'), 'garbage');
    const cached = await writeProgram(path.join(cache, 'temporal'), cli('cached'));
    expect(await find()).toBe(cached);
    expect(progress.join()).toContain(onPath);
  });

  test('the cache needs neither network nor Go', async () => {
    const cached = await writeProgram(path.join(cache, 'temporal'), cli('cached'));
    expect(await find()).toBe(cached);
    expect(progress).toEqual([]);
  });
});

describe('how the program is obtained', () => {
  test('the download is preferred to a build, and kept for the next start', async () => {
    const goCalls = await installFakeGo();
    const downloadUrl = await serveDownload(cli('downloaded'));
    const cached = path.join(cache, 'temporal');
    expect(await find({ downloadUrl })).toBe(cached);
    expect(await readFile(cached, 'utf8')).toContain('downloaded');
    expect(await find()).toBe(cached);
    expect(await goCalls()).toEqual([]);
    expect((await readdir(cache)).sort()).toEqual(['lock', 'temporal', 'temporal.size']);
  });

  test('without a network it is built with Go, once, with progress shown', async () => {
    const goCalls = await installFakeGo();
    const cached = path.join(cache, 'temporal');
    expect(await find()).toBe(cached);
    expect(await find()).toBe(cached);
    expect(await goCalls()).toEqual(['install github.com/temporalio/cli/cmd/temporal@v1.5.1']);
    expect(progress.join('\n')).toMatch(
      /building the Temporal server; this happens once and takes about 5 minutes… 0 s/,
    );
  });

  test('a downloaded program that does not run here is not kept', async () => {
    const goCalls = await installFakeGo();
    const downloadUrl = await serveDownload('for another machine');
    await find({ downloadUrl });
    expect(await goCalls()).toHaveLength(1);
  });

  test('two starts at once build it once', async () => {
    const goCalls = await installFakeGo(
      `/bin/sleep 1; printf '%s\\n' '#!/bin/sh' 'echo "temporal version 0.0.0-DEV (Server 1.29.1)"' > "$GOBIN/temporal"`,
    );
    const cached = path.join(cache, 'temporal');
    expect(await Promise.all([find(), find(), find()])).toEqual([cached, cached, cached]);
    expect(await goCalls()).toHaveLength(1);
    expect(progress.join('\n')).toContain(`waiting for process ${process.pid}`);
  });

  test('without a network and without Go it says what to do', async () => {
    const error = await setupErrorOf(find());
    expect(error.message).toMatch(/the download failed \(ECONNREFUSED\); Go is not installed/);
    for (const remedy of ['Temporal CLI', 'Go', 'HERALD_TEMPORAL_CLI', 'TEMPORAL_ADDRESS']) {
      expect(error.message).toContain(remedy);
    }
    expect(error.exitCode).toBe(69);
    expect(await readdir(cache)).toEqual(['lock']);
  });

  test('a failed build is reported with its last line', async () => {
    await installFakeGo(`echo 'go: no route to the module proxy' >&2; exit 1`);
    const error = await setupErrorOf(find());
    expect(error.message).toContain('the build with Go failed (go: no route to the module proxy)');
  });

  test('an interrupt ends the build and leaves nothing half-written', async () => {
    await installFakeGo('exec /bin/sleep 60');
    const interrupt = new AbortController();
    const finding = find({
      signal: interrupt.signal,
      onProgress: (message) => {
        if (message.startsWith('building')) setImmediate(() => interrupt.abort());
      },
    });
    await expect(finding).rejects.toThrow(/abort/i);
    expect(await readdir(cache)).toEqual(['lock']);
  });
});

describe('a half-written cache', () => {
  test('of garbage is replaced', async () => {
    const goCalls = await installFakeGo();
    const cached = await writeProgram(path.join(cache, 'temporal'), '\x7fELF half of a program');
    expect(await find()).toBe(cached);
    expect(progress.join('\n')).toContain(`the cached ${cached} is damaged`);
    expect(await goCalls()).toHaveLength(1);
  });

  test('cut short so that it still prints its version is replaced', async () => {
    const downloadUrl = await serveDownload(`${cli('downloaded')}exit 0\nthe part that serves\n`);
    const cached = await find({ downloadUrl });
    const whole = await readFile(cached, 'utf8');
    await truncate(cached, whole.indexOf('exit 0'));
    await find({ downloadUrl });
    expect(await readFile(cached, 'utf8')).toBe(whole);
  });

  test('left by a killed start under another name is removed', async () => {
    await installFakeGo();
    await mkdir(path.join(cache, 'draft-killed'));
    await writeFile(path.join(cache, 'draft-killed', 'temporal'), 'half');
    await find();
    expect(await readdir(cache)).not.toContain('draft-killed');
  });
});
