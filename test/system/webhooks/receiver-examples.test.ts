import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Attempter, createAttempter } from '../../../src/domains/webhooks/attempt';
import { sign } from '../../../src/domains/webhooks/signature';
import { pythonProject, typescriptProject } from '../../support/sdk';

const root = join(__dirname, '../../..');
const examples = join(root, 'examples/receivers');
const secret = 'whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const body = '{"event":"otp.sent","data":{"first_name":"Аня 😀"}}';

let workplace: string;
beforeAll(() => {
  workplace = mkdtempSync(join(tmpdir(), 'herald-receivers-'));
  cpSync(examples, workplace, { recursive: true });
});
afterAll(() => rmSync(workplace, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(workplace, path)), { recursive: true });
  writeFileSync(join(workplace, path), text);
}

describe('the examples on the SDKs take real deliveries', () => {
  /** How each example is put into a server; everything else is the example's own text. */
  const servers: Record<string, string> = {
    'node.mjs': `
      import { receive } from './node.mjs';
      server.on('request', receive);`,
    'express.mjs': `
      import { buffer } from 'node:stream/consumers';
      import { receive } from './express.mjs';
      server.on('request', async (req, res) => {
        req.body = await buffer(req); // what express.raw() does
        receive(req, res);
      });`,
    'koa.mjs': `
      import Koa from 'koa';
      import { receive } from './koa.mjs';
      const app = new Koa();
      app.silent = true;
      server.on('request', app.use(receive).callback());`,
    'next-route.mjs': `
      import { POST } from './next-route.mjs';
      server.on('request', async (req, res) => {
        const { method, headers } = req;
        const request = new Request('http://localhost/', { method, headers, body: req, duplex: 'half' });
        const response = await POST(request);
        res.writeHead(response.status).end(await response.text());
      });`,
  };

  let attempter: Attempter;
  const children: ChildProcess[] = [];

  beforeAll(() => {
    mkdirSync(join(workplace, 'node_modules'));
    symlinkSync(join(root, 'node_modules/koa'), join(workplace, 'node_modules/koa'));
    const sdk = join(typescriptProject(), 'node_modules/herald-sdk');
    symlinkSync(sdk, join(workplace, 'node_modules/herald-sdk'));
    attempter = createAttempter({ allowLocal: true });
  });

  afterAll(async () => {
    await attempter.close();
    for (const child of children) {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
  });

  /** Starts a receiver that prints its port, and sends it genuine and forged deliveries. */
  async function receives(command: string[], env: Record<string, string> = {}): Promise<void> {
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      cwd: workplace,
      env: { ...process.env, ...env, HERALD_WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value: port } = await lines.next();

    const url = `http://127.0.0.1:${port}/`;
    const delivery = { projectId: 'project-1', url, deliveryId: 'delivery-1', event: 'otp.sent', body };
    const genuine = await attempter.attempt({ ...delivery, secrets: [secret] });
    expect(genuine).toMatchObject({ status: 204, error: null });
    const { value: logged } = await lines.next();
    expect(logged).toContain('delivery-1 otp.sent');
    const rotated = await attempter.attempt({ ...delivery, secrets: ['whsec_newer', secret] });
    expect(rotated).toMatchObject({ status: 204 });
    const forged = await attempter.attempt({ ...delivery, secrets: ['whsec_guessed'] });
    expect(forged).toMatchObject({ status: 400, responseBody: 'bad signature' });
  }

  it.each(Object.keys(servers))('%s', async (name) => {
    write(
      `serve-${name}`,
      `import { createServer } from 'node:http';
       const server = createServer();
       ${servers[name]}
       server.listen(0, '127.0.0.1', () => console.log(server.address().port));`,
    );
    // node.mjs listens by itself as well.
    await receives([process.execPath, `serve-${name}`], { PORT: '0' });
  });

  // The list follows what this machine has.
  const python = pythonProject();
  for (const { python: command, env } of python ? [python] : []) {
    it('receiver.py', async () => {
      write(
        'serve.py',
        `from http.server import HTTPServer
from receiver import Receiver
server = HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
`,
      );
      await receives([command, 'serve.py'], env);
    });
  }
});

interface Language {
  command: string;
  /** Writes what calls the example and returns the command that prints `true` or `false` (body, header, secret). */
  prepare(): string[];
}

const languages: Record<string, Language> = {
  'verify.go': {
    command: 'go',
    prepare() {
      write('go/go.mod', 'module receiver\n\ngo 1.18\n');
      write('go/webhooks/verify.go', readFileSync(join(examples, 'verify.go'), 'utf8'));
      write(
        'go/main.go',
        'package main\n\nimport (\n\t"fmt"\n\t"os"\n\t"receiver/webhooks"\n)\n\nfunc main() { fmt.Println(webhooks.IsValid([]byte(os.Args[1]), os.Args[2], os.Args[3])) }\n',
      );
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod', GOPROXY: 'off' };
      execFileSync('go', ['build', '-o', 'call', '.'], { cwd: join(workplace, 'go'), env });
      return [join(workplace, 'go', 'call')];
    },
  },
  'verify.php': {
    command: 'php',
    prepare() {
      write(
        'call.php',
        "<?php require 'verify.php'; echo is_valid($argv[1], $argv[2], $argv[3]) ? 'true' : 'false';\n",
      );
      return ['php', 'call.php'];
    },
  },
};

const versionArgument: Record<string, string> = { go: 'version' };
const isInstalled = ({ command }: Language) =>
  spawnSync(command, [versionArgument[command] ?? '--version'], { stdio: 'ignore' }).status === 0;

describe('the examples in other languages agree with the signature', () => {
  // The list follows what this machine has.
  const installed = Object.entries(languages).filter(([, language]) => isInstalled(language));

  it('are all known to this test', () => {
    expect(Object.keys(languages)).toEqual(
      expect.arrayContaining(readdirSync(examples).filter((name) => name.startsWith('verify.'))),
    );
  });

  for (const [name, language] of installed) {
    it(
      name,
      () => {
        const [command = '', ...prefix] = language.prepare();
        const asked = (...request: [body: string, header: string, secret: string]) =>
          execFileSync(command, [...prefix, ...request], { cwd: workplace, encoding: 'utf8' }).trim();

        const header = sign(body, [secret], 1_700_000_000);
        expect(asked(body, header, secret)).toBe('true');
        expect(asked(body, sign(body, ['whsec_newer', secret], 1_700_000_000), secret)).toBe('true');
        expect(asked(body, header.replace(',', ', '), secret)).toBe('true');
        expect(asked(`${body} `, header, secret)).toBe('false');
        expect(asked(body, header, `${secret}x`)).toBe('false');
        expect(asked(body, header.replace('t=1700000000', 't=1700000001'), secret)).toBe('false');
        for (const garbage of ['', 't', '=', 't=,v1=', 'v1=zz', 't=1;v1=00', ',,,', 'ключ=1']) {
          expect(asked(body, garbage, secret)).toBe('false');
        }
      },
      180_000,
    );
  }
});

describe('docs/receiving-webhooks.md', () => {
  const page = readFileSync(join(root, 'docs/receiving-webhooks.md'), 'utf8');
  const blocks = [...page.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

  it.each(readdirSync(examples))('shows %s as it is', (name) => {
    expect(blocks).toContain(readFileSync(join(examples, name), 'utf8'));
    expect(page).toContain(`(../examples/receivers/${name})`);
  });
});
