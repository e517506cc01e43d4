import path from 'node:path';
import type { Page } from 'playwright-core';
import { settled } from '../web/fixture';
import { options } from './options';

export const root = path.join(__dirname, '..', '..');
export const output = path.join(root, 'test-output', 'pages');

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
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      for (const colorScheme of options.themes) {
        await page.emulateMedia({ colorScheme });
        const file = `${name}-${language}-${colorScheme}-${width}.png`;
        await page.screenshot({ path: path.join(output, file), fullPage: true, animations: 'disabled' });
      }
      const wide = (await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )) as number;
      if (wide > 0) process.stdout.write(`${name} ${language} ${width}: ${wide} px too wide\n`);
    }
    process.stdout.write(`${name} ${language}\n`);
  };
}
