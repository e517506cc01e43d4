import path from 'node:path';
import type { Page } from 'playwright-core';
import { settled } from '../web/fixture';
import { options } from './options';

export const root = path.join(__dirname, '..', '..');
export const output = path.join(root, 'test-output', 'pages');

/** How much of the page, and of the tables in it, one has to scroll sideways for. */
const HIDDEN_WIDTHS = `[document.documentElement, ...document.querySelectorAll('.table-card')]
  .map((part) => part.scrollWidth - part.clientWidth).filter((hidden) => hidden > 0)`;

/** Two frames later. */
export const drawn = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

/** Takes the page that is open. */
export type Take = (name: string) => Promise<void>;

/** Writes the whole page to files that name it and how it was looked at: in every width and theme, without loading it again. */
export function taker(page: Page, language: string): Take {
  return async (name) => {
    if (!options.takes(name)) return;
    await page.waitForLoadState();
    await settled(page);
    for (const width of options.widths) {
      await page.setViewportSize({ width, height: 800 });
      // Charts are drawn again for their new width.
      await drawn(page);
      for (const colorScheme of options.themes) {
        await page.emulateMedia({ colorScheme });
        const file = `${name}-${language}-${colorScheme}-${width}.png`;
        await page.screenshot({
          path: path.join(output, file),
          fullPage: true,
          animations: 'disabled',
          // Parts that are painted only when one scrolls to them.
          style: '* { content-visibility: visible !important }',
        });
      }
      const wide = (await page.evaluate(HIDDEN_WIDTHS)) as number[];
      if (wide.length > 0) process.stdout.write(`${name} ${language} ${width}: ${wide.join()} px too wide\n`);
    }
    process.stdout.write(`${name} ${language}\n`);
  };
}
