import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually';
import { png } from '../support/png';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { scriptedReceiver, type ScriptedReceiver } from '../system/webhooks/fixture';
import {
  glimpse,
  goTo,
  launchBrowser,
  overflow,
  screenshot,
  seriousFlaws,
  settled,
  visit,
  type Visit,
} from './fixture';
import { describeFinding } from './suites/finding';
import { describeFormPages } from './suites/form-pages';
import { describeInbox } from './suites/inbox';
import { describeMessagePages } from './suites/message-pages';
import { describeResultPages } from './suites/result-pages';
import { describeRoles } from './suites/roles';
import { describeTeamPages } from './suites/team-pages';

const pages = [
  '',
  'webhooks',
  'deliveries',
  'logins',
  'subscribers',
  'subscribers/import',
  'inbox',
  'inbox/settings',
  'links',
  'labels',
  'events',
  'messages',
  'broadcasts',
  'broadcasts/new',
  'drip',
  'drip/new',
  'scheduled',
  'scheduled/new',
  'recurring',
  'recurring/new',
  'batches',
  'templates',
  'templates/new',
  'forms',
  'forms/new',
  'oidc',
  'channels',
  'keys',
  'team',
  'audit',
  'account',
  'settings',
  'settings/login-page',
  'settings/defaults',
  'settings/usage',
];

/** A page that reads again at an interval does so four times as often: people can wait, tests need not. */
const REFRESH_OFTEN = `(() => {
  const { setInterval } = window;
  window.setInterval = (act, ms, ...given) => setInterval(act, ms / 4, ...given);
})()`;

describe('the dashboard', () => {
  let service: TestService;
  let browser: Browser;
  let project: TestProject;
  let receiver: ScriptedReceiver;
  const visits: Visit[] = [];

  beforeAll(async () => {
    [service, browser, receiver] = await Promise.all([
      // Its own: short waits between attempts.
      startTestService({ env: { HERALD_RETRY_SCALE: '0.6' } }),
      launchBrowser(),
      scriptedReceiver(500),
    ]);
    project = await service.createProject({ name: 'Tea shop', callback_url: 'https://tea.example/login' });
  });
  afterEach(async () => {
    for (const { context } of visits.splice(0)) await context.close();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await receiver?.close();
  });

  async function someone(options?: Parameters<Browser['newContext']>[0]): Promise<Visit> {
    const made = await visit(browser, options);
    await made.context.addInitScript(REFRESH_OFTEN);
    visits.push(made);
    return made;
  }

  async function signIn(page: Page, path = '/dashboard', key = project.api_key): Promise<void> {
    await page.goto(service.url + path);
    await page.getByRole('link', { name: 'Use an API key' }).click();
    await page.getByLabel('Project API key').fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  let details: Promise<string[]> | undefined;
  /** Pages of one endpoint, delivery, subscriber, template, recurring message and chain of the project. */
  const detailPages = () => (details ??= createDetails());

  async function createDetails(): Promise<string[]> {
    const { body: endpoint } = await project.api('POST', '/v1/webhooks', {
      url: receiver.url,
      headers: { Authorization: 'Bearer x' },
    });
    const { body: sent } = await project.api('POST', `/v1/webhooks/${endpoint.id}/test`);
    await service.control.open('telegram', 'detail', { start: `proj_${project.slug}`, first_name: 'Dora' });
    const subscriberId = await eventually(
      async () =>
        (await project.api('GET', '/v1/subscribers?q=Dora')).body.data[0]?.subscriber_id as
          | string
          | undefined,
    );
    const { body: template } = await project.api('POST', '/v1/templates', {
      key: 'hello',
      variants: {
        en: { text: 'Hello {{first_name}}', buttons: [[{ text: 'Shop', url: 'https://tea.example' }]] },
      },
    });
    const { body: recurring } = await project.api('POST', '/v1/recurring', {
      name: 'Digest',
      content: { template: 'hello' },
      audience: {},
      cron: '0 9 * * MON',
    });
    await project.api('POST', '/v1/scheduled', {
      content: { text: 'Later' },
      audience: { tags_all: ['vip'] },
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await project.api('POST', '/v1/subscribe-links', { name: 'Till', tags: ['vip'] });
    await project.api('POST', '/v1/permissions', { name: 'news', title_en: 'News' });
    await project.api('POST', '/v1/invitations', { role: 'viewer', name: 'Vera' });
    await project.api('POST', '/v1/oidc/clients', {
      name: 'A forum with a rather long name of its own',
      redirect_uris: ['https://forum.tea.example/api/auth/callback/herald'],
    });
    const { body: chain } = await project.api('POST', '/v1/drip-chains', {
      name: 'Welcome',
      trigger: { type: 'manual' },
      status: 'active',
      steps: [
        { id: 'hello', type: 'send', content: { template: 'hello' } },
        { id: 'a-day', type: 'delay', minutes: 1440 },
      ],
    });
    await project.api('POST', `/v1/drip-chains/${chain.drip_id}/enrolments`, { subscriber_id: subscriberId });
    const { body: broadcast } = await project.api('POST', '/v1/broadcast', { text: 'News' });
    const { body: batch } = await project.api('POST', '/v1/send/batch', {
      messages: [{ subscriber_id: subscriberId, text: 'Ready' }],
    });
    const { body: message } = await project.api('POST', '/v1/send', {
      subscriber_id: subscriberId,
      text: 'Hi',
    });
    await project.api('PATCH', '/v1/helpdesk', { enabled: true });
    await project.api('POST', '/v1/helpdesk/types', { name_en: 'Delivery', name_ru: 'Доставка' });
    const { body: ticket } = await project.api('POST', '/v1/helpdesk/tickets', {
      subscriber_id: subscriberId,
      subject: 'A parcel that has not arrived',
      text: 'Where is it?',
    });
    const { body: session } = await project.api('POST', '/v1/auth/session', { state: 'detail' });
    const { body: form } = await project.api('POST', '/v1/forms', {
      name: 'Call me back',
      fields: [{ key: 'phone', type: 'phone', label_en: 'Phone' }],
    });
    return [
      `forms/${form.form_id}`,
      `forms/${form.form_id}/share`,
      `inbox/${ticket.ticket_id}`,
      `broadcasts/${broadcast.job_id}`,
      `batches/${batch.batch_id}`,
      `messages/${message.details[0].delivery_id}`,
      `logins/${session.session_id}`,
      `webhooks/${endpoint.id}`,
      `deliveries/${sent.delivery_id}`,
      `subscribers/${subscriberId}`,
      `templates/${template.key}`,
      `recurring/${recurring.recurring_id}`,
      `drip/${chain.drip_id}`,
    ];
  }

  it('lets a person in with a key of the project, and out again', async () => {
    const { page, complaints } = await someone();
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('button', { name: 'Continue with Telegram' }).waitFor();
    expect(await page.getByLabel('Project API key').count()).toBe(0);
    // Without a sign-in there is none to ask for.
    expect(complaints).toEqual([]);
    await signIn(page, '/dashboard', 'hk_wrong');
    await page.getByRole('alert').getByText('The API key is not valid').waitFor();
    await screenshot(page, 'dashboard-sign-in-wrong');
    complaints.splice(0); // The browser itself reports each 401.
    await signIn(page);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('Tea shop').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // The browser would report a 401 for what the page still reads when the session ends.
    await settled(page);
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Continue with Telegram' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Continue with Telegram' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('runs a webhook’s life: create, copy the secret, test, fail, retry, rotate, disable, delete', async () => {
    const { page, context, complaints } = await someone();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    // The page has time to show how the delivery waits for its second attempt.
    receiver.behave((res) => {
      res.writeHead(500, receiver.received.length === 1 ? { 'retry-after': '15' } : {}).end('ok');
    });
    await signIn(page, '/dashboard/webhooks');

    await page.getByRole('button', { name: 'New endpoint' }).click();
    const form = page.getByRole('dialog', { name: 'New endpoint' });
    await form.getByLabel('URL').fill(receiver.url);
    await form.getByLabel('Description (optional)').fill('Orders');
    await form.getByLabel('Only selected events').check();
    await form.getByLabel('auth.completed').check();
    await form.getByLabel('subscription.created').check();
    await form.getByLabel('Retry policy').selectOption('quick');
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'dashboard-new-endpoint');
    await form.getByRole('button', { name: 'Create' }).click();

    const secretDialog = page.getByRole('dialog', { name: 'Signing secret' });
    const secret = await secretDialog.locator('code').innerText();
    expect(secret).toMatch(/^whsec_/);
    await Promise.all([
      glimpse(page, 'dialog .copy [role=status]', 'Copied'),
      secretDialog.getByRole('button', { name: 'Copy' }).click(),
    ]);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await screenshot(page, 'dashboard-secret');
    // Neither one Escape nor a second one destroys a secret that is not stored yet.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await secretDialog.locator('code').innerText()).toBe(secret);
    await secretDialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: receiver.url }).waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Send test event' }).click();
    const test = page.getByRole('dialog', { name: 'Send test event' });
    await test.getByLabel('Event').selectOption('subscription.created');
    await test.locator('pre', { hasText: '"subscription.created"' }).waitFor();
    await test.getByLabel('Event').selectOption('auth.completed');
    await test.getByRole('button', { name: 'Raw' }).click();
    const preview = await test.locator('pre', { hasText: '"auth.completed"' }).textContent();
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'dashboard-send-test');
    await test.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('heading', { name: 'auth.completed' }).waitFor();
    await page.locator('.heading .badge.busy').waitFor();
    await page.getByText('Attempt 1', { exact: true }).waitFor();
    await page.locator('.countdown').waitFor();
    await screenshot(page, 'dashboard-delivery-waiting');
    await page.locator('.heading .badge.bad').waitFor();
    expect(await page.locator('.timeline > li.failed').count()).toBe(4);
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'dashboard-delivery-failed');

    receiver.behave(200);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.locator('.heading .badge.good').waitFor();
    await page.getByText('Attempt 5', { exact: true }).waitFor();
    const ids = new Set(receiver.received.map(({ headers }) => headers['x-service-delivery-id']));
    expect(ids.size).toBe(1);
    expect(receiver.received.map(({ body }) => String(body))).toEqual(Array(5).fill(preview));

    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('cell', { name: 'succeeded' }).waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('failed');
    await page.getByText('No deliveries match these filters').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('');
    await page.getByRole('cell', { name: 'succeeded' }).waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'dashboard-endpoint');

    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const rotated = await page
      .getByRole('dialog', { name: 'New signing secret' })
      .locator('code')
      .innerText();
    expect(rotated).toMatch(/^whsec_/);
    expect(rotated).not.toBe(secret);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect(await page.getByRole('button', { name: 'Send test event' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();

    // Enter, Enter deletes nothing: the way back has the focus.
    await page.getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await project.api('GET', '/v1/webhooks')).body.data).toHaveLength(1);
    // Before the deletion: the page may read the endpoint once more while it is being deleted.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Add an endpoint to receive events').waitFor();
    expect((await project.api('GET', '/v1/webhooks')).body.data).toEqual([]);
  });

  it('says what is wrong with an address, and keeps what was typed', async () => {
    const { page } = await someone();
    await signIn(page, '/dashboard/webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('URL').fill('https://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Create' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('points to a private network').waitFor();
    const field = page.getByLabel('URL');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.getAttribute('aria-describedby')).toContain(await alert.getAttribute('id'));
    expect(await field.inputValue()).toBe('https://10.0.0.1/hook');
    // Escape asks before it discards a draft.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await field.inputValue()).toBe('https://10.0.0.1/hook');
  });

  it('keeps headers whose values were not typed again, and names the one that is refused', async () => {
    const { page } = await someone();
    const created = await project.api('POST', '/v1/webhooks', {
      url: receiver.url,
      headers: { Authorization: 'Bearer kept' },
    });
    await signIn(page, `/dashboard/webhooks/${created.body.id}`);
    await page.getByText('Authorization: ***').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Add header' }).click();
    await page.waitForFunction(`document.activeElement?.matches('.pair-row:last-of-type input')`);
    await page.keyboard.type('Content-Type');
    await form.getByLabel('Value of Content-Type').fill('text/plain');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').getByText('Herald sets this header itself').waitFor();
    expect(await form.getByLabel('Value of Content-Type').getAttribute('aria-invalid')).toBe('true');
    expect(await form.getByLabel('Value of Authorization').getAttribute('aria-invalid')).toBe(null);
    await form.getByLabel('Header name').last().fill('X-Team');
    await form.getByLabel('Value of X-Team').fill('tea');
    expect(await seriousFlaws(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('X-Team: ***').waitFor();
    receiver.behave(200);
    const sent = await project.api('POST', `/v1/webhooks/${created.body.id}/test`);
    const request = await eventually(() => receiver.of(sent.body.delivery_id as string)[0]);
    expect(request.headers).toMatchObject({ authorization: 'Bearer kept', 'x-team': 'tea' });
    expect((await project.api('DELETE', `/v1/webhooks/${created.body.id}`)).status).toBe(204);
  });

  it('sets the look of the login page, and shows it', async () => {
    const { page } = await someone();
    const logo = http.createServer((_request, response) => response.end(png(8, 8, () => [200, 30, 30, 255])));
    await new Promise<void>((resolve) => logo.listen(0, '127.0.0.1', resolve));
    const { port } = logo.address() as AddressInfo;
    const shop = await service.createProject({ name: 'Look' });
    await signIn(page, '/dashboard/settings/login-page', shop.api_key);
    const save = page.getByRole('button', { name: 'Update login page' });
    await page.getByLabel('Logo URL').fill('https://10.0.0.1/logo.png');
    await page.getByLabel('Colour', { exact: true }).fill('#1f7a4d');
    await page.getByLabel('Privacy policy URL').fill('https://look.example/privacy');
    await save.click();
    await page.getByRole('alert').getByText('This address points to a private network').waitFor();
    expect(await page.getByLabel('Logo URL').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Logo URL').fill(`http://127.0.0.1:${port}/logo.png`);
    await save.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await eventually(() => page.evaluate('document.querySelector(".login-preview img").naturalWidth === 8'));
    logo.close();
    logo.closeAllConnections();
    expect((await shop.api('GET', '/v1/project')).body.brand).toMatchObject({
      logo_url: `http://127.0.0.1:${port}/logo.png`,
      color: '#1f7a4d',
      privacy_url: 'https://look.example/privacy',
    });
    // Not sent again, so it is not fetched again: its server is gone.
    await page.getByLabel('Colour', { exact: true }).fill('');
    await save.click();
    await eventually(async () => (await shop.api('GET', '/v1/project')).body.brand.color === null);
    expect((await shop.api('GET', '/v1/project')).body.brand.logo_path).not.toBe(null);
    await page.getByRole('button', { name: 'Fetch logo again' }).click();
    await page.getByRole('alert').getByText('The server did not respond').waitFor();

    // A file is shown before it is saved.
    await page.getByLabel('Logo file').setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: png(16, 8, () => [30, 30, 200, 255]),
    });
    await eventually(() => page.evaluate('document.querySelector(".login-preview img").naturalWidth === 16'));
    expect((await shop.api('GET', '/v1/project')).body.brand.logo_url).not.toBeNull();
    await save.click();
    await eventually(async () => {
      const { brand } = (await shop.api('GET', '/v1/project')).body;
      return brand.logo_url === null && brand.logo_path !== null;
    });
    await page.getByRole('button', { name: 'Remove logo' }).click();
    await eventually(async () => (await shop.api('GET', '/v1/project')).body.brand.logo_path === null);
  });

  it('brings the person back to the same page when the session has ended meanwhile', async () => {
    const { page } = await someone();
    await signIn(page, '/dashboard/settings');
    await page.getByLabel('Name').waitFor();
    // The frame around the page asks by itself; its response must not be the one that finds the session ended.
    await page.locator('.project', { hasText: project.name }).waitFor();
    await page.getByLabel('Name').fill('Typed before');
    await service.pool.query('UPDATE dashboard_sessions SET expires_at = now()');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('You were signed out. Sign in again').waitFor();
    await page.getByRole('link', { name: 'Use an API key' }).click();
    await page.getByLabel('Project API key').fill(project.api_key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed before');
  });

  it('changes the project, and creates and revokes keys', async () => {
    const { page } = await someone();
    await signIn(page, '/dashboard/settings');
    await page.getByLabel('Name').fill('Tea house');
    await page.getByLabel('Other redirect URLs').fill('https://tea.example/app\nhttps://tea.example/admin\n');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.locator('.project', { hasText: 'Tea house' }).waitFor();
    await page.getByRole('link', { name: 'Defaults' }).click();
    await page.getByRole('group', { name: 'After both' }).getByLabel('Russian').fill('Чайник кипит.');
    await page.getByRole('button', { name: 'Save bot texts' }).click();
    await eventually(async () => (await project.api('GET', '/v1/project')).body.welcome_ru !== null);
    await page.getByRole('link', { name: 'Plan and usage' }).click();
    await page
      .getByRole('row', { name: /Endpoints/ })
      .getByText(/^\d of 5$/)
      .waitFor();
    await page.getByRole('link', { name: 'General' }).click();
    expect((await project.api('GET', '/v1/project')).body).toMatchObject({
      name: 'Tea house',
      welcome_ru: 'Чайник кипит.',
      redirect_urls: ['https://tea.example/app', 'https://tea.example/admin'],
    });
    await page.getByLabel('Callback URL').fill('ftp://tea.example');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText('must be an absolute http or https URL')
      .or(page.getByText('Enter a full address'))
      .first()
      .waitFor();
    expect(await page.getByLabel('Callback URL').getAttribute('aria-invalid')).toBe('true');

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByLabel('Key name').fill('Build server');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByRole('dialog', { name: 'Your new API key' }).locator('code').innerText();
    expect((await service.apiWith(key)('GET', '/v1/project')).status).toBe(200);
    // A key can do only what was ticked; reading is at first.
    expect((await service.apiWith(key)('POST', '/v1/broadcast', { text: 'x' })).status).toBe(403);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Revoke Build server' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked', { exact: true }).waitFor();
    await eventually(async () => (await service.apiWith(key)('GET', '/v1/project')).status === 401);
  });

  it('follows deliveries and logins over one stream, without a polling request', async () => {
    const shop = await service.createProject({ name: 'Live' });
    const made = await visit(browser);
    visits.push(made);
    const { page } = made;
    // What reads at an interval would do so all the time.
    await page.addInitScript(`(() => {
      const { setInterval } = window;
      window.setInterval = (act, ms, ...given) => setInterval(act, ms > 1000 ? 100 : ms, ...given);
      window.show = (state) => {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      };
    })()`);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const count = (path: string) => requests.filter((requested) => requested === path).length;
    const STREAM = '/v1/webhooks/stream';
    const quiet = () =>
      eventually(async () => {
        const before = requests.length;
        await page.waitForTimeout(600);
        return requests.length === before;
      });

    await signIn(page, '/dashboard/deliveries', shop.api_key);
    await page.getByText('No deliveries yet').waitFor();
    await eventually(() => count(STREAM) === 1);
    await quiet();
    const answering = await scriptedReceiver(200);
    const { body: endpoint } = await shop.api('POST', '/v1/webhooks', { url: answering.url });
    await shop.api('POST', `/v1/webhooks/${endpoint.id}/test`, { event: 'otp.sent' });
    await page.getByRole('link', { name: 'otp.sent' }).waitFor();
    await page.getByRole('cell', { name: 'succeeded' }).waitFor();
    await quiet();

    await page.getByRole('link', { name: 'Logins' }).click();
    await page.getByText('No logins yet').waitFor();
    await quiet();
    const { body: session } = await shop.api('POST', '/v1/auth/session', { state: 'live' });
    await page.getByRole('cell', { name: 'pending' }).waitFor();
    await shop.api('DELETE', `/v1/auth/session/${session.session_id}`);
    await page.getByRole('cell', { name: 'expired' }).waitFor();
    await quiet();
    expect(count(STREAM)).toBe(1);

    // A hidden tab has no stream; without one a visible tab reads at an interval.
    await page.route(`**${STREAM}*`, (route) => route.abort());
    await page.evaluate(`show('hidden')`);
    await quiet();
    const whileHidden = count('/v1/auth/sessions');
    await page.evaluate(`show('visible')`);
    await eventually(() => count(STREAM) > 1 && count('/v1/auth/sessions') > whileHidden + 2);
    await page.unroute(`**${STREAM}*`);
    await quiet();
    await answering.close();
  });

  it('shows logins as they happen', async () => {
    const { page } = await someone();
    await signIn(page, '/dashboard/logins');
    await page.getByText('No logins yet').waitFor();
    const { body } = await project.api('POST', '/v1/auth/session', { state: 'live' });
    await page.getByRole('cell', { name: 'pending' }).waitFor();
    const start = new URL(body.telegram_link).searchParams.get('start');
    await service.control.open('telegram', 'anna', { start, first_name: 'Anna' });
    await eventually(async () =>
      (await service.control.chat('telegram', 'anna')).messages.some((m) => m.buttons.length),
    );
    await service.control.tap('telegram', 'anna', { button: 0 });
    await page.getByRole('cell', { name: 'confirmed' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: /^1 login in/ }).waitFor();
    await screenshot(page, 'dashboard-logins');
    await page.getByRole('link', { name: 'Subscribers' }).click();
    await page.getByRole('cell', { name: 'Anna', exact: true }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Anna' }).waitFor();
    await page.waitForFunction(`document.activeElement?.tagName === 'H1'`);
    await page.locator('.timeline').getByText('Login').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Tags').fill('vip, tea');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.locator('.chip', { hasText: 'tea' }).waitFor();
    await page.goBack();
    await page.getByLabel('Search').fill('ann');
    await page.waitForURL(/q=ann/);
    await page.getByRole('cell', { name: /vip/ }).waitFor();
    await page.getByRole('link', { name: 'Anna' }).click();
    await page.getByRole('heading', { name: 'Anna' }).waitFor();
    await page.goBack();
    expect(await page.getByLabel('Search').inputValue()).toBe('ann');
    await screenshot(page, 'dashboard-subscribers');
  });

  it('shows how far a broadcast is, and stops it', async () => {
    const { page } = await someone();
    for (const user of ['b1', 'b2', 'b3']) {
      await service.control.open('telegram', user, { start: `proj_${project.slug}`, first_name: user });
    }
    await eventually(async () => {
      const { body } = await project.api('GET', '/v1/subscribers');
      const names = body.data.map((subscriber: { first_name: string }) => subscriber.first_name);
      return ['b1', 'b2', 'b3'].every((name) => names.includes(name));
    });
    const { body } = await project.api('POST', '/v1/broadcast', { text: 'Hello', messages_per_minute: 1 });
    await signIn(page, '/dashboard/broadcasts');
    const card = page.locator('.card', { has: page.locator(`a[href$="${body.job_id}"]`) });
    await card.getByText(`1 of ${body.total_subscribers} done`).waitFor();
    await screenshot(page, 'dashboard-broadcast-running');
    await card.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel broadcast' }).click();
    await card.getByText('cancelled').waitFor();
  });

  it('speaks the language of the browser, and the other one on request', async () => {
    const { page, context } = await someone({ locale: 'ru-RU' });
    await page.goto(`${service.url}/dashboard/logins`);
    await page.getByRole('link', { name: 'Войти по ключу API' }).click();
    await page.getByLabel('Ключ API проекта').fill(project.api_key);
    await page.getByRole('button', { name: 'Войти', exact: true }).click();
    await page.getByRole('heading', { name: 'Входы', exact: true }).waitFor();
    // Errors of the API too are in the page's language.
    await page.goto(`${service.url}/dashboard/webhooks`);
    await page.getByRole('button', { name: 'Новый эндпоинт' }).first().click();
    await page.getByLabel('URL').fill('https://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Создать' }).click();
    await page.getByRole('alert').getByText('Этот адрес ведёт в частную сеть').waitFor();
    await page.goto(`${service.url}/dashboard/logins`);
    await page.getByRole('button', { name: 'Меню учётной записи' }).click();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ru');
    // The other texts are loaded only now.
    await context.setOffline(true);
    await page.getByRole('button', { name: 'English' }).click();
    await page.locator('.toast').waitFor();
    await context.setOffline(false);
    await page.reload();
    await page.getByRole('button', { name: 'Меню учётной записи' }).click();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Logins', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Logins', exact: true }).waitFor();
  });

  it('shows tables that fit, however long their contents are', async () => {
    const { page } = await someone();
    const wide = await service.createProject({ name: 'Wide' });
    await service.pool.query(
      `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, username, external_id, tags, lang)
       SELECT $1, 'max', n::text, n::text, repeat('Name', 16), repeat('u', 32), repeat('x', 120) || n,
         ARRAY[repeat('t', 64), repeat('s', 64), repeat('r', 64), repeat('q', 64)], 'ru' FROM generate_series(1, 30) n`,
      [wide.id],
    );
    await signIn(page, '/dashboard/subscribers', wide.api_key);
    await page.getByRole('button', { name: 'Older' }).click();
    await page.waitForURL(/cursor=/);
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.waitForURL(/subscribers$/);
    expect(await overflow(page)).toBe(0);
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await overflow(page)).toBe(0);
  });

  it('leads to the workflow of a delivery in the Temporal UI', async () => {
    const { page } = await someone();
    await page.route('**/dashboard/session', async (route) => {
      const response = await route.fetch();
      const session = (await response.json()) as Record<string, unknown>;
      await route.fulfill({
        response,
        json: { ...session, temporal_ui_url: 'http://temporal.example/namespaces/default' },
      });
    });
    const created = await project.api('POST', '/v1/webhooks', {
      url: receiver.url,
      delivery_lane: 'workflow',
    });
    const sent = await project.api('POST', `/v1/webhooks/${created.body.id}/test`);
    await signIn(page, `/dashboard/deliveries/${sent.body.delivery_id}`);
    const link = page.getByRole('link', { name: 'Open in Temporal UI' });
    expect(await link.getAttribute('href')).toBe(
      `http://temporal.example/namespaces/default/workflows/delivery%2F${sent.body.delivery_id}`,
    );
  });

  it('can be used with the keyboard alone', async () => {
    const { page } = await someone();
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('link', { name: 'Use an API key' }).waitFor();
    await tabTo(page, 'Use an API key');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`document.activeElement.type === 'password'`);
    await page.keyboard.type(project.api_key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await tabTo(page, 'Endpoints');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await page.waitForFunction(`document.activeElement?.tagName === 'H1'`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('New endpoint');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New endpoint' }).waitFor();
    await tabTo(page, '', 'input[type=url]');
    await page.keyboard.type(receiver.url);
    await tabTo(page, 'Create');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Signing secret' }).waitFor();
    await tabTo(page, 'I have stored it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: receiver.url }).waitFor();
  });

  const context = () => ({ service, project, someone, signIn, detailPages });
  describeTeamPages(context);
  describeFormPages(context);
  describeMessagePages(context);
  describeResultPages(context);
  describeRoles(context);
  describeFinding(context);
  describeInbox(context);

  it('hinders nobody, on small and large screens, light and dark', async () => {
    const { page, complaints } = await someone();
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('link', { name: 'Use an API key' }).click();
    await page.getByLabel('Project API key').waitFor();
    await lookAt(page, 'sign-in');
    await signIn(page);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    for (const name of [...pages, ...(await detailPages())]) {
      await goTo(page, `/dashboard/${name}`);
      await lookAt(page, name);
    }
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([]);
  }, 400_000);

  it('needs no scrolling to the side in Russian either, whose words are longer', async () => {
    const { page } = await someone({ locale: 'ru-RU', viewport: { width: 1280, height: 800 } });
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('link', { name: 'Войти по ключу API' }).click();
    await page.getByLabel('Ключ API проекта').fill(project.api_key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Обзор' }).waitFor();
    for (const name of [...pages, ...(await detailPages())]) {
      await goTo(page, `/dashboard/${name}`);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        expect([name, width, await overflow(page), await tableOverflow(page)]).toEqual([name, width, 0, 0]);
      }
    }
  }, 240_000);
});

/**
 * Between them, two looks show everything once; in the other two only the colours can be wrong. The frame around the
 * pages is looked at in the first one.
 */
const looks: {
  colorScheme: 'light' | 'dark';
  width: number;
  parts: string[] | undefined;
  rules: string[] | undefined;
}[] = [
  { colorScheme: 'light', width: 1200, parts: undefined, rules: undefined },
  { colorScheme: 'dark', width: 1200, parts: ['main'], rules: ['color-contrast'] },
  { colorScheme: 'dark', width: 360, parts: ['main'], rules: undefined },
  { colorScheme: 'light', width: 360, parts: ['main'], rules: ['color-contrast'] },
];

async function lookAt(page: Page, name: string): Promise<void> {
  for (const { colorScheme, width, parts, rules } of looks) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const look = [name, colorScheme, width];
    expect([...look, await overflow(page)]).toEqual([...look, 0]);
    const flaws = await seriousFlaws(page, parts, rules);
    expect([...look, flaws]).toEqual([...look, []]);
    await screenshot(page, `dashboard-${name.replaceAll('/', '-') || 'overview'}-${width}-${colorScheme}`);
  }
}

/** No table of the page must be scrolled to be read. */
function tableOverflow(page: Page): Promise<number> {
  return page.evaluate(
    `Math.max(0, ...[...document.querySelectorAll('.table-card')].map((card) => card.scrollWidth - card.clientWidth))`,
  );
}

/** Presses Tab until the focus is on what a person would look for. */
async function tabTo(page: Page, text: string, selector?: string): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    await page.keyboard.press('Tab');
    const found = (await page.evaluate(
      selector
        ? `document.activeElement.matches(${JSON.stringify(selector)})`
        : `document.activeElement.textContent.trim() === ${JSON.stringify(text)}`,
    )) as boolean;
    if (found) return;
  }
  throw new Error(`the keyboard does not reach "${text || selector}"`);
}
