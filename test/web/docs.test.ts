import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { limits } from '../../src/base/contract/limits';
import type { SearchEntry } from '../../src/site/docs/search-index';
import { sign } from '../../src/domains/webhooks/signature';
import type { Installation } from '../support/installation';
import { useService } from '../support/use-service';
import { find } from '../../web/docs/find';
import { glimpse, launchBrowser, overflow, screenshot, seriousFlaws, visit } from './fixture';

const pages = [
  '',
  '/login',
  '/embed',
  '/webhooks',
  '/events',
  '/signature',
  '/publishing',
  '/sending',
  '/campaigns',
  '/reference',
  '/reference/login',
  '/reference/webhooks',
  '/errors',
  '/limits',
  '/ru/login',
  '/ru/limits',
];

/** Headings that are the same in Russian. */
const names = [
  'OpenID Connect',
  'Auth.js',
  'Keycloak',
  'Supabase',
  'Logto',
  'authentik',
  'oauth2-proxy',
  'Grafana',
  'Standard Webhooks',
  'Claims',
];

/** Between them, two looks show everything in every width and colour; in the other two only the colours can be wrong. */
const looks = [
  { width: 1200, colorScheme: 'light', rules: undefined },
  { width: 1200, colorScheme: 'dark', rules: ['color-contrast'] },
  { width: 360, colorScheme: 'dark', rules: undefined },
  { width: 360, colorScheme: 'light', rules: ['color-contrast'] },
] as const;

describe('the front page', () => {
  it('says what Herald is in one screen, with one next step, in both languages and without a script', async () => {
    const [service, browser] = await Promise.all([useService(), launchBrowser()]);
    const { context, page, complaints } = await visit(browser, { viewport: { width: 1280, height: 800 } });
    for (const { width, colorScheme } of looks) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.goto(service.url);
      expect([width, colorScheme, await overflow(page), await seriousFlaws(page)]).toEqual([
        width,
        colorScheme,
        0,
        [],
      ]);
      const action = await page.locator('.btn.primary').boundingBox();
      expect(action && action.y + action.height).toBeLessThan(800);
    }
    expect(await page.locator('.btn').count()).toBe(1);
    await page.getByRole('link', { name: 'Русский' }).click();
    await page.getByRole('heading', { name: /Вход через мессенджер/ }).waitFor();
    // The documentation follows the choice.
    await page.getByRole('link', { name: 'Документация' }).click();
    await page.waitForURL(`${service.url}/docs/ru`);
    expect(complaints).toEqual([]);
    await context.close();

    const russian = await visit(browser, { locale: 'ru-RU', javaScriptEnabled: false });
    await russian.page.goto(service.url);
    expect(await russian.page.getByRole('link', { name: 'Создать проект' }).getAttribute('href')).toBe(
      '/dashboard?new',
    );
    await russian.context.close();
    await browser.close();
    await service.stop();
  });
});

describe('the documentation', () => {
  let service: Installation;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([useService(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it('is readable by everybody on small and large screens, light and dark', async () => {
    const { context, page, complaints } = await visit(browser);
    for (const path of pages) {
      await page.goto(`${service.url}/docs${path}`);
      const name = path === '' ? 'start' : path.slice(1);
      // Their sections are all alike and very many: a few stand for the rest.
      const long = ['reference', 'reference/login', 'reference/webhooks', 'errors', 'events'].includes(name);
      const parts = long ? ['header', 'nav', 'section.entry:nth-of-type(-n+3)'] : undefined;
      for (const { width, colorScheme, rules } of looks) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        const look = [path, width, colorScheme];
        expect([...look, await overflow(page)]).toEqual([...look, 0]);
        expect([...look, await seriousFlaws(page, parts, rules)]).toEqual([...look, []]);
        if (!long) await screenshot(page, `docs-${name.replace('/', '-')}-${width}`);
      }
    }
    expect(complaints).toEqual([]);
    await context.close();
  }, 400_000);

  const bodies = new Map<string, string>();
  const read = async (path: string) => {
    const known = bodies.get(path);
    if (known !== undefined) return known;
    const response = await fetch(service.url + path, { redirect: 'manual' });
    const body = response.status === 200 ? await response.text() : `status ${response.status}`;
    bodies.set(path, body);
    return body;
  };

  it('has no dead link within itself', async () => {
    // Follows every link from the first page, so that no page is left out.
    const dead: string[] = [];
    const checked = new Set<string>();
    const waiting = ['/docs'];
    const seen = new Set(waiting);
    for (const page of waiting) {
      const html = await read(page);
      for (const [, href = ''] of html.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (/^https?:/.test(href)) continue;
        const [path = '', anchor] = href.replace(/\?language=(?:en|ru)$/, '').split('#');
        const address = path === '' ? page : path;
        // Most links are in the menu of every page.
        if (checked.has(`${address}#${anchor}`)) continue;
        checked.add(`${address}#${anchor}`);
        const target = await read(address);
        const found =
          !target.startsWith('status') && (!anchor || target.includes(`id="${decodeURIComponent(anchor)}"`));
        if (!found) dead.push(`${page} → ${href}`);
        if (!address.startsWith('/docs') || address.includes('.') || seen.has(address)) continue;
        seen.add(address);
        waiting.push(address);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(pages.map((page) => `/docs${page}`)));
    expect(dead).toEqual([]);
  });

  it('has every page in Russian, with the same headings, links and samples', async () => {
    const english = [...bodies.keys()].filter((path) => /^\/docs(\/(?!ru\b)[a-z0-9/-]+)?$/.test(path));
    expect(english.length).toBeGreaterThan(50);
    const shared = (html: string) => {
      const main = html.slice(html.indexOf('<main'));
      return {
        headings: [...main.matchAll(/<(h\d)(?: id="([^"]*)")?/g)].map(([, level, id]) => `${level} ${id}`),
        links: [...main.matchAll(/href="([^"]+)"/g)]
          .map(([, href = '']) => href.replace(/^\/docs\/ru(?=[/#]|$)/, '/docs'))
          .sort(),
        samples: [...main.matchAll(/<pre[^>]*><code>(.*?)<\/code><\/pre>/gs)].map(([, code]) => code),
        rows: main.split('<tr').length,
        switch: [...html.matchAll(/<link rel="alternate" hreflang="\w+" href="[^"]+"/g)].map(([tag]) => tag),
      };
    };
    for (const path of english) {
      const other = path.replace('/docs', '/docs/ru');
      const [html, russian] = [await read(path), await read(other)];
      expect({ path, ...shared(russian) }).toEqual({ path, ...shared(html) });
      expect(russian).toContain('<html lang="ru">');
      expect([html, russian].map((page) => /class="translation"\s+href="([^"]+)"/.exec(page)?.[1])).toEqual([
        `${other}?language=ru`,
        `${path}?language=en`,
      ]);
      const untranslated = [...russian.matchAll(/<h[12][^>]*>(.*?)<\/h[12]>/gs)]
        .map(([, text = '']) => text.replaceAll(/<code>.*?<\/code>|<[^>]+>/gs, '').trim())
        .filter((text) => text !== '' && !/[а-яё]/i.test(text) && !names.includes(text));
      expect([other, untranslated]).toEqual([other, []]);
    }
  });

  it('leads a browser that prefers Russian to the Russian page, unless the reader chose English', async () => {
    const get = async (path: string, headers: Record<string, string>) => {
      const response = await fetch(service.url + path, { headers, redirect: 'manual' });
      return { status: response.status, to: response.headers.get('location'), headers: response.headers };
    };
    const russian = { 'accept-language': 'ru-RU,ru;q=0.9,en;q=0.8' };
    expect(await get('/docs', russian)).toMatchObject({ status: 302, to: '/docs/ru' });
    expect(await get('/docs/reference/login?from=mail', russian)).toMatchObject({
      status: 302,
      to: '/docs/ru/reference/login?from=mail',
    });
    const english = await get('/docs/login', { 'accept-language': 'en-US,en;q=0.9,ru;q=0.5' });
    expect(english.status).toBe(200);
    expect(english.headers.get('vary')).toMatch(/Accept-Language, Cookie/);
    expect((await get('/docs/login', {})).status).toBe(200);
    expect((await get('/docs/ru/login', { 'accept-language': 'en' })).status).toBe(200);
    expect((await get('/docs/search.json', russian)).status).toBe(200);
    expect((await get('/openapi.json', russian)).status).toBe(200);

    const chosen = await get('/docs/login?language=en', russian);
    expect(chosen).toMatchObject({ status: 302, to: '/docs/login' });
    const cookie = chosen.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await get('/docs/login', { ...russian, cookie })).status).toBe(200);
    expect((await get('/docs/login?language=fr', { 'accept-language': 'en' })).status).toBe(200);
  });

  it('switches the language in place, and remembers it', async () => {
    const { context, page } = await visit(browser, { locale: 'ru-RU' });
    await page.goto(`${service.url}/docs/errors#slow_down`);
    await page.waitForURL(/\/docs\/ru\/errors#slow_down$/);
    await page.getByRole('link', { name: 'In English' }).click();
    await page.waitForURL(/\/docs\/errors#slow_down$/);
    await page.goto(`${service.url}/docs/limits`);
    await page.getByRole('heading', { name: 'Limits' }).waitFor();
    await page.getByRole('link', { name: 'По-русски' }).click();
    await page.getByRole('heading', { name: 'Лимиты' }).waitFor();
    await page.getByLabel('Поиск по документации').fill('подписи');
    await page
      .getByRole('link', { name: /Проверка подписи/ })
      .first()
      .click();
    await page.waitForURL(/\/docs\/ru\/signature$/);
    await page.getByRole('button', { name: 'Проверить подпись' }).click();
    await page.getByText('Вставьте ещё заголовки, тело и секрет.').waitFor();
    await context.close();
  });

  it('finds the operation of every parameter and field', async () => {
    const entries = JSON.parse(await read('/docs/search.json')) as SearchEntry[];
    const { paths } = JSON.parse(await read('/openapi.json')) as {
      paths: Record<string, Record<string, { operationId: string; parameters?: { name: string }[] }>>;
    };
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const found = new Map<string, string[]>();
    const lost: string[] = [];
    for (const { operationId, parameters = [] } of operations) {
      for (const { name } of parameters) {
        const urls = found.get(name) ?? find(entries, name, entries.length).map(({ url }) => url);
        found.set(name, urls);
        if (!urls.some((url) => url.endsWith(`#${operationId}`))) lost.push(`${operationId}: ${name}`);
      }
    }
    expect(found.size).toBeGreaterThan(20);
    expect(lost).toEqual([]);
    expect(find(entries, 'max_uses', 10)[0]?.url).toMatch(/subscribe-links#/);
  });

  it('finds what a person types, by mouse and by keyboard', async () => {
    const { context, page } = await visit(browser);
    await page.goto(`${service.url}/docs`);
    await page.keyboard.press('/');
    await page.keyboard.type('code_expired');
    await page
      .getByRole('link', { name: /code_expired/ })
      .first()
      .waitFor();
    await screenshot(page, 'docs-search');
    expect(await seriousFlaws(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/errors#code_expired$/);
    await page.getByLabel('Search the documentation').fill('rotate secret');
    await page
      .getByRole('link', { name: /rotate-secret/ })
      .first()
      .click();
    await page.waitForURL(/\/docs\/reference\/webhooks#post_v1_webhooks_id_rotate_secret$/);
    await context.close();
  });

  it('shows the fields of requests and answers, and the numbers that the code uses', async () => {
    const read = async (path: string) => (await fetch(`${service.url}/docs${path}`)).text();
    const reference = await read('/reference/login');
    const section = reference.slice(reference.indexOf('id="post_v1_auth_session"'));
    for (const field of ['state', 'redirect_uri', 'code_challenge', 'hosted_url', 'match_code']) {
      expect(section.slice(0, section.indexOf('</section>'))).toContain(`<code>${field}</code>`);
    }
    const all = await read('/limits');
    expect(all).toContain(`${limits.requestsPerMinute} per minute`);
    expect(all).toContain('100,000');
    expect(await read('')).toContain(service.url);
    expect(await read('/webhooks')).toContain('hash_equals');
    expect((await read('/login')).match(/<svg viewBox/g)).toHaveLength(3);
  });

  it('finds by status and synonym, and says when nothing matches', async () => {
    const { context, page } = await visit(browser);
    await page.goto(`${service.url}/docs`);
    const query = page.getByLabel('Search the documentation');
    for (const [word, result] of [
      ['402', /billing_blocked/],
      ['dedupe', /What a receiver does/],
      ['rotate', /rotate-secret/],
    ] as const) {
      await query.fill(word);
      await page.locator('#results').getByRole('link', { name: result }).first().waitFor();
    }
    await query.fill('zeppelin');
    await page.getByText('Nothing found for “zeppelin”', { exact: false }).first().waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await context.close();
  });

  it('remembers the language of the samples, and copies what is shown', async () => {
    const { context, page } = await visit(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${service.url}/docs/reference/messages`);
    const sample = page.locator('.samples').first();
    await sample.getByText('Python', { exact: true }).click();
    await sample.locator('pre[data-language=python]').waitFor();
    await Promise.all([
      glimpse(page, '.samples .copy', 'Copied'),
      sample.getByRole('button', { name: 'Copy' }).click(),
    ]);
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(copied).toContain('herald.messages.send(');
    await page.goto(`${service.url}/docs`);
    expect(await page.locator('.samples pre[data-language=python]').first().isVisible()).toBe(true);
    expect(await page.locator('.samples pre[data-language=curl]').first().isVisible()).toBe(false);
    await context.close();
  });

  it('has tabs that work without JavaScript', async () => {
    const { context, page } = await visit(browser, { javaScriptEnabled: false });
    await page.goto(`${service.url}/docs/reference/messages`);
    const sample = page.locator('.samples').first();
    expect(await sample.locator('pre[data-language=curl]').isVisible()).toBe(true);
    await sample.getByText('Go', { exact: true }).click();
    expect(await sample.locator('pre[data-language=go]').isVisible()).toBe(true);
    expect(await sample.locator('pre[data-language=curl]').isVisible()).toBe(false);
    await context.close();
  });

  it('leads from the old address of an operation to its page', async () => {
    const { context, page } = await visit(browser);
    await page.goto(`${service.url}/docs/reference#post_v1_send`);
    await page.waitForURL(/\/docs\/reference\/messages#post_v1_send$/);
    await context.close();
  });

  it('tries a request with the reader’s key, which stays in the tab', async () => {
    const project = await service.createProject();
    const { context, page } = await visit(browser);
    await page.goto(`${service.url}/docs/reference/project`);
    const place = page.locator('.try').first();
    await place.getByText('Try it').click();
    await place.getByLabel('API key').fill(project.api_key);
    await place.getByRole('button', { name: 'Send request' }).click();
    await place.getByText('200 OK').waitFor();
    await place.getByText(project.slug).first().waitFor();
    expect(await seriousFlaws(page, ['.try'])).toEqual([]);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(project.api_key);
    await place.getByLabel('API key').fill('hk_wrong');
    await place.getByRole('button', { name: 'Send request' }).click();
    await place.getByText('invalid_api_key').first().waitFor();
    await context.close();
  });

  it('finds out why a signature does not match, without sending anything', async () => {
    const { context, page } = await visit(browser);
    await page.goto(`${service.url}/docs/signature`);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    const secret = `whsec_${'A'.repeat(43)}=`;
    const body = '{"event":"otp.sent","data":{}}';
    await page
      .getByLabel('Request headers')
      .fill(`X-Service-Signature: ${sign(body, [secret], 1_700_000_000)}`);
    await page.getByLabel('Raw request body').fill(body);
    await page.getByLabel('Secret of the endpoint').fill(secret);
    const check = page.getByRole('button', { name: 'Check the signature' });
    await check.click();
    await page.getByText('is valid, but old').waitFor();
    await page.getByLabel('Raw request body').fill('{ "event": "otp.sent", "data": {} }');
    await check.click();
    await page.getByText('the body was changed').waitFor();
    await page.getByLabel('Secret of the endpoint').fill('hk_something');
    await page.getByLabel('Raw request body').fill(body);
    await check.click();
    await page.getByText('wrong secret').waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    expect(requests).toEqual([]);
    await context.close();
  });

  it('folds its menu on a phone', async () => {
    const { context, page } = await visit(browser, { viewport: { width: 390, height: 800 } });
    await page.goto(`${service.url}/docs/login`);
    const menu = page.getByRole('navigation', { name: 'Documentation' });
    expect(await menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await menu.getByRole('link', { name: 'Events', exact: true }).click();
    await page.waitForURL(/\/docs\/events$/);

    // It opens at the page that is shown, and a link to a part of it leads there.
    await page.getByRole('button', { name: 'Menu' }).click();
    const part = menu.getByRole('list', { name: 'On this page' }).getByRole('link').last();
    await page.waitForFunction(`document.getElementById('menu').scrollTop > 0`);
    await part.click();
    await menu.waitFor({ state: 'hidden' });
    await context.close();
  });

  it('ships little', async () => {
    const sizes = await Promise.all(
      ['docs.js', 'docs-language.js', 'docs.css'].map(async (name) => {
        const data = Buffer.from(await (await fetch(`${service.url}/assets/${name}`)).arrayBuffer());
        return gzipSync(data).length;
      }),
    );
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(20 * 1024);
    for (const page of pages) {
      const html = Buffer.from(await (await fetch(`${service.url}/docs${page}`)).arrayBuffer());
      expect(gzipSync(html).length).toBeLessThan(60 * 1024);
    }
  });

  it('explains a wrong address to a person, and to a program in its own format', async () => {
    const { context, page } = await visit(browser, { locale: 'ru-RU' });
    for (const path of ['/docs/nope', '/nope']) {
      const response = await page.goto(service.url + path);
      expect(response?.status()).toBe(404);
      await page.getByRole('heading', { name: 'Страница не найдена' }).waitFor();
      expect(await seriousFlaws(page)).toEqual([]);
    }
    await screenshot(page, 'not-found');
    const types = async (path: string, accept: string) =>
      (await fetch(service.url + path, { headers: { accept } })).headers.get('content-type');
    expect(await types('/nope', 'text/html,*/*;q=0.8')).toContain('text/html');
    expect(await types('/nope', '*/*')).toContain('application/json');
    expect(await types('/v1/nope', 'text/html,*/*;q=0.8')).toContain('application/json');
    expect(await types('/v1', 'text/html')).toContain('application/json');
    await context.close();
  });

  it('answers from a file of its own which page an error means, without JavaScript', async () => {
    const { context, page } = await visit(browser, { javaScriptEnabled: false });
    await page.goto(`${service.url}/docs/errors#slow_down`);
    expect(await page.locator('#slow_down').isVisible()).toBe(true);
    await screenshot(page, 'docs-errors');
    await context.close();
  });
});
