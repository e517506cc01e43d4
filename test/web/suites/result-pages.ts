import { eventually } from '../../support/eventually';
import { subscribePerson, textsTo, untilBroadcast } from '../../system/messages/fixture';
import { seriousFlaws } from '../fixture';
import type { DashboardContext } from './dashboard-context';

/** Pages that tell what became of messages, and those that act on several people or events at once. */
export function describeResultPages(at: () => DashboardContext): void {
  it('tells who did not get a broadcast and why, and sends it to them again', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Results' });
    const people = [];
    for (const first_name of ['Rita', 'Ralf']) {
      people.push(await subscribePerson(service, shop, 'telegram', { first_name }));
    }
    await service.control.faults('telegram', {
      method: 'sendMessage',
      status: 400,
      description: 'Bad Request: chat not found',
      times: 1,
    });
    const { body } = await shop.api('POST', '/v1/broadcast', {
      text: 'Fresh tea',
      buttons: [[{ text: 'Reserve', data: 'reserve' }]],
    });
    await untilBroadcast(shop, body.job_id as string, 'completed');
    const failedId = (await shop.api('GET', `/v1/broadcast/${body.job_id}/results?status=failed`)).body
      .data[0].subscriber_id as string;
    const failed = people.find(({ subscriberId }) => subscriberId === failedId) ?? people[0];
    const name = failed === people[0] ? 'Rita' : 'Ralf';

    const { page, complaints } = await someone();
    await signIn(page, '/dashboard', shop.api_key);
    complaints.splice(0); // The browser itself reports the 401 before the sign-in.
    // A failure on the overview leads to the message, and from there to its broadcast.
    await page.getByText('1 message failed').waitFor();
    await page
      .locator('main')
      .getByRole('link', { name: /^Messages/ })
      .click();
    await page.getByRole('heading', { name: 'Message log' }).waitFor();
    await page.getByRole('link', { name: 'Fresh tea' }).click();
    await page.getByText('The chat was not found').waitFor();
    await page.getByRole('link', { name, exact: true }).waitFor();
    await page.getByRole('link', { name: 'Broadcast message' }).click();
    await page.getByText('Completed with failures').waitFor();
    const recipients = page.getByRole('region', { name: 'Recipients' });
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await recipients.getByRole('cell', { name: 'The chat was not found' }).waitFor();
    expect(await recipients.locator('tbody tr').count()).toBe(1);
    await recipients.getByRole('link', { name }).waitFor();
    expect(await seriousFlaws(page)).toEqual([]);

    await page.getByRole('button', { name: 'Resend to failed recipients' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send again to 1 subscriber?' });
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('New broadcast started').waitFor();
    await page.locator('.heading .badge.good').waitFor();
    expect(new URL(page.url()).pathname).not.toContain(body.job_id as string);
    await recipients.getByRole('link', { name }).waitFor();
    for (const person of people) {
      const texts = await textsTo(service, person);
      expect(texts.filter((text) => text === 'Fresh tea')).toHaveLength(1);
    }
    expect(complaints).toEqual([]);
  });

  it('shows a batch, a message, a login and a subscriber’s activity back to the subscription', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Activity' });
    const person = await subscribePerson(service, shop, 'telegram', { first_name: 'Alma' });
    const { body: batch } = await shop.api('POST', '/v1/send/batch', {
      messages: [
        { subscriber_id: person.subscriberId, text: 'Your order is ready', ref: 'order-1' },
        { external_id: 'nobody', text: 'Lost' },
      ],
    });
    await eventually(
      async () => (await shop.api('GET', `/v1/send/batch/${batch.batch_id}`)).body.ended_at !== null,
    );
    const { body: session } = await shop.api('POST', '/v1/auth/session', { state: 'basket-7' });
    const { page, complaints } = await someone();
    await signIn(page, '/dashboard/batches', shop.api_key);
    complaints.splice(0);
    await page.getByRole('link', { name: 'Batch of 2 messages' }).click();
    await page.getByRole('cell', { name: 'order-1' }).waitFor();
    await page.getByRole('cell', { name: 'Unknown subscriber' }).first().waitFor();
    await page.getByRole('button', { name: 'Sent', exact: true }).click();
    await page.getByRole('cell', { name: 'Unknown subscriber' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Alma' }).click();
    await page.getByText('Your order is ready').waitFor();
    await page.locator('.timeline').getByText('Subscribed').waitFor();
    await page.getByRole('button', { name: 'Conversation' }).click();
    await page.locator('.conversation .from-bot', { hasText: 'Your order is ready' }).waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('link', { name: 'Send message' }).click();
    await page.getByRole('button', { name: 'Remove: Alma' }).waitFor();

    await page.goto(`${service.url}/dashboard/logins`);
    await page.locator('.funnel').getByText('Created 1').waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByTitle('Open login').click();
    await page.getByText('Waiting for an answer').waitFor();
    await page.getByText(session.session_id as string).waitFor();
    expect(complaints).toEqual([]);
  });

  it('tags several subscribers at once, and names those that are gone', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Tagger' });
    const [first, second, gone] = [
      await subscribePerson(service, shop, 'telegram', { first_name: 'Tara' }),
      await subscribePerson(service, shop, 'max', { first_name: 'Tom' }),
      await subscribePerson(service, shop, 'max', { first_name: 'Gone' }),
    ];
    await shop.api('PATCH', `/v1/subscribers/${first.subscriberId}`, { tags: ['old'] });
    const { page } = await someone();
    await signIn(page, '/dashboard/subscribers', shop.api_key);
    await page.getByLabel('Select all on this page').check();
    await page.getByText('3 subscribers selected').waitFor();
    await shop.api('DELETE', `/v1/subscribers/${gone.subscriberId}`);
    await page.getByRole('button', { name: 'Edit tags' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit tags of 3 subscribers' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Enter a tag to add or to remove.').waitFor();
    for (const [label, tag] of [
      ['Tags to remove', 'old'],
      ['Tags to add', 'vip'],
    ] as const) {
      await dialog.getByRole('combobox', { name: label }).fill(tag);
      await page.keyboard.press('Enter');
    }
    expect(await seriousFlaws(page)).toEqual([]);
    // One that was typed and not picked counts too.
    await dialog.getByRole('combobox', { name: 'Tags to remove' }).fill('older');
    await dialog.getByRole('combobox', { name: 'Tags to add' }).fill('tea');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('alert').getByText('Gone').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /Tara/ }).getByRole('button', { name: 'vip' }).waitFor();
    for (const { subscriberId } of [first, second]) {
      const { tags } = (await shop.api('GET', `/v1/subscribers/${subscriberId}`)).body;
      expect([...tags].sort()).toEqual(['tea', 'vip']);
    }
  });

  it('edits the filter of an endpoint, with a preview of what it lets through', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Filters' });
    await subscribePerson(service, shop, 'telegram');
    await subscribePerson(service, shop, 'max');
    const { body: endpoint } = await shop.api('POST', '/v1/webhooks', { url: 'https://shop.example/hooks' });
    const { page } = await someone();
    await signIn(page, `/dashboard/webhooks/${endpoint.id}`, shop.api_key);
    await page.getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Add rule' }).click();
    await form.getByText('Complete the rules').waitFor();
    await form.getByLabel('Field').fill('channel');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter the value of every rule.').waitFor();
    await form.getByLabel('Value', { exact: true }).fill('max');
    await form.getByText('1 of the last 2 events would be sent').waitFor();
    await form.getByLabel('Condition').selectOption('exists');
    await form.getByText('2 of the last 2 events would be sent').waitFor();
    await form.getByLabel('Condition').selectOption('missing');
    await form.getByText('0 of the last 2 events would be sent').waitFor();
    await form.getByRole('button', { name: 'Add rule' }).click();
    await form.getByLabel('Field').last().fill('channel');
    await form.getByLabel('Value', { exact: true }).fill('telegram');
    await form.getByLabel('Events must match').selectOption('any');
    expect(await seriousFlaws(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('channel is "telegram"').waitFor();
    await page.getByText('channel does not exist').waitFor();
    expect((await shop.api('GET', `/v1/webhooks/${endpoint.id}`)).body.filter).toEqual({
      match: 'any',
      rules: [
        { field: 'channel', op: 'exists', value: false },
        { field: 'channel', op: 'eq', value: 'telegram' },
      ],
    });
    // Without its rules there is no filter.
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await form.getByLabel('Condition').first().inputValue()).toBe('missing');
    await form.getByRole('button', { name: 'Remove rule 2' }).click();
    await form.getByRole('button', { name: 'Remove rule 1' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect((await shop.api('GET', `/v1/webhooks/${endpoint.id}`)).body.filter).toBeNull();
  });

  it('words the bot’s texts, and says what is wrong beside the field', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Wording' });
    const { page } = await someone();
    await signIn(page, '/dashboard/settings/defaults', shop.api_key);
    const after = page.getByRole('group', { name: 'After a login' });
    await after.getByLabel('English').fill('Welcome back, {{first_name|friend}}. {{nonsense}}');
    await page.getByRole('button', { name: 'Save bot texts' }).click();
    await after.getByRole('alert').waitFor();
    await after.getByLabel('English').fill('Welcome back, {{first_name|friend}}.');
    await page.getByRole('button', { name: 'Save bot texts' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await shop.api('GET', '/v1/project/texts')).body.after_login).toEqual({
      en: 'Welcome back, {{first_name|friend}}.',
      ru: null,
    });
  });
}
