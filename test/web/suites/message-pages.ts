import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually';
import { png } from '../../support/png';
import { seriousFlaws, textWithChips } from '../fixture';
import type { DashboardContext } from './dashboard-context';

/** Pages about subscribers and messages to them: properties, export, import, templates, scheduled and recurring. */
export function describeMessagePages(at: () => DashboardContext): void {
  it('edits time zone and properties, exports, and imports a file after a check of it', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Importer', plan: 'basic' });
    await service.control.open('telegram', 'imported', { start: `proj_${shop.slug}`, first_name: 'Ida' });
    const subscriber = () => shop.api('GET', '/v1/subscribers').then(({ body }) => body.data[0]);
    const { subscriber_id: id } = await eventually(subscriber);
    await shop.api('PATCH', `/v1/subscribers/${id}`, {
      external_id: 'customer-1',
      properties: { zip: '01067', visits: 3, old: true },
    });
    const { page } = await someone();
    await signIn(page, `/dashboard/subscribers/${id}`, shop.api_key);
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: 'Edit Ida' });
    await form.getByLabel('Time zone').fill('Europe/Atlantis');
    await form.getByLabel('Value of visits').fill('4');
    await form.getByRole('button', { name: 'Remove old' }).click();
    await form.getByRole('button', { name: 'Add property' }).click();
    await form.getByLabel('Property name').last().fill('city');
    await form.getByLabel('Value of city').fill('Riga');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('alert').first().waitFor();
    expect(await form.getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Time zone').fill('Europe/Riga');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Europe/Riga').waitFor();
    // What was not touched keeps its type: a text of digits stays a text.
    expect(await subscriber()).toMatchObject({
      timezone: 'Europe/Riga',
      properties: { zip: '01067', visits: 4, city: 'Riga' },
    });

    await page.getByRole('navigation').getByRole('link', { name: 'Subscribers' }).first().click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(await readFile(await saved.path(), 'utf8')).toContain('customer-1');

    await page.getByRole('link', { name: 'Import CSV' }).click();
    const file = (text: string) => ({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByLabel('CSV file').setInputFiles(file('external_id,colour\ncustomer-1,red\n'));
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByRole('alert').getByText('"colour" is not a column of an import').waitFor();
    await page
      .getByLabel('CSV file')
      .setInputFiles(file('external_id,add_tags\ncustomer-1,gold\nnobody,gold\n'));
    await page.getByRole('button', { name: 'Check file' }).click();
    await page.getByText('1 rows are fine, 1 have errors. Nothing was changed.').waitFor();
    await page.getByRole('cell', { name: 'No such subscriber.' }).waitFor();
    expect((await subscriber()).tags).toEqual([]);
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import 1 row' }).click();
    await page.getByText('1 rows applied, 1 failed.').waitFor();
    expect((await subscriber()).tags).toEqual(['gold']);
    await page.reload();
    await page.getByText('1 rows applied, 1 failed.').waitFor();
  });

  it('writes a personal broadcast, keeps its draft, and sends two people their own text after a review', async () => {
    const { service, someone, signIn } = at();
    const writer = await service.createProject({ name: 'Writer' });
    await service.control.open('telegram', 'writer-1', { start: `proj_${writer.slug}`, first_name: 'Wanda' });
    await service.control.open('max', 'writer-2', { start: `proj_${writer.slug}`, first_name: 'Mark' });
    const people = await eventually(async () => {
      const { data } = (await writer.api('GET', '/v1/subscribers')).body;
      return data.length === 2 ? (data as { subscriber_id: string; first_name: string }[]) : null;
    });
    const { page, context } = await someone();
    await signIn(page, '/dashboard/broadcasts', writer.api_key);
    await page.getByRole('link', { name: 'New broadcast' }).click();
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Tea for ');
    await page.getByRole('button', { name: 'Insert' }).click();
    await page.getByLabel('If it is empty, write').fill('you');
    await page.getByRole('button', { name: 'First name' }).click();
    await page.getByRole('button', { name: 'Bold' }).click();
    await page.keyboard.type('now');
    expect(await textWithChips(text)).toBe('Tea for {{first_name|you}}**now**');
    // Chips: one that is typed, changed by its panel and deleted by keys; copied, pasted and undone as braces.
    const chips = text.locator('[data-source]');
    expect(await chips.allInnerTexts()).toEqual(['First name, or “you”']);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('{{lang}}');
    await chips.last().click();
    const panel = page.getByRole('dialog', { name: 'Language' });
    await panel.getByLabel('Insert here').selectOption('username');
    await panel.getByLabel('If it is empty, write').fill('friend');
    expect(await seriousFlaws(page)).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await chips.allInnerTexts()).toEqual(['First name, or “you”', 'Username, or “friend”']);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+x');
    await page.keyboard.press('Home');
    await page.keyboard.press('Control+v');
    expect(await textWithChips(text)).toBe('{{username|friend}}Tea for {{first_name|you}}**now**');
    await page.keyboard.press('Backspace');
    expect(await textWithChips(text)).toBe('Tea for {{first_name|you}}**now**');
    await page.keyboard.press('Control+z');
    expect(await chips.first().innerText()).toBe('Username, or “friend”');
    await page.keyboard.press('Control+Shift+z');
    // Enter beside a chip is a new line, and the next Backspace joins the lines again.
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('{{project}}');
    await page.keyboard.press('Home');
    await page.keyboard.press('Backspace');
    expect(await textWithChips(text)).toBe('Tea for {{first_name|you}}**now**{{project}}');
    await page.keyboard.press('Delete');
    expect(await textWithChips(text)).toBe('Tea for {{first_name|you}}**now**');
    await page.getByRole('button', { name: 'Wanda', exact: true }).click();
    await page.locator('.phone.telegram mark', { hasText: 'Wanda' }).waitFor();
    await page.locator('.phone.telegram b', { hasText: 'now' }).waitFor();
    await page.getByRole('button', { name: 'Mark', exact: true }).click();
    await page.locator('.phone.max mark', { hasText: 'Mark' }).waitFor();
    await page.getByRole('button', { name: 'Send test to Mark' }).click();
    await page.getByText('Test sent to Mark').waitFor();

    const condition = page.getByLabel('Add a condition');
    await condition.fill('tea');
    await page.getByRole('option', { name: 'Has at least one of: tea' }).click();
    await page.getByText('0 subscribers', { exact: true }).waitFor();
    for (const { subscriber_id: id } of people) {
      await writer.api('PATCH', `/v1/subscribers/${id}`, { tags: ['tea'] });
    }
    await condition.fill('asleep');
    // What is typed and not chosen would be left out, and more people would get the message.
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('alert').getByText('Choose a condition from the list.').waitFor();
    await page.getByRole('combobox', { name: 'Add a condition' }).click();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByText('Does not have the tag asleep').waitFor();
    await page.getByText('2 subscribers', { exact: true }).waitFor();
    await page.getByLabel('Media (optional)').selectOption('photo');
    // A host of the world outside, which a test cannot reach.
    await page.route('https://tea.example/tea.png', (route) =>
      route.fulfill({ contentType: 'image/png', body: png(8, 8, () => [0, 90, 40, 255]) }),
    );
    await page.getByLabel('Media URL').fill('https://tea.example/tea.png');
    await eventually(() => page.evaluate('document.querySelector(".phone img")?.naturalWidth > 0'));
    await page.getByLabel('Media URL').fill('https://10.0.0.1/tea.png');
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('alert').getByText('points to a private network').waitFor();
    expect(await page.getByLabel('Media URL').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Media (optional)').selectOption('');

    // Leaving asks; the draft is there again, also after the sign-in has ended and another one.
    await page.getByRole('navigation').getByRole('link', { name: 'Templates' }).click();
    const leaving = page.getByRole('dialog', { name: 'Leave this page?' });
    await leaving.getByRole('button', { name: 'Keep editing' }).click();
    await page.goBack();
    await leaving.getByRole('button', { name: 'Leave and keep draft' }).click();
    await leaving.waitFor({ state: 'detached' });
    await context.clearCookies();
    await signIn(page, '/dashboard/broadcasts/new', writer.api_key);
    await page.getByText('Your draft was restored.').waitFor();
    expect(await textWithChips(text)).toBe('Tea for {{first_name|you}}**now**');
    // The last change is kept too: without it the photo would be refused again.
    expect(await page.getByLabel('Media (optional)').inputValue()).toBe('');

    await page.getByRole('button', { name: 'Review and send' }).click();
    const review = page.getByRole('dialog', { name: 'Send to 2 subscribers?' });
    await review.getByText('with the tag “tea”').waitFor();
    await review.getByText('Immediately', { exact: true }).waitFor();
    await review.getByRole('button', { name: 'Wanda', exact: true }).click();
    await review.locator('.phone.telegram mark', { hasText: 'Wanda' }).waitFor();
    await review.getByRole('button', { name: 'MAX', exact: true }).click();
    await review.locator('.phone.max mark', { hasText: 'Wanda' }).waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await review.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Broadcast started').waitFor();
    const texts = await eventually(async () => {
      const { data } = (await writer.api('GET', '/v1/messages?source=broadcast')).body;
      return data.length === 2 ? (data as { text: string }[]).map((message) => message.text).sort() : null;
    });
    expect(texts).toEqual(['Tea for Mark**now**', 'Tea for Wanda**now**']);

    // One person, as the page of a subscriber leads there. The broadcast that is being written stays as it is.
    await page.goto(`${service.url}/dashboard/broadcasts/new`);
    expect(await textWithChips(text)).toBe('');
    await text.fill('Not finished');
    await page.goto(`${service.url}/dashboard/broadcasts/new?to=${randomUUID()}`);
    await page.getByRole('alert').waitFor();
    expect(await page.getByText('All active subscribers').count()).toBe(0);
    const wanda = people.find(({ first_name: name }) => name === 'Wanda')?.subscriber_id;
    await page.goto(`${service.url}/dashboard/broadcasts/new?to=${wanda}`);
    expect(await textWithChips(text)).toBe('');
    const removeWanda = page.getByRole('button', { name: 'Remove: Wanda' });
    await removeWanda.click();
    // Enter chooses only from what the typed text has found.
    const search = page.getByRole('region', { name: 'Recipients' }).getByRole('combobox');
    await search.click();
    await page.getByRole('option', { name: /^Mark/ }).waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route(
      (url) => url.searchParams.get('q') === 'Wanda',
      (route) => released.then(() => route.continue()),
    );
    await search.fill('Wanda');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('button', { name: /^Remove: / }).count()).toBe(0);
    release();
    await page.getByRole('option', { name: /^Wanda/ }).waitFor();
    await page.keyboard.press('Enter');
    await removeWanda.waitFor();
    await text.fill('Only for {{first_name}}, {{nothing}}');
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('alert').getByText('Messages must provide: nothing').waitFor();
    await text.fill('Only for {{first_name}}');
    await page.getByRole('button', { name: 'Review and send' }).click();
    const one = page.getByRole('dialog', { name: 'Send to Wanda?' });
    await one.locator('.phone.telegram', { hasText: 'Only for Wanda' }).waitFor();
    await one.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('Sent to Wanda').waitFor();
    await page.goto(`${service.url}/dashboard/broadcasts/new`);
    expect(await textWithChips(text)).toBe('Not finished');
    // Who signs out leaves no text behind.
    await page.getByRole('button', { name: 'Account menu' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const leavingAll = page.getByRole('dialog', { name: 'Sign out and delete your drafts?' });
    await leavingAll.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Continue with Telegram' }).waitFor();
    expect(await page.evaluate('[localStorage, sessionStorage].flatMap(Object.keys).join()')).not.toContain(
      'draft',
    );
  });

  it('schedules a message with buttons, changes it, and repeats a template every week', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Planner' });
    await shop.api('POST', '/v1/templates', {
      key: 'digest',
      variants: { en: { text: 'Hello {{first_name}}, new: {{item}}' } },
    });
    const { page } = await someone();
    await signIn(page, '/dashboard/broadcasts/new', shop.api_key);
    await page.getByLabel('Text', { exact: true }).fill('We open at ten');
    await page.getByRole('button', { name: 'Later', exact: true }).click();
    await page.getByLabel('Name (optional)').fill('Opening');
    for (const [text = '', link = ''] of [
      ['Map', 'https://tea.example/map'],
      ['Menu', 'https://tea.example/menu'],
    ]) {
      await page.getByRole('button', { name: 'Add button' }).click();
      await page.getByLabel('Button text').fill(text);
      await page.getByLabel('Button link').fill(link);
    }
    await page.getByLabel('Beside the previous button').check();
    await page.getByRole('button', { name: 'MAX', exact: true }).click();
    await page.locator('.phone.max').getByRole('button', { name: 'Menu' }).waitFor();
    const time = page.getByLabel('Time', { exact: true });
    await time.fill('2020-01-01T10:00');
    await page.getByRole('button', { name: 'Review and schedule' }).click();
    await page.getByRole('alert').getByText('This time has passed.').waitFor();
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await time.fill(`${day}T10:00`);
    await page.getByLabel('Whose clock').selectOption('recipient');
    await page.getByRole('button', { name: 'Review and schedule' }).click();
    await page.getByRole('dialog').getByText('each recipient’s own time').waitFor();
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByRole('link', { name: 'Opening' }).waitFor();
    // A time with seconds, as the API takes it, is not rounded by an edit of the text.
    const [entry] = (await shop.api('GET', '/v1/scheduled')).body.data;
    const moved = { scheduled_at: `${day}T10:00:30` };
    expect((await shop.api('PATCH', `/v1/scheduled/${entry.scheduled_id}`, moved)).status).toBe(200);
    await page.getByRole('link', { name: 'Opening' }).click();
    await page.getByRole('heading', { name: 'Edit scheduled message' }).waitFor();
    await page.locator('.phone').getByRole('button', { name: 'Menu' }).click();
    expect(await page.getByLabel('Button link').inputValue()).toBe('https://tea.example/menu');
    await page.getByLabel('Text', { exact: true }).fill('We open at nine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await shop.api('GET', '/v1/scheduled')).body.data).toMatchObject([
      {
        name: 'Opening',
        timezone: 'recipient',
        scheduled_at: expect.stringContaining(`${day}T10:00:30`),
        content: {
          text: 'We open at nine',
          buttons: [
            [
              { text: 'Map', url: 'https://tea.example/map' },
              { text: 'Menu', url: 'https://tea.example/menu' },
            ],
          ],
        },
      },
    ]);

    await page.goto(`${service.url}/dashboard/recurring/new`);
    await page.getByLabel('Name', { exact: true }).fill('Digest');
    await page.getByLabel('Message', { exact: true }).selectOption('digest');
    await page.getByLabel('Value of item').fill('Assam');
    await page.locator('.phone', { hasText: 'new: Assam' }).waitFor();
    await page.getByText('Every Monday at 09:00, UTC').waitFor();
    await page.getByText('Advanced').click();
    await page.getByLabel('Use a cron expression').check();
    await page.getByLabel('Cron expression', { exact: true }).fill('0 9 * *');
    await page.getByRole('button', { name: 'Review and start' }).click();
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByLabel('Cron expression', { exact: true }).getAttribute('aria-invalid')).toBe(
      'true',
    );
    await page.getByLabel('Use a cron expression').uncheck();
    expect(await page.getByRole('alert').count()).toBe(0);
    // The part that it stands in stays open.
    await page.getByLabel('Use a cron expression').waitFor();
    await page.getByText('By this browser’s clock').first().waitFor();
    await page.getByRole('button', { name: 'Fri', exact: true }).click();
    await page.getByRole('button', { name: 'Mon', exact: true }).click();
    await page.getByRole('button', { name: 'Review and start' }).click();
    // Three dates, all of them Fridays.
    await page
      .getByRole('dialog')
      .getByText(/Next: Fri.+ · Fri.+ · Fri/)
      .waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('link', { name: 'Digest' }).click();
    await page.getByText('Every Friday at 09:00, UTC').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    const [digest] = (await shop.api('GET', '/v1/recurring')).body.data;
    expect(digest).toMatchObject({ cron: '0 9 * * FRI' });
    const end = new Date(`${day}T10:00:30Z`).getTime() + 365 * 86_400_000;
    await shop.api('PATCH', `/v1/recurring/${digest.recurring_id}`, { end_at: new Date(end).toISOString() });
    await page.getByRole('link', { name: 'Edit' }).click();
    expect(await page.getByLabel('Value of item').inputValue()).toBe('Assam');
    // A change of the stored message, as each run is one, does not lose the draft; saving does not move its end.
    await page.getByLabel('Name', { exact: true }).fill('News');
    await shop.api('PATCH', `/v1/recurring/${digest.recurring_id}`, { status: 'active' });
    await page.reload();
    await page.getByText('Your draft was restored.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'News' }).waitFor();
    const [saved] = (await shop.api('GET', '/v1/recurring')).body.data;
    expect([saved.name, new Date(saved.end_at as string).getTime()]).toEqual(['News', end]);

    // A template that is deleted leaves no draft to ask about.
    await shop.api('POST', '/v1/templates', { key: 'old', variants: { en: { text: 'Old' } } });
    await page.goto(`${service.url}/dashboard/templates/old`);
    await page.getByLabel('Name (optional)').fill('Older');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Templates', exact: true }).waitFor();
  });

  it('builds a chain with a branch as a picture, whose steps keep what was typed, and shows its results on it', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Chains' });
    const { page } = await someone();
    await signIn(page, '/dashboard/drip', shop.api_key);
    await page.getByRole('link', { name: 'New chain' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Welcome');
    const panel = page.getByRole('complementary', { name: 'Selected step' });
    const cards = page.locator('.picture .step-card');
    const add = async (label: string, kind: string) => {
      await page.getByRole('button', { name: label, exact: true }).click();
      await page.getByRole('group', { name: label }).getByRole('button', { name: kind }).click();
    };
    await cards.first().click();
    // A preview that fails says so, the first one too.
    await page.route('**/v1/templates/preview', (route) => route.abort());
    await panel.getByLabel('Text', { exact: true }).fill('Hello {{first_name}}');
    await panel.getByRole('alert').getByText('Can’t reach Herald').waitFor();
    await page.unroute('**/v1/templates/preview');
    await panel.getByLabel('Text', { exact: true }).fill('Hello {{first_name|friend}}');
    await panel.getByRole('alert').waitFor({ state: 'detached' });
    await panel.getByText('No matching subscribers. Placeholders show their fallback.').waitFor();
    await panel.getByLabel('Find a subscriber').waitFor();
    await panel.getByRole('button', { name: 'Add button' }).click();
    await panel.getByLabel('Button text').fill('Menu');
    await panel.getByLabel('Button link').fill('https://tea.example/menu');
    await panel.getByLabel('Media (optional)').selectOption('photo');
    await panel.getByLabel('Media URL').fill('https://10.0.0.1/tea.png');
    await add('Add a step', 'Delay');
    await panel.getByLabel('Hours').fill('2');
    await add('Add a step', 'Condition');
    await panel.getByLabel('Name', { exact: true }).fill('vip');
    await add('Add a step under Yes', 'Message');
    await panel.getByLabel('Text', { exact: true }).fill('For you');
    await add('Add a step under No', 'Tags');
    await panel.getByLabel('Add tags').fill('greeted');
    await page.keyboard.press('Enter');
    // The list of steps survives a reload, and a step that the API refuses opens by itself.
    await page.reload();
    const lines = [
      'Message: Hello friend',
      'Wait 1 day 2 hours',
      'If tagged “vip”',
      'Message: For you',
      'End',
      'Add tag greeted',
    ];
    await page.getByText('Your draft was restored.').waitFor();
    expect(await cards.allInnerTexts()).toEqual(lines);
    await page.getByRole('button', { name: 'Save' }).click();
    await panel.getByRole('alert').getByText('points to a private network').waitFor();
    expect(await panel.getByLabel('Media URL').getAttribute('aria-invalid')).toBe('true');
    await panel.getByLabel('Media (optional)').selectOption('');
    await panel.getByRole('button', { name: 'Move down' }).click();
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    await page.locator('.step-card', { hasText: 'Message: Hello friend' }).getByText('0 sent').waitFor();
    const { data } = (await shop.api('GET', '/v1/drip-chains')).body;
    expect(data).toHaveLength(1);
    const { steps } = (await shop.api('GET', `/v1/drip-chains/${data[0].drip_id}`)).body;
    const last = (steps as { id: string }[]).at(-1)?.id;
    expect(steps).toMatchObject([
      { type: 'delay', minutes: 1560 },
      {
        id: 'hello',
        content: {
          text: 'Hello {{first_name|friend}}',
          personalize: true,
          buttons: [[{ text: 'Menu', url: 'https://tea.example/menu' }]],
        },
      },
      { type: 'condition', if: { rules: [{ tag: 'vip' }] }, else: last },
      { type: 'send', content: { text: 'For you' } },
      { type: 'end' },
      { type: 'tag', add: ['greeted'] },
    ]);
  });
}
