import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import type { Installation, TestProject } from '../support/installation';
import { useService } from '../support/use-service';
import { launchBrowser, visit } from './fixture';

const built = path.join(__dirname, '..', '..', 'dist', 'web');
const BUDGET_BYTES = 150 * 1024;
const SIGN_IN_BYTES = 60 * 1024;

/** A phone of the middle class. */
const CPU_SLOWDOWN = 4;
/**
 * How much later than the smallest page a page may show its first content. That one takes about 120 ms at this slowdown,
 * so that eight times as much is under a second.
 */
const PAINT_RATIO = 8;
const ROUNDS = 3;
/** While something else keeps the machine busy, a few rounds more. */
const MOST_ROUNDS = 12;

let service: Installation;
let browser: Browser;
let project: TestProject;
beforeAll(async () => {
  [service, browser] = await Promise.all([useService(), launchBrowser()]);
  project = await service.createProject({ name: 'Tea shop', callback_url: 'https://tea.example/login' });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

async function pages(): Promise<Record<string, string>> {
  const { body } = await project.api('POST', '/v1/auth/session', { state: 'order-1' });
  return {
    dashboard: `${service.url}/dashboard`,
    login: body.hosted_url as string,
    docs: `${service.url}/docs`,
    reference: `${service.url}/docs/reference/login`,
    signature: `${service.url}/docs/signature`,
    'not found': `${service.url}/nope`,
  };
}

describe('the scripts of the pages', () => {
  it('are at most 150 KB each, compressed', () => {
    const scripts = readdirSync(built).filter((name) => name.endsWith('.js'));
    expect(scripts).toContain('dashboard.js');
    for (const name of scripts) {
      const size = gzipSync(readFileSync(path.join(built, name))).length;
      expect([name, size <= BUDGET_BYTES]).toEqual([name, true]);
    }
  });

  it('are at most 150 KB together on every page', async () => {
    for (const [name, url] of Object.entries(await pages())) {
      const { page, context } = await visit(browser);
      const loaded: Promise<Buffer>[] = [];
      page.on('response', (response) => {
        if (response.request().resourceType() === 'script') loaded.push(response.body());
      });
      await page.goto(url);
      // Parts of the dashboard are loaded by its script.
      await page.locator('h1').first().waitFor();
      const bytes = (await Promise.all(loaded)).reduce((sum, body) => sum + gzipSync(body).length, 0);
      expect([name, bytes <= BUDGET_BYTES]).toEqual([name, true]);
      await context.close();
    }
  });
});

describe('the files of the pages', () => {
  it('are at most 60 KB together before a person has signed in, as they are sent', async () => {
    for (const locale of ['en-GB', 'ru-RU']) {
      const { page, context } = await visit(browser, { locale });
      const sizes: Promise<number>[] = [];
      page.on('requestfinished', (request) =>
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)),
      );
      await page.goto(`${service.url}/dashboard`);
      await page.locator('.messengers').waitFor();
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeGreaterThan(10 * 1024);
      expect([locale, bytes <= SIGN_IN_BYTES, bytes]).toEqual([locale, true, bytes]);
      await context.close();
    }
  });

  it('are compressed, and kept for ever under an address that changes with them', async () => {
    const html = await (await fetch(`${service.url}/dashboard`)).text();
    const style = /href="(\/assets\/dashboard\.css\?v=\w+)"/.exec(html)?.[1] ?? '';
    const part = readdirSync(built).find((name) => /^shell-[0-9a-f]{8}\.js$/.test(name));
    for (const path of [style, `/assets/${part}`]) {
      for (const encoding of ['br', 'gzip']) {
        const { headers } = await fetch(service.url + path, { headers: { 'accept-encoding': encoding } });
        expect([path, headers.get('content-encoding')]).toEqual([path, encoding]);
        expect(headers.get('cache-control')).toContain('immutable');
        expect(headers.get('vary')).toContain('Accept-Encoding');
      }
    }
    const plain = await fetch(`${service.url}/assets/dashboard.css?v=other`, {
      headers: { 'accept-encoding': 'identity' },
    });
    expect(plain.headers.get('cache-control')).toBe('no-cache');
    expect(plain.headers.get('content-encoding')).toBe(null);
  });
});

describe('on a slow processor', () => {
  it('a page shows its first content within a second, measured by the smallest page', async () => {
    const { dashboard, login, docs, reference } = await pages();
    // The smallest thing that the server has: one line of text.
    const blank = `${service.url}/healthz`;
    const urls = [blank, dashboard, login, docs, reference] as string[];
    const times = urls.map(() => [] as number[]);
    const late = () => {
      const [one = 0, ...others] = times.map(median);
      expect(one).toBeGreaterThan(0);
      const ratios = others.map((time, index) => [urls[index + 1], time / one] as const);
      return ratios.filter(([, ratio]) => ratio > PAINT_RATIO);
    };
    for (let round = 1; round <= MOST_ROUNDS; round += 1) {
      for (const [index, url] of urls.entries()) times[index]!.push(await firstPaint(url));
      if (round >= ROUNDS && late().length === 0) break;
    }
    expect(late()).toEqual([]);
    // All the rounds of a busy machine.
  }, 400_000);
});

/** First contentful paint in milliseconds, in a browser that has seen nothing yet. */
async function firstPaint(url: string): Promise<number> {
  const { page, context } = await visit(browser);
  const debug = await context.newCDPSession(page);
  await debug.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  await page.goto(url);
  const time = await paintOf(page);
  await context.close();
  return time;
}

function paintOf(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const paint = list.getEntriesByName('first-contentful-paint')[0];
      if (paint) resolve(paint.startTime);
    }).observe({ type: 'paint', buffered: true });
  })`);
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
