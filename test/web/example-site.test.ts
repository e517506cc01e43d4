import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import { typescriptProject } from '../support/sdk';
import type { Installation, TestProject } from '../support/installation';
import { useService } from '../support/use-service';
import { launchBrowser, screenshot, visit, type Visit } from './fixture';

const example = path.join(__dirname, '..', '..', 'examples', 'website');

describe('the example site', () => {
  let service: Installation;
  let browser: Browser;
  let project: TestProject;
  let site: ChildProcess;
  let url: string;
  let folder: string;
  let person: Visit;

  beforeAll(async () => {
    [service, browser] = await Promise.all([useService(), launchBrowser()]);
    project = await service.createProject({ name: 'Example', callback_url: 'https://before.example/' });
    // Beside the installed SDK, as after `npm install`.
    folder = mkdtempSync(path.join(typescriptProject(), 'website-'));
    cpSync(example, folder, { recursive: true, filter: (file) => !file.includes('node_modules') });
    site = spawn(process.execPath, [path.join(folder, 'server.mjs')], {
      env: { ...process.env, PORT: '0', HERALD_URL: service.url, HERALD_API_KEY: project.api_key },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(site.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    url = /http:\S+/.exec(line.toString())?.[0] ?? '';
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
  beforeEach(async () => {
    person = await visit(browser);
    await person.page.goto(url);
  });
  afterEach(() => person.context.close());

  async function confirm(user: string, start: string | null): Promise<void> {
    await service.control.open('telegram', user, { start, first_name: 'Anna' });
    await eventually(
      async () => (await service.control.chat('telegram', user)).messages.at(-1)?.buttons.length,
    );
    await service.control.tap('telegram', user, { button: 'Yes' });
  }
  const startOf = (link: string | null) => new URL(link ?? '').searchParams.get('start');

  async function expectLoggedIn(page: Page): Promise<void> {
    await page.getByRole('heading', { name: 'Hello, Anna' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Hello, Anna' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Example site' }).waitFor();
  }

  it('logs in by a session', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Log in with a messenger' }).click();
    const link = await page.locator('a[data-channel="telegram"]').getAttribute('href');
    await confirm('session-user', startOf(link));
    await page.getByRole('heading', { name: 'Hello, Anna' }).waitFor();
    await screenshot(page, 'example-site');
    await expectLoggedIn(page);
  });

  it('logs in by a QR code that the site shows', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Show QR code' }).click();
    const hosted = (await page.locator('img').first().getAttribute('src'))?.replace(/\/qr\?.*$/, '') ?? '';
    const html = await (await fetch(hosted)).text();
    await confirm('qr-user', /start=(s_\w+)/.exec(html)?.[1] ?? null);
    await expectLoggedIn(page);
  });

  it('logs in by the static link, and asks before it does', async () => {
    const { page } = person;
    const link = await page.getByRole('link', { name: 'Telegram' }).getAttribute('href');
    await confirm('static-user', startOf(link));
    const back = await eventually(async () => {
      const { messages } = await service.control.chat('telegram', 'static-user');
      return messages.at(-1)?.buttons[0]?.[0]?.url;
    });
    await page.goto(back);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectLoggedIn(page);
  });

  it('refuses a code that another browser asked for', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Log in with a messenger' }).click();
    const link = await page.locator('a[data-channel="telegram"]').getAttribute('href');
    const back = page.waitForRequest((request) => request.url().startsWith(`${url}/callback`));
    await page.route(`${url}/callback*`, (route) => route.abort());
    await confirm('thief', startOf(link));
    const stolen = (await back).url();
    const other = await visit(browser);
    await other.page.goto(stolen);
    await other.page.getByText('This login was not started in this browser.').waitFor();
    await other.context.close();
  });

  it('puts the project’s callback URL back when it is stopped', async () => {
    expect((await project.api('GET', '/v1/project')).body.callback_url).toBe(`${url}/callback`);
    site.kill('SIGINT');
    await once(site, 'exit');
    expect((await project.api('GET', '/v1/project')).body.callback_url).toBe('https://before.example/');
  });
});
