import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually';
import type { Installation, TestProject } from '../support/installation';
import { useService } from '../support/use-service';
import { stablePort } from '../support/stable-port';
import { launchBrowser, screenshot, visit } from './fixture';

const server = path.join(__dirname, '..', '..', 'examples', 'authjs', 'server.mjs');

describe('a site with Auth.js', () => {
  let service: Installation;
  let browser: Browser;
  let project: TestProject;
  let site: ChildProcess;
  let url: string;

  beforeAll(async () => {
    [service, browser] = await Promise.all([useService(), launchBrowser()]);
    project = await service.createProject({ name: 'Auth.js shop' });
    const port = await stablePort();
    url = `http://localhost:${port}`;
    const { body } = await project.api('POST', '/v1/oidc/clients', {
      name: 'Auth.js',
      redirect_uris: [`${url}/auth/callback/herald`],
    });
    site = spawn(process.execPath, [server], {
      env: {
        ...process.env,
        NODE_ENV: 'development',
        PORT: String(port),
        HERALD_ISSUER: body.issuer,
        HERALD_CLIENT_ID: body.client_id,
        HERALD_CLIENT_SECRET: body.client_secret,
        AUTH_SECRET: 'a secret of the test, long enough for Auth.js',
      },
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
