import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { appendFile, chmod, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRunning } from '../../src/local/process-identity';
import { packageRoot } from '../../src/base/lib/package-root';
import type { Runtime } from '../../src/main';
import { readRuntime } from '../../src/local/data-dir';
import { eventually } from '../support/eventually';
import { recordedChildren, startNpm, type NpmProcess } from '../support/npm-start';
import { stablePort } from '../support/stable-port';

jest.setTimeout(300_000);

/** What `npm run dev` reads; with dist, which spares the first build. */
const copied = [
  ...['src', 'workflows', 'activities', 'sdk', 'web', 'docs', 'bin', 'dist', 'examples'],
  ...['package.json', 'package-lock.json', 'vite.config.mjs'],
  ...['tsconfig.json', 'tsconfig.build.json'],
];

const tsconfigOf = (only: string) =>
  JSON.stringify({ compilerOptions: { noEmit: true, types: [] }, files: [only] });

describe('npm run dev', () => {
  let checkout: string;
  let dataDir: string;
  let port: number;
  let herald: NpmProcess;

  const file = (name: string) => path.join(checkout, name);
  const get = async (page: string) => (await fetch(`http://127.0.0.1:${port}${page}`)).text();
  /** The process that serves now, by the record that the CLI finds it through. */
  const service = () =>
    JSON.parse(readFileSync(path.join(dataDir, 'runtime.json'), 'utf8')) as Runtime & { pid: number };
  const replace = async (name: string, from: string, to: string) => {
    const text = readFileSync(file(name), 'utf8');
    expect(text).toContain(from);
    await writeFile(file(name), text.replace(from, to));
  };

  const start = async () => {
    herald = startNpm(['run', 'dev'], { HERALD_DATA_DIR: dataDir, PORT: String(port) }, checkout);
    await Promise.race([
      eventually(() => herald.stdout().includes('Herald is ready'), 120_000),
      herald.finished.then(({ stderr }) => Promise.reject(new Error(`it ended: ${stderr}`))),
    ]);
  };

  beforeAll(async () => {
    // The test must not edit the checkout that it runs in.
    checkout = await mkdtemp(path.join(tmpdir(), 'herald-dev-'));
    await chmod(checkout, 0o711);
    for (const name of copied) await cp(path.join(packageRoot, name), file(name), { recursive: true });
    await symlink(path.join(packageRoot, 'node_modules'), file('node_modules'));
    // typecheck.test.ts tests the type check. Here it has next to nothing to read, which saves a minute of a core each time.
    await writeFile(file('tsconfig.build.json'), tsconfigOf('src/base/lib/iso-time.ts'));
    await writeFile(file('web/tsconfig.json'), tsconfigOf('../src/base/lib/iso-time.ts'));
    dataDir = file('data');
    port = await stablePort();
  });
  beforeEach(start);
  afterEach(() => {
    try {
      herald.signalGroup('SIGKILL');
    } catch {
      // It has ended, as it should have.
    }
    for (const child of recordedChildren(dataDir)) if (isRunning(child)) process.kill(child.pid, 'SIGKILL');
  });
  afterAll(() => rm(checkout, { recursive: true, force: true }));

  it('runs changed code, pages and workflows while the embedded servers stay up', async () => {
    const servers = recordedChildren(dataDir);
    expect(servers).toHaveLength(2);
    const first = service();
    expect(await get('/openapi.json')).toContain('"title":"Herald"');

    await replace('src/site/openapi/index.ts', `title: 'Herald'`, `title: 'Changed'`);
    await eventually(() => /Restarted [\d.]+ s after the change\./.test(herald.stdout()), 60_000);
    expect(await get('/openapi.json')).toContain('"title":"Changed"');
    const second = service();
    expect(second.pid).not.toBe(first.pid);
    expect({ ...second, pid: 0, startedAt: 0 }).toEqual({ ...first, pid: 0, startedAt: 0 });
    expect(recordedChildren(dataDir)).toEqual(servers);
    expect((await fetch(first.simulator_url ?? '')).status).toBe(200);

    await appendFile(file('web/docs/docs.css'), '\n.changed-by-a-test { color: red }\n');
    await appendFile(file('web/docs/guides/start.md'), '\nChanged by a test.\n');
    await eventually(async () => (await get('/assets/docs.css')).includes('changed-by-a-test'), 60_000);
    await eventually(async () => (await get('/docs')).includes('Changed by a test.'), 60_000);
    expect(service().pid).toBe(second.pid);

    await appendFile(file('workflows/index.ts'), `\nexport const changedByATest = 'marked';\n`);
    await eventually(() => service().pid !== second.pid, 120_000);
    expect(readFileSync(file('dist/workflow-bundle.js'), 'utf8')).toContain('changedByATest');
    expect(recordedChildren(dataDir)).toEqual(servers);

    herald.signalGroup('SIGINT');
    await herald.allGone();
    expect(servers.some(isRunning)).toBe(false);
    expect(herald.stderr()).not.toMatch(/"level":"(error|fatal)"/);
  });

  // One start for both, as a start takes the most of it.
  it('goes on with the last good code after a syntax error, waits after a failed start, and ends with its supervisor', async () => {
    const first = service();
    const good = readFileSync(file('src/base/core.ts'), 'utf8');

    await appendFile(file('src/base/core.ts'), '\nconst = 1;\n');
    await eventually(() => /src\/base\/core\.ts:\d+:\d+/.test(herald.stderr()), 60_000);
    expect(await get('/healthz')).toContain('ok');
    expect(service().pid).toBe(first.pid);

    await writeFile(file('src/base/core.ts'), good);
    await appendFile(file('src/process/service.ts'), `\nthrow new Error('thrown by a test');\n`);
    await eventually(() => herald.stderr().includes('it starts again after the next change'), 60_000);
    expect(herald.stderr()).toContain('thrown by a test');
    await eventually(async () => (await readRuntime(dataDir)) === null);

    await replace('src/process/service.ts', `throw new Error('thrown by a test');`, '');
    await eventually(async () => (await get('/healthz')).includes('ok'), 60_000);

    // Killed, the supervisor cannot stop anything.
    const servers = recordedChildren(dataDir);
    const { pid } = await eventually(() => readRuntime(dataDir));
    const supervisor = execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' });
    process.kill(Number(supervisor), 'SIGKILL');
    await herald.groupGone();
    // The embedded servers stay, as after `npm start`: the next start stops them.
    expect(servers.every(isRunning)).toBe(true);
    await start();
    expect(servers.some(isRunning)).toBe(false);
    herald.signalNpm('SIGTERM');
    await herald.allGone();
  });
});
