import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import globalSetup, { type TestServers } from '../support/global-setup';
import { startTestService, type TestService } from '../support/service';
import { scriptedReceiver } from '../system/webhooks/fixture';
import { launchBrowser, visit } from '../web/fixture';
import { seedCrowd } from './demo-crowd';
import { nameEndpoints, seedDemo, startDemoSite, type Demo } from './demo-data';
import { takeDialogs } from './dialogs';
import { options } from './options';
import { dashboardPages } from './pages';
import { takeDemoSite, takeDocs, takeFormPages, takeLoginPages } from './public-pages';
import { takeReadmePictures } from './readme-pictures';
import { output, root, taker, type Take } from './take';

/*
 * `npm run screenshots`: every page in four widths, light and dark, English and Russian: of a shop with demo data, of a new
 * project, of one with long lists and names, as a viewer and a supporter see it, and what opens over it. They go to test-output/pages; those that README and
 * the documentation show go to docs/screenshots. A part of them:
 * `npm run screenshots -- --pages inbox,forms --sets full,empty --widths 390,1280 --themes dark --languages ru`
 * (`--pages` takes parts of names).
 */
const locales = { en: 'en-GB', ru: 'ru-RU' };
type Language = keyof typeof locales;
const shownInReadme = ['overview', 'delivery', 'logins'];

async function main(): Promise<void> {
  process.env['HERALD_TEST_TEMPORAL_UI'] = 'true';
  await globalSetup();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'herald-demo-'));
  const receiver = await scriptedReceiver(200);
  const service = await startTestService();
  const browser = await launchBrowser();
  try {
    if (options.isWhole) await rm(output, { recursive: true, force: true });
    await mkdir(output, { recursive: true });
    const demo = await seedDemo(service, receiver);
    if (options.isWhole) {
      const temporalUi = process.env['HERALD_TEST_TEMPORAL_UI_URL'] ?? '';
      await takeReadmePictures(browser, service, demo, temporalUi);
    }
    await nameEndpoints(service, demo);
    const keys = {
      viewer: await service.createKey(demo.project.id, ['read']),
      support: await service.createKey(demo.project.id, ['read', 'helpdesk']),
      crowded: options.sets.includes('crowded') ? (await seedCrowd(service, receiver.url)).api_key : '',
    };
    for (const language of options.languages) {
      if (options.sets.includes('public')) await takePublic(browser, service, demo, language, dataDir);
      await takeProjects(browser, service, demo, language, keys);
    }
    if (options.sets.includes('dialogs')) await takeOver(browser, service, demo);
    if (options.isWhole) await copyToReadme();
  } finally {
    await browser.close();
    await service.stop();
    await receiver.close();
    await (globalThis as TestServers).stopTestServers?.();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** A picture of a whole page needs styles of the browser's own, which the pages' policy refuses. */
function visitIn(browser: Browser, language: Language) {
  return visit(browser, { locale: locales[language], bypassCSP: true });
}

/** What is open to everyone. */
async function takePublic(
  browser: Browser,
  service: TestService,
  demo: Demo,
  language: Language,
  dataDir: string,
): Promise<void> {
  const { page, context } = await visitIn(browser, language);
  const take = taker(page, language);
  const site = await startDemoSite(service, dataDir);
  await takeLoginPages(page, service, demo, take);
  await takeFormPages(page, demo, take);
  await takeDocs(page, service.url, language, take);
  await takeDemoSite(page, site.url, take);
  await page.goto(`${service.url}/dashboard`);
  await page.locator('.messengers').waitFor();
  await take('sign-in');
  await site.stop();
  await context.close();
}

/** The dashboard of each project, signed in with a key. */
async function takeProjects(
  browser: Browser,
  service: TestService,
  demo: Demo,
  language: Language,
  keys: { viewer: string; support: string; crowded: string },
): Promise<void> {
  const { full, empty, crowded, viewer, support } = dashboardPages;
  const { api_key: emptyKey } = await service.createProject({ name: 'New shop', plan: 'basic' });
  const sets = {
    public: null,
    full: { key: demo.apiKey, pages: full(demo) },
    empty: { key: emptyKey, pages: empty },
    crowded: { key: keys.crowded, pages: crowded },
    viewer: { key: keys.viewer, pages: viewer(demo) },
    support: { key: keys.support, pages: support(demo) },
    dialogs: null,
  };
  for (const name of options.sets) {
    const set = sets[name];
    if (!set) continue;
    const { page, context } = await visitIn(browser, language);
    await signIn(page, service.url, set.key);
    await takePages(page, service.url, set.pages, taker(page, language));
    await context.close();
  }
}

async function signIn(page: Page, url: string, key: string): Promise<void> {
  await page.goto(`${url}/dashboard#key`);
  await page.locator('input[type=password]').fill(key);
  await page.keyboard.press('Enter');
  await page.locator('#navigation').waitFor({ state: 'attached' });
}

async function takePages(page: Page, url: string, pages: Record<string, string>, take: Take): Promise<void> {
  for (const [name, target] of Object.entries(pages)) {
    if (!options.takes(name)) continue;
    await page.goto(url + target);
    await page.locator('main h1').waitFor();
    await take(name);
  }
}

/** The last ones: some of what they click has an effect. */
async function takeOver(browser: Browser, service: TestService, demo: Demo): Promise<void> {
  for (const language of options.languages) {
    const { page, context } = await visitIn(browser, language);
    await signIn(page, service.url, demo.apiKey);
    await takeDialogs(page, service.url, dashboardPages.full(demo), taker(page, language));
    await context.close();
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
