import type { Browser, Page } from 'playwright-core';
import { startTestService, type TestProject, type TestService } from '../support/harness';
import { launchBrowser, screenshot, seriousFlaws, visit, type Visit } from './browser';

interface Session {
  session_id: string;
  hosted_url: string;
}

describe('the hosted login page', () => {
  let service: TestService;
  let browser: Browser;
  let project: TestProject;
  const visits: Visit[] = [];

  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService(), launchBrowser()]);
    project = await service.createProject({
      name: 'Чайная лавка',
      callback_url: `${service.url}/docs`,
    });
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });
  afterEach(async () => {
    for (const { context } of visits.splice(0)) await context.close();
  });

  async function someone(options?: Parameters<Browser['newContext']>[0]): Promise<Visit> {
    const made = await visit(browser, options);
    visits.push(made);
    return made;
  }

  async function newSession(more: Record<string, unknown> = {}): Promise<Session> {
    const { status, body } = await project.api('POST', '/v1/auth/session', { state: 'st-1', ...more });
    expect(status).toBe(201);
    return body as Session;
  }

  /** Opens the simulator's phone by the page's own link, as a click does. */
  async function openPhone({ context, page }: Visit, channel = 'telegram'): Promise<Page> {
    const [phone] = await Promise.all([
      context.waitForEvent('page'),
      page.locator(`a[data-channel="${channel}"]`).click(),
    ]);
    return phone;
  }

  it('logs a person in: link, Yes on the phone, back to the site with code and state', async () => {
    const person = await someone();
    const { page } = person;
    const { hosted_url } = await newSession();
    await page.goto(hosted_url);
    await page.getByRole('heading', { name: 'Log in to Чайная лавка' }).waitFor();
    const code = await page.locator('.match-code').innerText();
    await page.waitForFunction('document.querySelector("img.qr").naturalWidth > 0');
    expect(await page.locator('#countdown').innerText()).toMatch(/^(30:00|29:\d\d)$/);
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'login-light');

    const phone = await openPhone(person);
    await phone.getByRole('button', { name: /start/i }).click();
    await phone.getByText(code).waitFor();
    await screenshot(phone, 'login-phone');
    await phone.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.waitForURL(/\/docs\?code=[A-Za-z0-9_-]{43}&state=st-1$/);
    const got = new URL(page.url()).searchParams.get('code');
    const { status, body } = await project.api('POST', '/v1/auth/verify', { code: got });
    expect(status).toBe(200);
    expect(body).toMatchObject({ channel: 'telegram' });
    expect(person.complaints).toEqual([]);
  });
});
