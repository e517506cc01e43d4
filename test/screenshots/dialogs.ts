import type { Page } from 'playwright-core';
import { settled } from '../web/fixture';
import { options } from './options';
import { drawn, type Take } from './take';

const WIDTH = { width: 1280, height: 800 };
/** A composer reviews only a message that has a text and, where it asks for them, a name and a time. */
const TEXT = 'Hello {{first_name|friend}}!';
const TIME = `${new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)}T10:30`;

/**
 * What opens over a page: each of its buttons is clicked on a fresh page, and taken if a dialog follows. A new dialog
 * needs no entry in a list.
 */
export async function takeDialogs(
  page: Page,
  url: string,
  pages: Record<string, string>,
  take: Take,
): Promise<void> {
  for (const [name, target] of Object.entries(pages)) {
    const shown = `${name}-dialog`;
    if (!options.takes(shown)) continue;
    const open = () => openPage(page, url + target);
    for (const index of firstOfEach(await open())) {
      // What was clicked before may have left fewer of them.
      if (index > 0 && (await open()).length <= index) break;
      await clickButton(page, index);
      if ((await page.locator('dialog[open]').count()) > 0) await take(`${shown}-${index}`);
    }
  }
}

const BUTTONS = 'main button:enabled';

/** Rows of a list have the same buttons. */
function firstOfEach(labels: string[]): number[] {
  return [...labels.keys()].filter((index) => labels.indexOf(labels[index] ?? '') === index);
}

/** Returns what its buttons say. A draft of the click before would be another page. */
async function openPage(page: Page, url: string): Promise<string[]> {
  await page.evaluate('sessionStorage.clear(); localStorage.clear()');
  await page.setViewportSize(WIDTH);
  await page.goto(url);
  await page.locator('main h1').waitFor();
  await settled(page);
  const texts = page.locator(
    'main :is(textarea, [role=textbox], .composer input[required]:not([type])):visible',
  );
  for (const field of await texts.all()) await field.fill(TEXT);
  const times = page.locator('main input[type=datetime-local][required]:visible');
  for (const field of await times.all()) await field.fill(TIME);
  // The preview of a text has buttons of its own.
  await settled(page);
  return page
    .locator(BUTTONS)
    .evaluateAll((buttons) => buttons.map((each) => each.textContent || each.className));
}

/** Whatever covers it, and without scrolling to it. Some dialogs open after a request: a review counts its audience first. */
async function clickButton(page: Page, index: number): Promise<void> {
  await page.locator(BUTTONS).nth(index).dispatchEvent('click');
  await settled(page);
  await drawn(page);
}
