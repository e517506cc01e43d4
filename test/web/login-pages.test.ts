import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { endSession } from '../../src/domains/login/queries/decisions';
import { seedDemoProject } from '../../src/local/demo';
import { testCipher } from '../support/installation';
import { createDemoSignIn } from '../../src/local/demo/sign-in';
import { eventually, SOON_MS } from '../support/eventually';
import { png } from '../support/png';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { scriptedReceiver } from '../system/webhooks/fixture';
import { glimpse, launchBrowser, overflow, screenshot, seriousFlaws, visit, type Visit } from './fixture';

interface Session {
  session_id: string;
  hosted_url: string;
  telegram_link: string;
}

let service: TestService;
let browser: Browser;
let project: TestProject;
let dataDir: string;
const visits: Visit[] = [];
let later = 0;
const demoSignIn = createDemoSignIn(() => Date.now() + later);

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'herald-demo-'));
  // Its own: it has the data of the demo.
  [service, browser] = await Promise.all([
    startTestService({
      queues: ['logins', 'deliveries'],
      env: { HERALD_OPEN_SIGNUP: 'true' },
      pages: (core) => [demoSignIn.page(core)],
    }),
    launchBrowser(),
  ]);
  await seedDemoProject({
    pool: service.pool,
    cipher: testCipher,
    keyFile: path.join(dataDir, 'demo-api-key'),
  });
  project = await service.createProject({
    name: 'Чайная лавка',
    callback_url: `${service.url}/docs`,
    welcome_en: 'The kettle is on.',
  });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await rm(dataDir, { recursive: true, force: true });
});
afterEach(async () => {
  for (const { context } of visits.splice(0)) await context.close();
});

async function someone(options?: Parameters<Browser['newContext']>[0]): Promise<Visit> {
  const made = await visit(browser, options);
  visits.push(made);
  return made;
}

async function newSession(): Promise<Session> {
  const { status, body } = await project.api('POST', '/v1/auth/session', { state: 'st-1' });
  expect(status).toBe(201);
  return body as Session;
}

/** Opens the simulator's phone by a link of the page, as a click does. */
async function openPhone({ context, page }: Visit, link: string): Promise<Page> {
  const [phone] = await Promise.all([context.waitForEvent('page'), page.locator(link).click()]);
  await phone.getByRole('button', { name: /start|нач/i }).click();
  return phone;
}

const answer = (phone: Page, label: string) =>
  phone.getByRole('button', { name: label, exact: true }).last().click();

/** A user of the messenger answers without a phone page. */
async function answerAs(user: string, link: string, button: string): Promise<void> {
  await service.control.open('telegram', user, { start: new URL(link).searchParams.get('start') });
  await eventually(async () => {
    const { messages } = await service.control.chat('telegram', user);
    return messages.at(-1)?.buttons.length;
  });
  await service.control.tap('telegram', user, { button });
}

describe('the link of the demo’s owner', () => {
  it('signs in once, on this machine; afterwards it leads to the sign-in through the simulator', async () => {
    const link = demoSignIn.urlAt(service.url) ?? '';
    expect(demoSignIn.urlAt('https://herald.example')).toBeNull();
    const open = (url: string, headers: Record<string, string> = {}) =>
      fetch(url, { headers, redirect: 'manual' });
    const refused = {
      'a guess': await open(`${service.url}/dashboard/demo/${'x'.repeat(43)}`),
      'a tunnel': await open(link, { 'x-forwarded-for': '203.0.113.7' }),
      'another site': await open(link, { 'sec-fetch-site': 'cross-site' }),
      'a preview': await open(link, { 'sec-purpose': 'prefetch' }),
    };
    later = 16 * 60_000;
    Object.assign(refused, { 'too late': await open(link) });
    later = 0;
    for (const [why, response] of Object.entries(refused)) {
      expect([
        why,
        response.status,
        response.headers.get('location'),
        response.headers.get('set-cookie'),
      ]).toEqual([why, 303, '/dashboard?demo=demo', null]);
    }
    const { page, complaints } = await someone();
    await page.goto(link);
    await page.getByText('Demo project').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard');
    expect(complaints).toEqual([]);
    expect((await open(link)).headers.get('set-cookie')).toBeNull();
  });

  it('signs in to the dashboard with two clicks: one opens the bot, the other one is Yes', async () => {
    const { page, context } = await someone();
    await page.goto(`${service.url}/dashboard?demo=demo`);
    const link = page.getByRole('link', { name: /Telegram/ });
    const [phone] = await Promise.all([context.waitForEvent('page'), link.click()]);
    await phone.getByText('Log in to Herald?').waitFor();
    await answer(phone, 'Yes');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByText('Demo project').first().waitFor();
  });
});

describe('a stranger, where anyone can sign up', () => {
  it('gets a project, tries a login, adds an endpoint and sends it a test event, each by its button', async () => {
    const { page, context, complaints } = await someone();
    const receiver = await scriptedReceiver(200);
    const answerYes = async (link: Locator, user: string) => {
      const start = new URL((await link.getAttribute('href')) ?? '').searchParams.get('start');
      await answerAs(user, `https://bot.example/?start=${start}`, 'Yes');
    };
    await page.goto(service.url);
    await page.getByRole('link', { name: 'Create a project' }).click();
    await page.getByRole('button', { name: 'Continue with Telegram' }).click();
    await answerYes(page.getByRole('link', { name: 'Open Telegram' }), 'stranger');
    await page.getByRole('heading', { name: 'Create your project' }).waitFor();
    await page.getByLabel('Name').fill('Blumen & Düfte');
    expect(await page.getByLabel('Slug').inputValue()).toBe('blumen-dufte');
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create project' }).click();

    const steps = page.getByRole('region', { name: 'First steps' });
    const step = (name: string) => steps.getByRole('listitem').filter({ hasText: name });
    await steps.getByRole('button', { name: 'Try a login' }).click();
    const login = page.getByRole('dialog', { name: 'Try a login' });
    await answerYes(login.getByRole('link', { name: 'Open Telegram' }), 'stranger');
    await login.getByText('stranger is logged in').waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await login.getByRole('button', { name: 'Done' }).click();
    await step('Try a login').getByText('(done)').waitFor();

    await steps.getByRole('button', { name: 'New endpoint' }).click();
    const form = page.getByRole('dialog', { name: 'New endpoint' });
    await form.getByLabel('URL').fill(receiver.url);
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await step('Add an endpoint').getByText('(done)').waitFor();
    await steps.getByRole('button', { name: 'Send test event' }).click();
    await page.getByRole('heading', { name: 'auth.completed' }).waitFor();
    await eventually(() => receiver.received.length > 0);

    await page.getByRole('link', { name: 'Overview' }).click();
    await eventually(async () => (await step('Send a test event').getByText('(done)').count()) === 1);
    await steps.getByRole('button', { name: 'Set URL' }).click();
    const callback = page.getByRole('dialog', { name: 'Set the callback URL' });
    await callback.getByLabel('Callback URL').fill('https://flowers.example/login');
    await callback.getByRole('button', { name: 'Save' }).click();
    await steps.waitFor({ state: 'detached' });
    // What has happened stands first in lists of events.
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    const names = page.getByLabel('Event').locator('optgroup').first().locator('option');
    await eventually(async () => (await names.count()) > 0);
    expect(await names.first().textContent()).toBe('auth.completed');
    expect(complaints).toEqual([]);
    await context.close();
    await receiver.close();
  });
});

describe('the hosted login page', () => {
  it('logs a person in: link, Yes on the phone, back to the site with code and state', async () => {
    const person = await someone();
    const { page } = person;
    const { hosted_url } = await newSession();
    await page.goto(hosted_url);
    await page.getByRole('heading', { name: 'Log in to Чайная лавка' }).waitFor();
    const code = await page.locator('.match-code').innerText();
    await eventually(() => page.evaluate('document.querySelector("img.qr").naturalWidth > 0'));
    expect(await page.locator('#countdown').innerText()).toMatch(/^(30:00|29:\d\d)$/);
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'login-light');

    const phone = await openPhone(person, 'a[data-channel="telegram"]');
    // As it is written: some codes are part of a word in small letters.
    await phone.getByText(new RegExp(code)).waitFor();
    await screenshot(phone, 'login-phone');
    await answer(phone, 'Yes');
    await page.waitForURL(/\/docs\?code=[A-Za-z0-9_-]{43}&state=st-1$/);
    await phone.getByText('The kettle is on.').waitFor();
    const { status, body } = await project.api('POST', '/v1/auth/verify', {
      code: new URL(page.url()).searchParams.get('code'),
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ channel: 'telegram' });
    expect(person.complaints).toEqual([]);
  });

  it('asks nobody but its own server', async () => {
    const { page } = await someone();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    const { hosted_url } = await newSession();
    await page.goto(hosted_url, { waitUntil: 'load' });
    expect(new Set(asked)).toEqual(new Set([service.url]));
  });

  it('works on a small phone without JavaScript, in Russian and in the dark', async () => {
    const person = await someone({
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
      hasTouch: true,
      isMobile: true,
      locale: 'ru-RU',
      colorScheme: 'dark',
    });
    const { page } = person;
    const { hosted_url, telegram_link } = await newSession();
    await page.goto(hosted_url);
    await page.getByRole('heading', { name: 'Вход в «Чайная лавка»' }).waitFor();
    expect(await page.getByRole('link', { name: 'Открыть Telegram' }).getAttribute('href')).toBe(
      telegram_link,
    );
    expect(await page.getByText('/start s_').isVisible()).toBe(true);
    // The phone cannot scan what it shows itself.
    expect(await page.locator('.scan').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Скопировать' }).isVisible()).toBe(false);
    await screenshot(page, 'login-no-script-360-dark');
    await answerAs('nina', telegram_link, 'Yes');
    await page.waitForURL(/\/docs\/ru\?code=/);
  });

  it('can be read in the other language by a click, and fits a small screen', async () => {
    const { page } = await someone({ viewport: { width: 360, height: 740 } });
    const { hosted_url } = await newSession();
    await page.goto(hosted_url);
    await page.getByRole('link', { name: 'Русский' }).click();
    await page.getByText('Ждём вашего ответа').waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'login-360-ru');
  });

  it('copies the command for clients that lose the link', async () => {
    const { page, context } = await someone();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { hosted_url, telegram_link } = await newSession();
    await page.goto(hosted_url);
    expect(await page.getByText('/start s_').isVisible()).toBe(false);
    await page.getByText('Bot didn’t respond?').click();
    await Promise.all([glimpse(page, '#copy', 'Copied'), page.getByRole('button', { name: 'Copy' }).click()]);
    const start = new URL(telegram_link).searchParams.get('start');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`/start ${start}`);
  });

  it('says so when the answer was No, and when the time is over', async () => {
    const { page } = await someone();
    const declined = await newSession();
    await page.goto(declined.hosted_url);
    await page.locator('#countdown').waitFor();
    await answerAs('oleg', declined.telegram_link, 'No');
    await page.getByRole('heading', { name: 'Login declined' }).waitFor();
    await screenshot(page, 'login-declined');
    await page.reload();
    await page.getByRole('heading', { name: 'Login declined' }).waitFor();
    await page.getByRole('link', { name: 'Back to the site' }).click();
    await page.waitForURL(`${service.url}/docs?error=access_denied&state=st-1`);

    const expired = await newSession();
    await page.goto(expired.hosted_url);
    await page.locator('#countdown').waitFor();
    await endSession(service.pool, expired.session_id, 'expired', null);
    await page.getByRole('heading', { name: 'This login has expired' }).waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('link', { name: 'Back to the site' }).click();
    await page.waitForURL(
      /\/docs\?error=access_denied&error_description=The%20login%20expired\.&state=st-1$/,
    );
  });

  it('shows one QR code at a time, by a switch that keys work too, also without JavaScript', async () => {
    const { page } = await someone();
    const { hosted_url } = await newSession();
    await page.goto(hosted_url);
    const picture = (name: string) => page.getByRole('img', { name: `QR code to log in with ${name}` });
    await picture('Telegram').waitFor();
    expect(await picture('MAX').isVisible()).toBe(false);
    await page.getByRole('tab', { name: 'MAX' }).click();
    await picture('MAX').waitFor();
    expect(await picture('Telegram').isVisible()).toBe(false);
    await page.keyboard.press('ArrowRight');
    await picture('Telegram').waitFor();
    expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Telegram');
    expect(await seriousFlaws(page)).toEqual([]);

    const { page: plain } = await someone({ javaScriptEnabled: false });
    await plain.goto((await newSession()).hosted_url);
    await plain.getByRole('link', { name: 'MAX', exact: true }).click();
    await plain.getByRole('img', { name: 'QR code to log in with MAX' }).waitFor();
    expect(await plain.getByRole('img', { name: 'QR code to log in with Telegram' }).isVisible()).toBe(false);
  });

  it('wears the project’s logo and colour in both themes, and says what Yes does', async () => {
    const images = http.createServer((_req, res) =>
      res.end(
        png(96, 96, (x, y) => ((x - 48) ** 2 + (y - 48) ** 2 < 2_300 ? [232, 98, 42, 255] : [0, 0, 0, 0])),
      ),
    );
    await new Promise<void>((resolve) => images.listen(0, '127.0.0.1', resolve));
    const { port } = images.address() as AddressInfo;
    const shop = await service.createProject({ name: 'Orange & Co', callback_url: `${service.url}/docs` });
    const { status } = await shop.api('PATCH', '/v1/project', {
      brand: {
        logo_url: `http://127.0.0.1:${port}/`,
        color: '#e8622a',
        privacy_url: 'https://orange.example/privacy',
      },
    });
    images.close();
    images.closeAllConnections();
    expect(status).toBe(200);
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [size, viewport] of [
        ['1280', { width: 1280, height: 800 }],
        ['390', { width: 390, height: 740 }],
      ] as const) {
        const { page, complaints } = await someone({ colorScheme, viewport });
        const { body } = await shop.api('POST', '/v1/auth/session', { state: 'st-1' });
        await page.goto((body as Session).hosted_url);
        await eventually(() => page.evaluate('document.querySelector("img.logo").naturalWidth > 0'));
        await page.getByText('To stop them, send /stop to the bot.').waitFor();
        expect(await page.getByRole('link', { name: 'Privacy policy' }).getAttribute('href')).toBe(
          'https://orange.example/privacy',
        );
        const button = page.getByRole('link', { name: 'Open Telegram' });
        const background = `getComputedStyle(document.querySelector('a[data-channel]')).backgroundColor`;
        expect(await page.evaluate(background)).toBe('rgb(232, 98, 42)');
        expect(await overflow(page)).toBe(0);
        expect(await seriousFlaws(page)).toEqual([]);
        await screenshot(page, `login-brand-${size}-${colorScheme}`);
        if (size === '390') {
          const [first, state] = await Promise.all([
            button.boundingBox(),
            page.getByText('Waiting for your answer').boundingBox(),
          ]);
          expect(first?.y).toBeLessThan(state?.y ?? 0);
          expect((state?.y ?? Infinity) + (state?.height ?? 0)).toBeLessThan(viewport.height);
        }
        expect(complaints).toEqual([]);
      }
    }
  });

  it('tells a second browser politely, and gives it nothing', async () => {
    const { hosted_url } = await newSession();
    const first = await someone();
    await first.page.goto(hosted_url);
    await first.page.locator('#countdown').waitFor();
    const second = await someone();
    const response = await second.page.goto(hosted_url);
    expect(response?.status()).toBe(403);
    await second.page.getByRole('heading', { name: 'This page is open in another browser' }).waitFor();
    expect(await second.page.content()).not.toContain('/start s_');
    expect(await second.page.locator('main').textContent()).toContain(project.name);
    // To the site, with nothing of the login.
    const back = second.page.getByRole('link', { name: 'Back to the site' });
    expect(await back.getAttribute('href')).toMatch(/^https?:\/\/[^/?]+$/);
    await screenshot(second.page, 'login-elsewhere');
    await first.page.route('**/status*', (route) => route.abort());
    await first.page.reload();
    const lost = first.page.getByText('Connection lost');
    await lost.waitFor();
    await first.page.unroute('**/status*');
    // Not only when a whole long poll has passed.
    await lost.waitFor({ state: 'hidden', timeout: SOON_MS });
    await first.page.locator('#countdown').waitFor();
  });

  it('is not taken by a program that only looks at links, and knows no unknown token', async () => {
    const { hosted_url } = await newSession();
    await fetch(hosted_url, { method: 'HEAD' });
    const { page } = await someone();
    await page.goto(hosted_url);
    await page.locator('#countdown').waitFor();
    const unknown = await fetch(`${service.url}/login/${'x'.repeat(32)}`);
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain('Login not found');
    const nonsense = await fetch(`${service.url}/login/nonsense`, { headers: { accept: 'text/html' } });
    expect(nonsense.status).toBe(404);
    expect(await nonsense.text()).toContain('Login not found');
  });
});

describe('the button to embed', () => {
  it('hears that the login has expired', async () => {
    const own = await site();
    const shop = await service.createProject({ name: 'Shop', callback_url: `${own.url}/callback` });
    try {
      const { body } = await shop.api('POST', '/v1/auth/session', { state: 'late' });
      await service.pool.query(
        `UPDATE auth_sessions SET status = 'expired', expires_at = now(), decided_at = now() WHERE id = $1`,
        [body.session_id],
      );
      const person = await someone();
      await person.page.goto(own.url);
      const result = await person.page.evaluate(
        `Herald.login({ hostedUrl: ${JSON.stringify(body.hosted_url)} }).then(() => 'code', (e) => e.reason)`,
      );
      expect(result).toBe('expired');
    } finally {
      await own.close();
    }
  });

  it.each(['/page-in-place-of-json', 'http://127.0.0.1:1/'])(
    'says that the login has failed if the site has no session at %s',
    async (sessionUrl) => {
      const own = await site();
      try {
        const person = await someone();
        await person.page.goto(own.url);
        const result = await person.page.evaluate(
          `Herald.login({ sessionUrl: ${JSON.stringify(sessionUrl)} }).then(() => 'code', (e) => e.reason)`,
        );
        expect(result).toBe('failed');
      } finally {
        await own.close();
      }
    },
  );

  it('gives the code to the project’s own site and to no other', async () => {
    const own = await site();
    const other = await site();
    const shop = await service.createProject({ name: 'Shop', callback_url: `${own.url}/callback` });
    try {
      for (const [origin, gets] of [
        [other.url, false],
        [own.url, true],
      ] as const) {
        const { body } = await shop.api('POST', '/v1/auth/session', { state: 'embedded' });
        const person = await someone();
        await person.page.goto(origin);
        const [popup] = await Promise.all([
          person.context.waitForEvent('page'),
          person.page.evaluate(
            `window.result = Herald.login({ hostedUrl: ${JSON.stringify(body.hosted_url)} }).then((r) => JSON.stringify(r), (e) => e.reason); undefined`,
          ),
        ]);
        await popup.locator('#countdown').waitFor();
        await Promise.all([popup.waitForEvent('close'), answerAs(`at-${gets}`, body.telegram_link, 'Yes')]);
        const result = (await person.page.evaluate('window.result')) as string;
        if (!gets) expect(result).toBe('cancelled');
        else {
          expect(JSON.parse(result)).toMatchObject({
            state: 'embedded',
            code: expect.stringMatching(/^.{43}$/),
          });
        }
      }
    } finally {
      await Promise.all([own.close(), other.close()]);
    }
  });

  /** A page of another origin that has nothing but the script tag. */
  async function site(): Promise<{ url: string; close: () => Promise<void> }> {
    const server = http.createServer((_req, res) => {
      res.setHeader('content-type', 'text/html');
      res.end(`<!doctype html><title>Site</title><p>Site</p><script src="${service.url}/embed.js"></script>`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      close: () =>
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(() => resolve());
        }),
    };
  }
});
