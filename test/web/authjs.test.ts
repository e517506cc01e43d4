import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually';
import type { Installation, TestProject } from '../support/installation';
import { useService } from '../support/use-service';
import { stablePort } from '../support/stable-port';
import { launchBrowser, screenshot, visit } from './fixture';

const root = path.join(__dirname, '..', '..');
const example = path.join('examples', 'authjs');

describe('a site with Auth.js', () => {
  let service: Installation;
  let browser: Browser;
  let project: TestProject;
  let site: ChildProcess;
  let url: string;
  let folder: string;

  beforeAll(async () => {
    [service, browser] = await Promise.all([useService(), launchBrowser()]);
    project = await service.createProject({ name: 'Auth.js shop' });
    const port = await stablePort();
    url = `http://localhost:${port}`;
    const { body } = await project.api('POST', '/v1/oidc/clients', {
      name: 'Auth.js',
      redirect_uris: [`${url}/auth/callback/herald`],
    });
    // A clean folder with the packages of the repository, which the README names.
    folder = mkdtempSync(path.join(tmpdir(), 'herald-authjs-'));
    cpSync(path.join(root, example), path.join(folder, example), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
    const readme = readFileSync(path.join(folder, example, 'README.md'), 'utf8');
    const [, commands = ''] = /^```\n(export [^]*?)^```$/m.exec(readme) ?? [];
    const values = {
      // The issuer of a service with the default host and port.
      'http://127.0.0.1:3000/oidc': body.issuer as string,
      '<client id>': body.client_id as string,
      '<client secret>': `'${body.client_secret}'`,
      // The shell becomes the server, which gets the signal at the end.
      'node examples': 'exec node examples',
    };
    const script = Object.entries(values).reduce((text, [printed, value]) => {
      expect(text).toContain(printed);
      return text.replace(printed, value);
    }, commands);
    site = spawn('bash', ['-ec', script], {
      cwd: folder,
      env: { ...process.env, NODE_ENV: 'development', PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(site.stdout as NodeJS.ReadableStream, 'data');
  });
  afterAll(async () => {
    await browser?.close();
    if (site?.exitCode === null) {
      site.kill('SIGTERM');
      await once(site, 'exit');
    }
    await service?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  async function answer(user: string, link: string | null, button: 'Yes' | 'No'): Promise<void> {
    const start = new URL(link ?? '').searchParams.get('start');
    await service.control.open('telegram', user, { start, first_name: 'Anna' });
    await eventually(
      async () => (await service.control.chat('telegram', user)).messages.at(-1)?.buttons.length,
    );
    await service.control.tap('telegram', user, { button });
  }

  it.each([true, false])('logs a person in; with JavaScript: %s', async (javaScriptEnabled) => {
    const { page, context } = await visit(browser, { javaScriptEnabled });
    await page.goto(url);
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Telegram or MAX' }).click();
    await page.getByRole('heading', { name: 'Log in to Auth.js shop' }).waitFor();
    await screenshot(page, `oidc-login-${javaScriptEnabled ? 'script' : 'plain'}`);
    const link = await page.locator('a[data-channel="telegram"]').getAttribute('href');
    await answer(`authjs-${javaScriptEnabled}`, link, 'Yes');
    await page.getByRole('heading', { name: 'Hello, Anna' }).waitFor();
    const id = await page.locator('code').innerText();
    const { body } = await project.api('GET', `/v1/subscribers/${id}`);
    expect(body).toMatchObject({ first_name: 'Anna', channel: 'telegram' });
    await context.close();
  });

  it('returns to the site when the person says No', async () => {
    const { page, context } = await visit(browser);
    await page.goto(`${url}/auth/signin`);
    await page.getByRole('button', { name: 'Telegram or MAX' }).click();
    const link = await page.locator('a[data-channel="telegram"]').getAttribute('href');
    await answer('authjs-no', link, 'No');
    await page.waitForURL((address) => address.origin === url);
    await page.goto(url);
    await page.getByRole('link', { name: 'Log in' }).waitFor();
    await context.close();
  });
});
