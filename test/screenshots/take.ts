import path from 'node:path';
import type { Page } from 'playwright-core';

export const root = path.join(__dirname, '..', '..');
export const output = path.join(root, 'test-output', 'pages');

export interface Look {
  locale: string;
  colorScheme: 'light' | 'dark';
  width: number;
}

export type Take = (name: string) => Promise<void>;

/**
 * Writes the whole page to a file that names it and how it was looked at. A page that waits by long poll is never idle:
 * it is taken when it has loaded.
 */
export function taker(
  page: Page,
  { locale, colorScheme, width }: Look,
  until: 'networkidle' | 'load' = 'networkidle',
): Take {
  return async (name) => {
    await page.waitForLoadState(until);
    const file = `${name}-${locale.slice(0, 2)}-${colorScheme}-${width}.png`;
    await page.screenshot({ path: path.join(output, file), fullPage: true });
    process.stdout.write(`${file}\n`);
  };
}
