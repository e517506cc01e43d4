import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import { builtPackage } from '../support/sdk';
import type { Installation, TestProject } from '../support/installation';
import { useService } from '../support/use-service';
import { launchBrowser, screenshot, seriousFlaws, visit, type Visit } from './fixture';

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
    folder = mkdtempSync(path.join(tmpdir(), 'herald-website-'));
    const copy = path.join(folder, 'examples', 'website');
    cpSync(example, copy, { recursive: true, filter: (file) => !file.includes('node_modules') });
    // The package that was built from the sources: they are not beside the copy.
    const manifest = readFileSync(path.join(copy, 'package.json'), 'utf8');
    const installed = manifest.replace('../../sdk/typescript', builtPackage('typescript'));
    expect(installed).not.toBe(manifest);
    writeFileSync(path.join(copy, 'package.json'), installed);
    site = spawn('bash', ['-ec', commandsOf(readFileSync(path.join(copy, 'README.md'), 'utf8'), manifest)], {
      cwd: folder,
      env: { ...process.env, PORT: '0', npm_config_offline: 'true' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: site.stdout as NodeJS.ReadableStream })) {
      url = /http:\S+/.exec(line)?.[0] ?? '';
      if (url !== '') break;
    }
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

  /** As the README prints them, for this project. The shell becomes the site, which gets the signal at the end. */
  function commandsOf(readme: string, manifest: string): string {
    const [, commands = ''] = /^```\n(cd examples[^]*?)^```$/m.exec(readme) ?? [];
    const { scripts } = JSON.parse(manifest) as { scripts: { start: string } };
    const values = {
      'https://herald.example': service.url,
      'hk_…': project.api_key,
      'PORT=4100': 'PORT=0',
      'npm start': `exec ${scripts.start}`,
    };
    return Object.entries(values).reduce((text, [printed, value]) => {
      expect(text).toContain(printed);
      return text.replace(printed, value);
    }, commands);
  }

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
    await page.getByRole('heading', { name: 'Tea shop' }).waitFor();
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
    // One at a time.
    await page.getByRole('radio', { name: 'MAX' }).check();
    await page.getByAltText('QR code to log in with MAX').waitFor();
    expect(await page.locator('.qrs img:visible').count()).toBe(1);
    expect(await seriousFlaws(page)).toEqual([]);
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

  /** The link of a hosted page's button. */
  const telegramLink = async (page: Page) =>
    startOf(await page.locator('a[data-channel="telegram"]').getAttribute('href'));

  it('shows what happened, and asks for a payment in the messenger', async () => {
    const { page } = person;
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('link', { name: 'Log in with a messenger' }).click();
    await confirm('payer', await telegramLink(page));
    await page.getByText('The state matches this browser.').waitFor();
    expect(JSON.parse(await page.locator('#user').innerText())).toHaveProperty('subscriber_id');
    expect((await page.locator('#code').innerText()).length).toBeGreaterThan(20);
    const story = page.getByRole('complementary', { name: 'What happened' });
    expect(await story.getByRole('listitem').locator('code').allInnerTexts()).toEqual([
      'POST /v1/auth/session',
      'auth.completed',
      'POST /v1/auth/verify',
    ]);
    expect(await story.getByRole('link', { name: 'In the dashboard' }).getAttribute('href')).toContain(
      `${service.url}/dashboard/logins/`,
    );
    expect(await seriousFlaws(page)).toEqual([]);

    await page.getByRole('button', { name: 'Pay 50 €' }).click();
    // A payment is no login, and while the answer is awaited there is nothing to press but the way back.
    await page.getByText('Confirmation code').waitFor();
    expect(await page.getByText('Login code').count()).toBe(0);
    expect(await page.locator('main :is(.button, button)').count()).toBe(0);
    const code = await page.locator('.match').innerText();
    const question = await eventually(async () => {
      const { messages } = await service.control.chat('telegram', 'payer');
      return messages.find(({ text }) => text.includes('Approve the payment of 50 €?'));
    });
    expect(question.text).toContain(code);
    await screenshot(page, 'example-site-payment');
    expect(await seriousFlaws(page)).toEqual([]);
    await service.control.tap('telegram', 'payer', { button: 'Yes' });
    await page.getByText('Approved. The payment goes on.').waitFor();
    expect(person.complaints).toEqual([]);
  });

  it('speaks the language of the browser, and the other one by a link', async () => {
    const russian = await visit(browser, { locale: 'ru-RU' });
    await russian.page.goto(url);
    await russian.page.getByRole('link', { name: 'Войти через мессенджер' }).waitFor();
    await russian.page.getByRole('link', { name: 'English' }).click();
    await russian.page.getByRole('link', { name: 'Show QR code' }).click();
    await russian.page.getByRole('heading', { name: 'Scan to log in' }).waitFor();
    await russian.context.close();
  });

  it('says why nobody was logged in, and runs no script from its address', async () => {
    const open = async (query: string) => (await fetch(`${url}/callback${query}`)).text();
    expect(await open('?error=access_denied')).toContain('declined or has expired');
    expect(await open('?error=temporarily_unavailable')).toContain('not available right now');
    expect(await open('')).toContain('without a code');
    for (const query of ['?code=<script>alert(1)</script>', '?code=a&state=<script>alert(1)</script>']) {
      const page = await open(query);
      expect(page).not.toContain('<script>alert');
      expect(page).toContain('&#60;script&#62;alert(1)');
    }
    for (const query of ['?code=abc', '?code=abc&state=def']) {
      const { status, headers } = await fetch(`${url}/callback${query}`);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
    }
  });

  it('shows a script the code of its session, and neither redeems it nor logs anybody in', async () => {
    const { body: session } = await project.api('POST', '/v1/auth/session', { state: 'a"b' });
    await confirm('script', startOf(session.telegram_link));
    const { body: done } = await project.api('GET', `/v1/auth/session/${session.session_id}/status?wait=20`);
    // As a static link returns.
    const withoutState = new URL(done.redirect_url);
    withoutState.searchParams.delete('state');
    for (const address of [done.redirect_url as string, withoutState.href]) {
      const open = (language: string) =>
        fetch(address, { redirect: 'manual', headers: { 'accept-language': language } });
      const response = await open('en');
      expect(response.status).toBe(200);
      const page = await response.text();
      expect(page).toContain(`<pre id="code">${done.code}</pre>`);
      expect(page.includes('<pre id="state">a&#34;b</pre>')).toBe(address === done.redirect_url);
      expect(page).toContain(
        'where a project’s own site would redeem the code with <code>POST /v1/auth/verify</code>',
      );
      expect(await (await open('ru')).text()).toContain('обменял бы код запросом');
      const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
      const home = await fetch(url, { headers: { cookie: cookies.join('; ') } });
      expect(await home.text()).toContain('Log in with a messenger');
    }
    expect((await project.api('POST', '/v1/auth/verify', { code: done.code })).status).toBe(200);
  });

  it('survives a request whose target is no URL, and an unknown language', async () => {
    expect((await fetch(`${url}//`)).status).toBe(400);
    expect(await (await fetch(`${url}/?lang=constructor`)).text()).toContain('Log in with a messenger');
  });

  it('refuses a payment without a login, and a form of another site', async () => {
    const post = (place: string, headers: Record<string, string> = {}) =>
      fetch(url + place, { method: 'POST', headers }).then((response) => response.text());
    expect(await post('/payment')).toContain('Only a logged-in user can pay.');
    expect(await post('/payment', { 'sec-fetch-site': 'cross-site' })).toContain('belongs to another site');
  });

  describe('with the button to embed', () => {
    const openLogin = async ({ context, page }: Visit) => {
      await page.goto(`${url}/embed`);
      const [popup] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Log in with a messenger' }).click(),
      ]);
      await popup.locator('#countdown').waitFor();
      return popup;
    };
    const answer = async (user: string, start: string | null, button: string) => {
      await service.control.open('telegram', user, { start });
      await eventually(
        async () => (await service.control.chat('telegram', user)).messages.at(-1)?.buttons.length,
      );
      await service.control.tap('telegram', user, { button });
    };

    it('opens a small window and brings the code to the page', async () => {
      const { page, complaints } = person;
      const popup = await openLogin(person);
      await page.getByRole('dialog').waitFor();
      await screenshot(page, 'embed');
      await popup.setViewportSize({ width: 720, height: 680 });
      expect(
        await popup.evaluate('document.documentElement.scrollHeight - document.documentElement.clientHeight'),
      ).toBe(0);
      await screenshot(popup, 'embed-window');
      const start = await telegramLink(popup);
      await Promise.all([popup.waitForEvent('close'), answer('vera', start, 'Yes')]);
      await page.locator('#embed-user', { hasText: 'subscriber_id' }).waitFor();
      await page.getByText('Logged in. The backend exchanged the code').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    it('is cancelled when the window is closed', async () => {
      const popup = await openLogin(person);
      await popup.close();
      await person.page.getByText('The login was cancelled').waitFor();
      await person.page.getByRole('button', { name: 'Log in with a messenger', disabled: false }).waitFor();
    });

    it('hears that the login was declined, and the window closes', async () => {
      const { page } = person;
      await page.addInitScript(
        `document.addEventListener('herald:error', ({ detail }) => { window.reason = detail.reason; })`,
      );
      const popup = await openLogin(person);
      const start = await telegramLink(popup);
      await Promise.all([popup.waitForEvent('close'), answer('nina', start, 'No')]);
      await page.getByText('The login was declined').waitFor();
      expect(await page.evaluate('window.reason')).toBe('declined');
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });

  it('shows a code that another browser asked for, and logs in only that browser', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Log in with a messenger' }).click();
    const link = await page.locator('a[data-channel="telegram"]').getAttribute('href');
    const back = page.waitForRequest((request) => request.url().startsWith(`${url}/callback`));
    await page.route(`${url}/callback*`, (route) => route.abort());
    await confirm('thief', startOf(link));
    const stolen = (await back).url();
    const other = await visit(browser);
    // A login of its own in progress changes nothing.
    for (const begun of [false, true]) {
      if (begun) await other.page.goto(`${url}/login/qr`);
      await other.page.goto(stolen);
      await other.page.getByText('This login was not started in this browser.').waitFor();
      const { code, state } = Object.fromEntries(new URL(stolen).searchParams);
      expect(await other.page.locator('#code').innerText()).toBe(code);
      expect(await other.page.locator('#state').innerText()).toBe(state);
      expect(await other.page.locator('main :is(.button, button)').count()).toBe(0);
      await screenshot(other.page, 'example-site-code');
      expect(await seriousFlaws(other.page)).toEqual([]);
      await other.page.goto(url);
      await other.page.getByRole('link', { name: 'Log in with a messenger' }).waitFor();
    }
    await other.context.close();
    await page.unroute(`${url}/callback*`);
    await page.goto(stolen);
    await expectLoggedIn(page);
  });

  it('puts the project’s callback URL back when it is stopped', async () => {
    expect((await project.api('GET', '/v1/project')).body.callback_url).toBe(`${url}/callback`);
    site.kill('SIGINT');
    await once(site, 'exit');
    expect((await project.api('GET', '/v1/project')).body.callback_url).toBe('https://before.example/');
  });
});
