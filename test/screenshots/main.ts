import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import globalSetup, { type TestServers } from '../support/global-setup';
import { startTestService, type TestService } from '../support/service';
import { scriptedReceiver } from '../system/webhooks/fixture';
import { launchBrowser, visit } from '../web/fixture';
import { nameEndpoints, seedDemo, startDemoSite, type Demo } from './demo-data';
import { takeDemoSite, takeDocs, takeLoginPages } from './public-pages';
import { takeReadmePictures } from './readme-pictures';
import { output, root, taker, type Look } from './take';

/*
 * `npm run screenshots`: every page, light and dark, desktop and phone, English and Russian, with demo data. All of them
 * go to test-output/pages; those that README and the documentation show go to docs/screenshots. A part of a page's name
 * as argument takes the dashboard's pages with that name only: `npm run screenshots -- settings`.
 */
const widths = [1280, 390];
const languages = ['en-GB', 'ru-RU'];
const themes = ['light', 'dark'] as const;

/** Pages of the dashboard. A page of another part is added here. */
const pages = (demo: Demo): Record<string, string> => ({
  overview: '/dashboard',
  webhooks: '/dashboard/webhooks',
  endpoint: `/dashboard/webhooks/${demo.endpointId}`,
  'endpoint-failing': `/dashboard/webhooks/${demo.failingEndpointId}`,
  deliveries: '/dashboard/deliveries',
  delivery: `/dashboard/deliveries/${demo.deliveryId}`,
  logins: '/dashboard/logins',
  subscribers: '/dashboard/subscribers',
  subscriber: `/dashboard/subscribers/${demo.subscriberId}`,
  import: '/dashboard/subscribers/import',
  events: '/dashboard/events',
  links: '/dashboard/links',
  labels: '/dashboard/labels',
  broadcasts: '/dashboard/broadcasts',
  messages: '/dashboard/messages',
  'broadcast-new': '/dashboard/broadcasts/new',
  oidc: '/dashboard/oidc',
  templates: '/dashboard/templates',
  template: `/dashboard/templates/${demo.templateKey}`,
  'template-new': '/dashboard/templates/new',
  batches: '/dashboard/batches',
  scheduled: '/dashboard/scheduled',
  'scheduled-new': '/dashboard/scheduled/new',
  recurring: '/dashboard/recurring',
  drip: '/dashboard/drip',
  'drip-chain': `/dashboard/drip/${demo.chainId}`,
  'drip-edit': `/dashboard/drip/${demo.chainId}/edit`,
  'recurring-one': `/dashboard/recurring/${demo.recurringId}`,
  'recurring-new': '/dashboard/recurring/new',
  channels: '/dashboard/channels',
  keys: '/dashboard/keys',
  team: '/dashboard/team',
  audit: '/dashboard/audit',
  account: '/dashboard/account',
  settings: '/dashboard/settings',
});
const shownInReadme = ['overview', 'delivery', 'logins'];
const only = process.argv[2];

async function main(): Promise<void> {
  process.env['HERALD_TEST_TEMPORAL_UI'] = 'true';
  await globalSetup();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'herald-demo-'));
  const receiver = await scriptedReceiver(200);
  const service = await startTestService();
  const browser = await launchBrowser();
  try {
    await rm(output, { recursive: true, force: true });
    await mkdir(output, { recursive: true });
    const demo = await seedDemo(service, receiver);
    const site = await startDemoSite(service, dataDir);
    if (only === undefined) {
      const temporalUi = process.env['HERALD_TEST_TEMPORAL_UI_URL'] ?? '';
      await takeReadmePictures(browser, service, demo, temporalUi);
    }
    await nameEndpoints(service, demo);
    for (const locale of languages) {
      for (const colorScheme of themes) {
        for (const width of widths) {
          await takeAll(browser, service, { ...demo, siteUrl: site.url }, { locale, colorScheme, width });
        }
      }
    }
    if (only === undefined) await copyToReadme();
    await site.stop();
  } finally {
    await browser.close();
    await service.stop();
    await receiver.close();
    await (globalThis as TestServers).stopTestServers?.();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function takeAll(
  browser: Browser,
  service: TestService,
  demo: Demo & { siteUrl: string },
  look: Look,
): Promise<void> {
  const { locale, colorScheme, width } = look;
  const { page, context } = await visit(browser, { locale, colorScheme, viewport: { width, height: 800 } });
  const take = taker(page, look);
  if (only === undefined) {
    await takeLoginPages(page, service, demo, taker(page, look, 'load'));
    await takeDocs(page, service.url, look, take);
    await takeDemoSite(page, demo.siteUrl, take);
  }
  await page.goto(`${service.url}/dashboard`);
  await page.locator('input[type=password]').waitFor();
  if (only === undefined) await take('sign-in');
  await page.locator('input[type=password]').fill(demo.apiKey);
  await page.keyboard.press('Enter');
  await page.locator('main h1').waitFor();
  for (const [name, target] of Object.entries(pages(demo))) {
    if (only !== undefined && !name.includes(only)) continue;
    await page.goto(service.url + target);
    await page.locator('main h1').waitFor();
    await take(name);
  }
  await context.close();
}

async function copyToReadme(): Promise<void> {
  for (const name of shownInReadme) {
    const taken = path.join(output, `${name}-en-light-1280.png`);
    await copyFile(taken, path.join(root, 'docs', 'screenshots', `${name}.png`));
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
