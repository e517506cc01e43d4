import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import globalSetup, { type TestServers } from '../support/global-setup';
import { startTestService, type TestService } from '../support/service';
import { scriptedReceiver } from '../system/webhooks/fixture';
import { launchBrowser, visit } from '../web/fixture';
import { nameEndpoints, seedDemo, startDemoSite, type Demo } from './demo-data';
import { takeDemoSite, takeDocs, takeLoginPages } from './public-pages';
import { takeReadmePictures } from './readme-pictures';
import { output, root, taker, type Take } from './take';

/*
 * `npm run screenshots`: every page, light and dark, in four widths, English and Russian, with demo data, and the lists of a
 * project that has none. All of them go to test-output/pages; those that README and the documentation show go to docs/screenshots. A part of a page's name
 * as argument takes the dashboard's pages with that name only: `npm run screenshots -- settings`.
 */
const languages = ['en-GB', 'ru-RU'];

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
  inbox: '/dashboard/inbox',
  ticket: `/dashboard/inbox/${demo.ticketId}`,
  'inbox-settings': '/dashboard/inbox/settings',
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
  forms: '/dashboard/forms',
  form: `/dashboard/forms/${demo.formId}`,
  'form-share': `/dashboard/forms/${demo.formId}/share`,
  'form-edit': `/dashboard/forms/${demo.formId}/edit`,
  'form-new': '/dashboard/forms/new',
  'recurring-one': `/dashboard/recurring/${demo.recurringId}`,
  'recurring-new': '/dashboard/recurring/new',
  channels: '/dashboard/channels',
  keys: '/dashboard/keys',
  team: '/dashboard/team',
  audit: '/dashboard/audit',
  account: '/dashboard/account',
  settings: '/dashboard/settings',
  'settings-login-page': '/dashboard/settings/login-page',
  'settings-defaults': '/dashboard/settings/defaults',
  'settings-usage': '/dashboard/settings/usage',
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
      await takeAll(browser, service, { ...demo, siteUrl: site.url }, locale);
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
  locale: string,
): Promise<void> {
  const { page, context } = await visit(browser, { locale });
  const take = taker(page, locale);
  if (only === undefined) {
    await takeLoginPages(page, service, demo, taker(page, locale, 'load'));
    await takeDocs(page, service.url, locale, take);
    await takeDemoSite(page, demo.siteUrl, take);
  }
  await page.goto(`${service.url}/dashboard`);
  await page.locator('.messengers').waitFor();
  if (only === undefined) await take('sign-in');
  await takeDashboard(page, service.url, demo.apiKey, pages(demo), take);
  await context.close();

  const { api_key: emptyKey } = await service.createProject({ name: 'New shop', plan: 'basic' });
  const stranger = await visit(browser, { locale });
  const lists = Object.entries(pages(demo)).filter(([, target]) => /^\/dashboard(\/[a-z]+)?$/.test(target));
  const empty = Object.fromEntries(lists.map(([name, target]) => [`${name}-empty`, target]));
  await takeDashboard(stranger.page, service.url, emptyKey, empty, taker(stranger.page, locale));
  await stranger.context.close();
}

async function takeDashboard(
  page: Page,
  url: string,
  key: string,
  shown: Record<string, string>,
  take: Take,
): Promise<void> {
  await page.goto(`${url}/dashboard#key`);
  // The page may be open already: another hash alone does not load it.
  await page.reload();
  await page.locator('input[type=password]').fill(key);
  await page.keyboard.press('Enter');
  await page.locator('main h1').waitFor();
  for (const [name, target] of Object.entries(shown)) {
    if (only !== undefined && !name.includes(only)) continue;
    await page.goto(url + target);
    await page.locator('main h1').waitFor();
    await take(name);
  }
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
