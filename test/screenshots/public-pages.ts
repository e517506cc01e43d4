import type { Page } from 'playwright-core';
import { endSession } from '../../src/domains/login/queries/decisions';
import { eventually } from '../support/eventually';
import type { TestService } from '../support/service';
import { AGENT, type Demo } from './demo-data';
import { options } from './options';
import type { Take } from './take';

/** The hosted login page in each of its states, and the window that the embedded button opens. */
export async function takeLoginPages(
  page: Page,
  service: TestService,
  { shop }: Demo,
  take: Take,
): Promise<void> {
  if (!options.takes('login')) return;
  const newSession = async () => {
    const { status, body } = await shop.api('POST', '/v1/auth/session', {
      state: 'order-1044',
      user_agent: AGENT,
      client_ip: '203.0.113.7',
    });
    if (status !== 201) throw new Error(`no session: ${JSON.stringify(body)}`);
    return body as { session_id: string; hosted_url: string; telegram_link: string };
  };
  const open = await newSession();
  await page.goto(open.hosted_url);
  await page.locator('.pending').waitFor();
  await take('login');
  await page.goto(`${open.hosted_url}?mode=popup`);
  await take('login-window');

  const declined = await newSession();
  await page.goto(declined.hosted_url);
  const user = `no-${declined.session_id}`;
  const start = new URL(declined.telegram_link).searchParams.get('start');
  await service.control.open('telegram', user, { start, first_name: 'Oleg' });
  await eventually(async () =>
    (await service.control.chat('telegram', user)).messages.some(({ buttons }) => buttons.length > 0),
  );
  await service.control.tap('telegram', user, { button: 1 });
  await page.locator('.outcome.declined:visible').waitFor();
  await take('login-declined');

  const expired = await newSession();
  await page.goto(expired.hosted_url);
  await endSession(service.pool, expired.session_id, 'expired', null);
  await page.locator('.outcome.expired:visible').waitFor();
  await take('login-expired');

  await page.goto(`${service.url}/login/${'0'.repeat(32)}`);
  await take('login-unknown');
}

/** The hosted form, empty and with an answer refused, and the page after it. */
export async function takeFormPages(page: Page, { formUrl }: Demo, take: Take): Promise<void> {
  await page.goto(formUrl);
  await take('form-page');
  await page.locator('input[name=name]').fill('Anna');
  await page.locator('input[name=phone]').fill('no number');
  await page.locator('button[type=submit]').click();
  await page.locator('[aria-invalid=true]').waitFor();
  await take('form-page-refused');
  await page.locator('input[name=phone]').fill('+1 555 010 0188');
  await page.locator('button[type=submit]').click();
  await page.locator('input[name=phone]').waitFor({ state: 'detached' });
  await take('form-page-thanks');
}

/** Every page that the menu of the documentation names. */
export async function takeDocs(page: Page, url: string, language: string, take: Take): Promise<void> {
  await page.goto(url);
  await take('front');
  await page.goto(`${url}/nope`);
  await take('not-found');
  await page.goto(`${url}/docs${language === 'ru' ? '/ru' : ''}`);
  const paths = (await page.evaluate(
    `[...document.querySelectorAll('nav a[href^="/docs"]')].map((link) => link.getAttribute('href').replace(/#.*/, ''))`,
  )) as string[];
  for (const target of new Set(paths)) {
    const name = target.replace('/docs/ru', '/docs').slice(1).replaceAll('/', '-');
    if (!options.takes(name)) continue;
    await page.goto(url + target);
    await take(name);
  }
}

export async function takeDemoSite(page: Page, url: string, take: Take): Promise<void> {
  await page.goto(url);
  await take('demo');
  await page.goto(`${url}/embed`);
  await page.locator('#embed-place button').waitFor();
  await take('demo-embed');
  await page.goto(`${url}/callback?error=access_denied`);
  await take('demo-declined');
}
