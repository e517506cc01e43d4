import { eventually } from '../../support/eventually';
import { inviteAsOperator, join, signInByMessenger } from '../../system/team/fixture';
import { scriptedReceiver } from '../../system/webhooks/fixture';
import { goTo, seriousFlaws, settled, textWithChips } from '../fixture';
import type { DashboardContext } from './dashboard-context';

/** What helps on every page: lists that name people and say what to do next, errors that can be tried again. */
export function describeFinding(at: () => DashboardContext): void {
  it('lists events in the order of the time shown, and those of one person found by name', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Events' });
    for (const name of ['Nina', 'Olga']) {
      await service.control.open('telegram', `events-${name}`, {
        start: `proj_${shop.slug}`,
        first_name: name,
      });
    }
    const people = await eventually(async () => {
      const { data } = (await shop.api('GET', '/v1/subscribers')).body as {
        data: { subscriber_id: string; first_name: string }[];
      };
      return data.length === 2 ? data : undefined;
    });
    const idOf = (name: string) => people.find(({ first_name }) => first_name === name)?.subscriber_id;
    const track = (name: string, who: string, minutesAgo: number) =>
      shop.api('POST', '/v1/events', {
        events: [
          {
            name,
            subscriber_id: idOf(who),
            occurred_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
          },
        ],
      });
    // Reported in another order than they occurred in.
    await track('first', 'Nina', 1);
    await track('second', 'Olga', 30);
    await track('third', 'Nina', 10);

    const { page } = await someone();
    await signIn(page, '/dashboard/events', shop.api_key);
    await page.getByRole('button', { name: 'third' }).waitFor();
    const times = (await page
      .locator('tbody tr td:first-child time')
      .evaluateAll((found) => found.map((time) => time.getAttribute('datetime')))) as string[];
    expect(times).toHaveLength(3);
    expect(times).toEqual([...times].sort().reverse());

    await page.getByRole('combobox', { name: 'Subscriber' }).fill('oln');
    await page.getByText('No subscribers found').waitFor();
    await page.getByRole('combobox', { name: 'Subscriber' }).fill('olg');
    await page.getByRole('option', { name: /Olga/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**subscriber=${idOf('Olga')}`);
    await page.getByRole('button', { name: 'third' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'second' }).waitFor();
    await page.locator('.picked', { hasText: 'Olga' }).waitFor();
    // A list that its filters leave empty offers to clear them.
    await page.getByLabel('Event', { exact: true }).fill('nothing');
    await page.getByText('No events match these filters').waitFor();
    await page.locator('.empty').getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'third' }).waitFor();
  });

  it('names the people in a chain, and says what to do next where a list is empty', async () => {
    const { service, someone, signIn, detailPages } = at();
    const details = await detailPages();
    const { page } = await someone();
    await signIn(page, `/dashboard/${details.find((path) => path.startsWith('drip/'))}`);
    await page.getByRole('cell', { name: 'Dora' }).waitFor();

    const empty = await service.createProject({ name: 'Empty' });
    const other = await someone();
    await signIn(other.page, '/dashboard/labels', empty.api_key);
    await other.page.locator('.empty').getByText('Create one above, choose “Edit”').waitFor();
    await goTo(other.page, '/dashboard/audit');
    await other.page.locator('.empty').getByRole('link', { name: 'Settings' }).waitFor();
  });

  it('finds pages, subscribers, deliveries and logins by Ctrl-K', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Finder' });
    const receiver = await scriptedReceiver(200);
    const { body } = await shop.api('POST', '/v1/auth/session', { state: 'found' });
    const start = new URL(body.telegram_link as string).searchParams.get('start') ?? '';
    await service.control.open('telegram', 'finder', { start, first_name: 'Paula' });
    await eventually(async () =>
      (await service.control.chat('telegram', 'finder')).messages.some((m) => m.buttons.length),
    );
    await service.control.tap('telegram', 'finder', { button: 0 });
    await eventually(async () => (await shop.api('GET', '/v1/subscribers?q=Paula')).body.data.length === 1);
    const { body: endpoint } = await shop.api('POST', '/v1/webhooks', { url: receiver.url });
    await shop.api('POST', `/v1/webhooks/${endpoint.id}/test`, { event: 'otp.sent' });

    const { page } = await someone({ viewport: { width: 390, height: 800 } });
    await signIn(page, '/dashboard', shop.api_key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // The page listens to keys a moment after it is shown.
    await settled(page);
    const find = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').fill(text);
    };
    await find('recur');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Recurring', exact: true }).waitFor();
    // Its neighbours stand beside it.
    await page.getByRole('navigation', { name: 'Messages' }).getByRole('link', { name: 'Scheduled' }).click();
    await page.waitForURL('**/dashboard/scheduled');
    await find('otp.sent');
    await page.getByRole('option', { name: /otp\.sent/ }).click();
    await page.getByRole('heading', { name: 'otp.sent' }).waitFor();
    await find('paul');
    await page.getByRole('option', { name: /Login of Paula/ }).waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('option', { name: /^Paula/ }).click();
    await page.getByRole('heading', { name: 'Paula' }).waitFor();
    await receiver.close();

    // On a phone Find is in the menu, which gives way to the page that was found.
    const menu = page.getByRole('button', { name: 'Menu', exact: true });
    await menu.click();
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').fill('paul');
    await page.getByRole('option', { name: /^Paula/ }).click();
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    // The menu is longer than the screen; the account's own things are always in sight.
    await menu.click();
    await page.getByRole('button', { name: 'Account menu' }).click();
    const background = () =>
      page.evaluate('getComputedStyle(document.body).backgroundColor') as Promise<string>;
    const light = await background();
    await page.getByRole('button', { name: 'Dark' }).click();
    expect(await background()).not.toBe(light);
    await page.reload();
    await page.getByRole('heading', { name: 'Paula' }).waitFor();
    expect(await background()).not.toBe(light);
  });

  it('shows rows of one line that open by a click anywhere, and selects all without moving them', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Rows' });
    const receiver = await scriptedReceiver(200);
    const url = `${receiver.url}/a/rather/long/path/that/does/not/fit/into/a/column/of/the/table/orders`;
    const { body: endpoint } = await shop.api('POST', '/v1/webhooks', { url });
    for (const event of ['otp.sent', 'auth.completed']) {
      await shop.api('POST', `/v1/webhooks/${endpoint.id}/test`, { event });
    }
    const { page } = await someone({ viewport: { width: 1280, height: 800 } });
    await signIn(page, '/dashboard/deliveries', shop.api_key);
    await page.getByRole('cell', { name: 'succeeded' }).nth(1).waitFor();
    await settled(page);
    const rows = page.locator('tbody tr');
    const measure = () =>
      rows.evaluateAll((found) =>
        found.map((row) => {
          const { top, height } = row.getBoundingClientRect();
          return { top, height };
        }),
      );
    const before = await measure();
    expect(before.filter(({ height }) => height > 44)).toEqual([]);
    // Of a URL without space for it, the end is what is shown.
    const shown = await page
      .locator('.url-end')
      .first()
      .evaluate((place) => {
        const [inner, outer] = [place.querySelector('bdi')!, place].map((each) =>
          each.getBoundingClientRect(),
        );
        return { isClipped: inner!.width > outer!.width, endsInside: inner!.right <= outer!.right + 1 };
      });
    expect(shown).toEqual({ isClipped: true, endsInside: true });

    await page.getByLabel('Select all on this page').check();
    await page.getByText('2 deliveries selected').waitFor();
    expect(await measure()).toEqual(before);
    await page.getByRole('button', { name: 'Clear selection' }).click();
    for (const width of [1440, 1280, 1100, 1000, 820]) {
      await page.setViewportSize({ width, height: 800 });
      for (const path of ['deliveries', 'webhooks', 'logins', 'subscribers', 'events']) {
        await goTo(page, `/dashboard/${path}`);
        const hidden = await page.evaluate(
          `Math.max(0, ...[...document.querySelectorAll('.table-card')].map((card) => card.scrollWidth - card.clientWidth))`,
        );
        expect([path, width, hidden]).toEqual([path, width, 0]);
      }
    }
    // The labels of the chart are as large on a wide screen as on a narrow one.
    const labelHeight = async (width: number) => {
      await page.setViewportSize({ width, height: 800 });
      const measured = () =>
        page.evaluate(
          `[document.querySelector('.chart svg').clientWidth === document.querySelector('.chart svg').viewBox.baseVal.width,
            Math.round(document.querySelector('.chart .label').getBoundingClientRect().height)]`,
        ) as Promise<[boolean, number]>;
      return eventually(async () => {
        const [isDrawn, height] = await measured();
        return isDrawn ? height : undefined;
      });
    };
    await goTo(page, '/dashboard');
    expect(await labelHeight(1440)).toBe(await labelHeight(820));
    // Beside every link and control of the row.
    await goTo(page, '/dashboard/deliveries');
    await rows.filter({ hasText: 'otp.sent' }).getByRole('cell', { name: 'succeeded' }).click();
    await page.getByRole('heading', { name: 'otp.sent' }).waitFor();
    await receiver.close();
  });

  it('reads an idle overview at most six times a minute, and again when something happens', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Idle' });
    const receiver = await scriptedReceiver(200);
    const endpoints: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const { body } = await shop.api('POST', '/v1/webhooks', { url: `${receiver.url}/${name}` });
      endpoints.push(body.id as string);
    }
    const { page } = await someone();
    // A minute takes three seconds; only the stream's own patience stays as it is.
    await page.addInitScript(`(() => {
      const { setTimeout } = window;
      const scaled = (ms) => (ms >= 5_000 && ms !== 40_000 ? ms / 20 : ms);
      window.setTimeout = (act, ms, ...given) => setTimeout(act, scaled(ms), ...given);
    })()`);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await signIn(page, '/dashboard', shop.api_key);
    await page.getByText('Webhook attempts, 24 h').waitFor();
    // The stream begins by naming every list, after which the page reads once more.
    await eventually(() => requests.includes('/v1/webhooks/stream'));
    await eventually(() => requests.filter((path) => path === '/v1/webhooks/stats').length > 1);
    await settled(page);
    requests.splice(0);
    const begun = Date.now();
    await page.waitForTimeout(2_800);
    // A busy machine may wait for longer.
    const minutes = Math.ceil((Date.now() - begun) / 3_000);
    expect(requests.length).toBeLessThanOrEqual(6 * minutes);
    await shop.api('POST', `/v1/webhooks/${endpoints[0]}/test`, { event: 'otp.sent' });
    await eventually(async () => {
      await page.clock.runFor(2_000);
      return (
        (await page.locator('.tile', { hasText: 'Webhook attempts' }).locator('.big').innerText()) === '1'
      );
    });
    await receiver.close();
  });

  it('offers to try again when Herald cannot be reached', async () => {
    const { service, someone, signIn } = at();
    const { page } = await someone();
    await page.route('**/dashboard/messengers', (route) => route.abort());
    await page.goto(`${service.url}/dashboard/labels`);
    await page.getByText('Can’t reach Herald').waitFor();
    await page.waitForLoadState('networkidle');
    await page.unroute('**/dashboard/messengers');
    await page.getByRole('button', { name: 'Try again' }).click();
    await signIn(page, '/dashboard/labels');
    await page.getByRole('heading', { name: 'Tags and permissions' }).waitFor();
    await page.route('**/v1/subscribe-links*', (route) => route.abort());
    await goTo(page, '/dashboard/links');
    const problem = page.getByRole('alert').filter({ hasText: 'Can’t reach Herald' });
    await problem.waitFor();
    await page.unroute('**/v1/subscribe-links*');
    await problem.getByRole('button', { name: 'Try again' }).click();
    await problem.waitFor({ state: 'detached' });
    // Too many requests do not end the sign-in.
    const refusal = { error: 'Too many requests.', code: 'rate_limit_project' };
    await page.route('**/dashboard/session', (route) => route.fulfill({ status: 429, json: refusal }));
    await page.reload();
    await page.getByText('Too many requests').waitFor();
    // The shell is still being loaded: requests in flight are not to meet the end of the interception.
    await page.waitForLoadState('networkidle');
    await page.unroute('**/dashboard/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Links' }).waitFor();
  });

  it('switches the project without asking about a draft, which stays under the other one', async () => {
    const { service, someone } = at();
    for (const name of ['First shop', 'Second shop']) {
      const shop = await service.createProject({ name });
      await join(service, 'in-two-teams', await inviteAsOperator(service, shop, 'admin'));
    }
    const { cookies } = await signInByMessenger(service, 'in-two-teams');
    const { page, context } = await someone();
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
    await page.goto(`${service.url}/dashboard/broadcasts/new`);
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Half a message');
    const projects = page.locator('.project-switch select');
    const before = (await projects.locator('option:checked').textContent()) ?? '';
    const other = before === 'First shop' ? 'Second shop' : 'First shop';
    // A switch that fails says so, and the list shows the project that is still open.
    await page.route('**/dashboard/session', (route) => route.abort());
    await projects.selectOption({ label: other });
    await page.getByRole('alert').getByText('Can’t reach Herald').waitFor();
    expect(await projects.locator('option:checked').textContent()).toBe(before);
    await page.unroute('**/dashboard/session');
    await projects.selectOption({ label: other });
    await page.getByRole('link', { name: other }).waitFor();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard');
    await projects.selectOption({ label: before });
    await page.getByRole('link', { name: before }).waitFor();
    await goTo(page, '/dashboard/broadcasts/new');
    expect(await textWithChips(text)).toBe('Half a message');
  });

  it('shows an account in no team its own sign-ins', async () => {
    const { service, someone } = at();
    const { cookies } = await signInByMessenger(service, 'in-no-team');
    const { page, context } = await someone();
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('table').getByText('This browser').waitFor();
  });
}
