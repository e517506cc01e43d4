import { copyFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import globalSetup, { type TestServers } from '../support/global-setup';
import { startTestService } from '../support/service';
import { scriptedReceiver } from '../system/webhooks/fixture';
import { launchBrowser, visit } from '../web/fixture';
import { seedDemo, type Demo } from './demo-data';

/*
 * `npm run screenshots`: every page of the dashboard, light and dark, desktop and phone, English and Russian, with demo
 * data. All of them go to test-output/pages; those that the README shows are copied to docs/screenshots.
 */
const root = path.join(__dirname, '..', '..');
const output = path.join(root, 'test-output', 'pages');
const widths = [1280, 390];
const languages = ['en-GB', 'ru-RU'];
const themes = ['light', 'dark'] as const;

/** Pages without a sign-in come first. A page of another part is added here. */
const pages = (demo: Demo): Record<string, string> => ({
  overview: '/dashboard',
  webhooks: '/dashboard/webhooks',
  endpoint: `/dashboard/webhooks/${demo.endpointId}`,
  deliveries: '/dashboard/deliveries',
  delivery: `/dashboard/deliveries/${demo.deliveryId}`,
  logins: '/dashboard/logins',
  subscribers: '/dashboard/subscribers',
  subscriber: `/dashboard/subscribers/${demo.subscriberId}`,
  links: '/dashboard/links',
  labels: '/dashboard/labels',
  broadcasts: '/dashboard/broadcasts',
  'broadcast-new': '/dashboard/broadcasts/new',
  templates: '/dashboard/templates',
  'template-new': '/dashboard/templates/new',
  batches: '/dashboard/batches',
  scheduled: '/dashboard/scheduled',
  recurring: '/dashboard/recurring',
  channels: '/dashboard/channels',
  keys: '/dashboard/keys',
  settings: '/dashboard/settings',
});
const shownInReadme = ['overview', 'delivery', 'logins'];

async function main(): Promise<void> {
  await globalSetup();
  const receiver = await scriptedReceiver(503);
  const service = await startTestService();
  const browser = await launchBrowser();
  try {
    await rm(output, { recursive: true, force: true });
    await mkdir(output, { recursive: true });
    const demo = await seedDemo(service, receiver);
    for (const locale of languages) {
      for (const colorScheme of themes) {
        for (const width of widths) {
          await takeAll(browser, service.url, demo, { locale, colorScheme, width });
        }
      }
    }
    for (const name of shownInReadme) {
      await copyFile(
        path.join(output, `${name}-en-light-1280.png`),
        path.join(root, 'docs', 'screenshots', `${name}.png`),
      );
    }
  } finally {
    await browser.close();
    await service.stop();
    await receiver.close();
    await (globalThis as TestServers).stopTestServers?.();
  }
}

interface Look {
  locale: string;
  colorScheme: 'light' | 'dark';
  width: number;
}

async function takeAll(browser: Browser, url: string, demo: Demo, look: Look): Promise<void> {
  const { locale, colorScheme, width } = look;
  const { page, context } = await visit(browser, { locale, colorScheme, viewport: { width, height: 800 } });
  const take = async (name: string) => {
    const file = `${name}-${locale.slice(0, 2)}-${colorScheme}-${width}.png`;
    await page.screenshot({ path: path.join(output, file), fullPage: true });
    process.stdout.write(`${file}\n`);
  };
  await page.goto(`${url}/dashboard`);
  await page.locator('input[type=password]').waitFor();
  await take('sign-in');
  await page.locator('input[type=password]').fill(demo.apiKey);
  await page.keyboard.press('Enter');
  await page.locator('main h1').waitFor();
  for (const [name, target] of Object.entries(pages(demo))) {
    await page.goto(url + target);
    await page.locator('main h1').waitFor();
    await page.waitForLoadState('networkidle');
    await take(name);
  }
  await context.close();
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
