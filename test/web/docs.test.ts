import type { Browser } from 'playwright-core';
import { limits } from '../../src/contract/limits';
import { startTestService, type TestService } from '../support/service';
import { launchBrowser, overflow, screenshot, seriousFlaws, visit } from './fixture';

const pages = [
  '',
  '/login',
  '/embed',
  '/webhooks',
  '/events',
  '/sending',
  '/reference',
  '/errors',
  '/limits',
];

describe('the documentation', () => {
  let service: TestService;
  let browser: Browser;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService({ roles: 'api' }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  it.each([
    { width: 1200, colorScheme: 'light' },
    { width: 360, colorScheme: 'dark' },
  ] as const)('is readable by everybody on $width pixels ($colorScheme)', async ({ width, colorScheme }) => {
    const { context, page, complaints } = await visit(browser, {
      colorScheme,
      viewport: { width, height: 800 },
    });
    for (const path of pages) {
      await page.goto(`${service.url}/docs${path}`);
      expect([path, await overflow(page)]).toEqual([path, 0]);
      const name = path === '' ? 'start' : path.slice(1);
      // Their sections are all alike and very many: a few stand for the rest.
      const long = ['reference', 'errors', 'events'].includes(name);
      const parts = long ? ['header', 'nav', 'section.entry:nth-of-type(-n+3)'] : undefined;
      expect([path, await seriousFlaws(page, parts)]).toEqual([path, []]);
      if (!long) await screenshot(page, `docs-${name}-${width}`);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('has no dead link within itself', async () => {
    const bodies = new Map<string, string>();
    const read = async (path: string) => {
      const known = bodies.get(path);
      if (known !== undefined) return known;
      const response = await fetch(service.url + path, { redirect: 'manual' });
      const body = response.status === 200 ? await response.text() : `status ${response.status}`;
      bodies.set(path, body);
      return body;
    };
    const dead: string[] = [];
    for (const page of pages) {
      const html = await read(`/docs${page}`);
      for (const [, href = ''] of html.matchAll(/href="([^"]+)"/g)) {
        // The demo site asks for a project that only npm start makes.
        if (/^(https?:|\/demo)/.test(href)) continue;
        const [path = '', anchor] = href.split('#');
        const target = await read(path === '' ? `/docs${page}` : path);
        const found =
          !target.startsWith('status') && (!anchor || anchor === 'main' || target.includes(`id="${anchor}"`));
        if (!found) dead.push(`${page} → ${href}`);
      }
    }
    expect(dead).toEqual([]);
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
    await page.waitForURL(/\/docs\/reference#post_v1_webhooks_id_rotate_secret$/);
    await context.close();
  });

  it('shows the fields of requests and answers, and the numbers that the code uses', async () => {
    const read = async (path: string) => (await fetch(`${service.url}/docs${path}`)).text();
    const reference = await read('/reference');
    const section = reference.slice(reference.indexOf('id="post_v1_auth_session"'));
    for (const field of ['state', 'redirect_uri', 'code_challenge', 'hosted_url', 'match_code']) {
      expect(section.slice(0, section.indexOf('</section>'))).toContain(`<code>${field}</code>`);
    }
    const all = await read('/limits');
    expect(all).toContain(`${limits.requestsPerMinute} per minute`);
    expect(all).toContain('100,000');
    expect(await read('')).toContain(service.url);
    expect(await read('/webhooks')).toContain('hash_equals');
    expect((await read('/login')).match(/<svg /g)).toHaveLength(3);
  });

  it('answers from a file of its own which page an error means, without JavaScript', async () => {
    const { context, page } = await visit(browser, { javaScriptEnabled: false });
    await page.goto(`${service.url}/docs/errors#slow_down`);
    expect(await page.locator('#slow_down').isVisible()).toBe(true);
    await screenshot(page, 'docs-errors');
    await context.close();
  });
});
