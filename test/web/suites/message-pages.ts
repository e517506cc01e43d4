import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually';
import { seriousFlaws } from '../fixture';
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

  it('schedules a message with buttons, changes it, and repeats a template by cron', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Planner' });
    await shop.api('POST', '/v1/templates', {
      key: 'digest',
      variants: { en: { text: 'Hello {{first_name}}, new: {{item}}' } },
    });
    const { page } = await someone();
    await signIn(page, '/dashboard/scheduled/new', shop.api_key);
    await page.getByLabel('Name (optional)').fill('Opening');
    await page.getByLabel('Text', { exact: true }).fill('We open at ten');
    for (const [text, link] of [
      ['Map', 'https://tea.example/map'],
      ['Menu', 'https://tea.example/menu'],
    ]) {
      await page.getByRole('button', { name: 'Add button' }).click();
      await page
        .getByLabel('Button text')
        .last()
        .fill(text ?? '');
      await page
        .getByLabel('Button link')
        .last()
        .fill(link ?? '');
    }
    await page.getByLabel('Beside the previous button').check();
    await page.locator('.phone.max .chat-button', { hasText: 'Menu' }).waitFor();
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('Time', { exact: true }).fill(`${day}T10:00`);
    await page.getByLabel('Time zone').selectOption('recipient');
    await page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByRole('link', { name: 'Opening' }).click();
    await page.getByRole('heading', { name: 'Edit scheduled message' }).waitFor();
    expect(await page.getByLabel('Button link').last().inputValue()).toBe('https://tea.example/menu');
    await page.getByLabel('Text', { exact: true }).fill('We open at nine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await shop.api('GET', '/v1/scheduled')).body.data).toMatchObject([
      {
        name: 'Opening',
        timezone: 'recipient',
        scheduled_at: expect.stringContaining(`${day}T10:00`),
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
    await page.getByLabel('Cron expression').fill('0 9 * *');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByLabel('Cron expression').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Cron expression').fill('0 9 * * FRI');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Digest' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    expect(await page.getByLabel('Value of item').inputValue()).toBe('Assam');
  });

  it('builds a chain of messages with buttons, whose steps keep what was typed when they move', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Chains' });
    const { page } = await someone();
    await signIn(page, '/dashboard/drip', shop.api_key);
    await page.getByRole('link', { name: 'Build a chain' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Welcome');
    await page.getByLabel('Text', { exact: true }).fill('Hello');
    await page.getByRole('button', { name: 'Add button' }).click();
    await page.getByLabel('Button text').fill('Menu');
    await page.getByLabel('Button link').fill('https://tea.example/menu');
    await page.getByLabel('Media (optional)').selectOption('photo');
    await page.getByLabel('Media URL').fill('https://10.0.0.1/tea.png');
    await page.locator('.phone.max .chat-button', { hasText: 'Menu' }).waitFor();
    await page.getByLabel('Add a step').selectOption('tag');
    await page.getByLabel('Add tags').fill('greeted');
    await page.getByRole('button', { name: 'Move tag-2 up' }).click();
    await page.reload();
    expect(await page.getByLabel('Add tags').inputValue()).toBe('greeted');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('points to a private network').waitFor();
    expect(await page.getByLabel('Media URL').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Media (optional)').selectOption('');
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    const { data } = (await shop.api('GET', '/v1/drip-chains')).body;
    expect(data).toHaveLength(1);
    expect((await shop.api('GET', `/v1/drip-chains/${data[0].drip_id}`)).body.steps).toMatchObject([
      { id: 'tag-2', type: 'tag', add: ['greeted'] },
      {
        id: 'hello',
        content: { text: 'Hello', buttons: [[{ text: 'Menu', url: 'https://tea.example/menu' }]] },
      },
    ]);
  });
}
