import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { builtPackage, pythonProject } from '../../support/sdk';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { sign } from '../../../src/domains/webhooks/signature';
import { eventually } from '../../support/eventually';
import { subscribePerson } from '../messages/fixture';
import { confirm, languages, runScript } from './fixture';

jest.setTimeout(240_000);

const root = path.join(__dirname, '..', '..', '..');
const guide = (name: string) => readFileSync(path.join(root, 'web', 'docs', 'guides', name), 'utf8');
const blocksOf = (text: string) =>
  [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, , code]) => code ?? '');

interface Guide {
  name: string;
  file: string;
  /** What the guide's path to the SDK in the checkout stands for: the package built from it. */
  installed: string;
  /** What the guide installs besides the SDK and this checkout has already. */
  present: string;
  /** So that nothing is downloaded. */
  env: Record<string, string>;
}

const python = pythonProject();
const guides: Guide[] = [
  {
    name: 'typescript',
    file: 'login.ts',
    installed: 'sdk/typescript',
    present: ' tsx',
    env: {
      npm_config_offline: 'true',
      PATH: `${path.join(root, 'node_modules', '.bin')}:${process.env['PATH']}`,
    },
  },
  ...(python === null
    ? []
    : [
        {
          name: 'python',
          file: 'login.py',
          installed: 'sdk/python',
          present: '',
          env: { PIP_NO_INDEX: '1', PIP_NO_DEPENDENCIES: '1', PYTHONPATH: python.dependencies },
        },
      ]),
];

describe('the guides from zero to login', () => {
  let service: Installation;
  let folder: string;
  beforeAll(async () => {
    service = await useService();
    folder = mkdtempSync(path.join(tmpdir(), 'herald-guide-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await service?.stop();
  });

  it.each(guides)('$name works as it is printed', async ({ name, file, installed, present, env }) => {
    const [, install = '', program = '', run = ''] = blocksOf(guide(`${name}.md`));
    const { api_key } = await service.createProject();
    const beside = path.join(folder, name);
    const environment = { ...process.env, ...env };
    const line = `../herald/${installed}${present}`;
    expect(install).toContain(`${line}\n`);
    const script = install.replace(line, builtPackage(name));
    execFileSync('bash', ['-ec', `mkdir ${beside} && cd ${beside}\n${script}`], {
      env: environment,
      stdio: 'pipe',
    });

    expect(program).toContain(` ${file}\n`);
    const cwd = path.join(beside, 'hello-login');
    expect(existsSync(cwd)).toBe(true);
    writeFileSync(path.join(cwd, file), program);
    const commands = run
      .replace('http://127.0.0.1:3000', service.url)
      .replace('hk_…', api_key)
      // The compiler's runner of this checkout.
      .replace('npx tsx', 'tsx');
    const lines: string[] = [];
    await runScript(
      { command: ['bash', '-ec', commands], cwd, env, remove: () => undefined },
      {},
      async (line) => {
        lines.push(line);
        const [, hosted] = /Open (\S+) /.exec(line) ?? [];
        if (hosted) await confirm(service, await telegramLink(hosted), `guide-${name}`);
      },
    );
    expect(lines.at(-1)).toMatch(/^Hello, Anna! Your id is \S+\.$/);
  });

  /** The hosted page shows it to the user. */
  async function telegramLink(hosted: string): Promise<string> {
    const html = await (await fetch(hosted)).text();
    const [, link = ''] = /href="([^"]*telegram[^"]*start=[^"]+)"/.exec(html) ?? [];
    return link.replaceAll('&amp;', '&');
  }

  /** Around the samples of a README: the request that a web framework would give, and an end when the stream has begun. */
  const surroundings: Record<string, { folder: string; file: string; before: string }> = {
    TypeScript: {
      folder: 'typescript',
      file: 'readme.ts',
      before: `const { body: rawBody, ...request } = JSON.parse(process.env['REQUEST'] ?? '');
        const { log } = console;
        console.log = (...values) => {
          log(...values);
          if (values[0] === 'auth.completed') process.exit();
        };\n`,
    },
    Python: {
      folder: 'python',
      file: 'readme.py',
      before: `import builtins, json, os, sys, types
request = types.SimpleNamespace(**json.loads(os.environ["REQUEST"]))
raw_body = request.body
def print(*values):
    builtins.print(*values, flush=True)
    if values[0] == "auth.completed":
        sys.exit()\n`,
    },
  };

  it.each(languages)(
    'the samples of the README of the $name SDK work as they are printed',
    async (language) => {
      const {
        folder: sdk,
        file,
        before,
      } = surroundings[language.name] ?? { folder: '', file: '', before: '' };
      const samples = blocksOf(readFileSync(path.join(root, 'sdk', sdk, 'README.md'), 'utf8'));
      expect(samples).toHaveLength(4);
      const text = before + samples.join('\n').replace('https://herald.example.com', service.url);
      const project = await service.createProject();
      const vip = await subscribePerson(service, project);
      await project.api('PATCH', `/v1/subscribers/${vip.subscriberId}`, { tags: ['vip'] });
      const body = JSON.stringify({ event: 'auth.completed', data: { subscriber_id: 'of-the-webhook' } });
      const secret = 'whsec_of_the_readme';
      const headers = {
        'x-service-signature': sign(body, [secret], Math.floor(Date.now() / 1000)),
        'x-service-delivery-id': 'the-delivery',
      };
      const lines: string[] = [];
      let ended = false;
      let emitting: Promise<unknown> = Promise.resolve();
      const program = language.prepare({ file, text });
      try {
        await runScript(
          program,
          {
            HERALD_API_KEY: project.api_key,
            HERALD_WEBHOOK_SECRET: secret,
            REQUEST: JSON.stringify({ body, headers }),
          },
          async (line) => {
            lines.push(line);
            if (lines.length === 1) await confirm(service, await telegramLink(line), `readme-${sdk}`);
            if (lines.length !== 4) return;
            // The stream opens after this line, and tells what happens from then on.
            emitting = eventually(async () => {
              await service.emitExample(project.id, 'auth.completed');
              return ended;
            });
          },
        );
      } finally {
        ended = true;
        await emitting;
        program.remove();
      }
      expect(lines.slice(1, 4)).toEqual([
        expect.stringMatching(/^\S+ Anna$/),
        vip.subscriberId,
        expect.stringMatching(/^the-delivery .*of-the-webhook/),
      ]);
      expect(lines[4]).toMatch(/^auth\.completed /);
    },
  );
});
