import type { Page } from 'playwright-core';
import { endSession } from '../../src/login/queries/decisions';
import { eventually } from '../support/eventually';
import type { TestService } from '../support/service';
import { AGENT, type Demo } from './demo-data';
import type { Take } from './take';

/** The hosted login page in each of its states, and the window that the embedded button opens. */
export async function takeLoginPages(
  page: Page,
  service: TestService,
  { shop }: Demo,
  take: Take,
): Promise<void> {
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

const docs: Record<string, string> = {
  front: '/',
  docs: '/docs',
  'docs-guide': '/docs/login',
  'docs-reference': '/docs/reference/login',
  'docs-events': '/docs/events',
  'docs-signature': '/docs/signature',
  'docs-russian': '/docs/ru/login',
};

/** The documentation's language is part of the address, so one look at it is enough; an error page has the browser's. */
export async function takeDocs(page: Page, url: string, locale: string, take: Take): Promise<void> {
  if (locale === 'en-GB') {
    for (const [name, target] of Object.entries(docs)) {
      await page.goto(url + target);
      await take(name);
    }
  }
  await page.goto(`${url}/nope`);
  await take('not-found');
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
