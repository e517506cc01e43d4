import path from 'node:path';
import type { Page } from 'playwright-core';

export const root = path.join(__dirname, '..', '..');
export const output = path.join(root, 'test-output', 'pages');

const widths = [1440, 1280, 820, 390];
const themes = ['light', 'dark'] as const;

export type Take = (name: string) => Promise<void>;

/**
 * Writes the whole page to files that name it and how it was looked at: in every width and theme, without loading it again.
 * A page that waits by long poll is never idle: it is taken when it has loaded.
 */
export function taker(page: Page, locale: string, until: 'networkidle' | 'load' = 'networkidle'): Take {
  return async (name) => {
    await page.waitForLoadState(until);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      // Charts are drawn again for their new width.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      for (const colorScheme of themes) {
        await page.emulateMedia({ colorScheme });
        const file = `${name}-${locale.slice(0, 2)}-${colorScheme}-${width}.png`;
        await page.screenshot({ path: path.join(output, file), fullPage: true });
      }
    }
    process.stdout.write(`${name} ${locale}\n`);
  };
}
