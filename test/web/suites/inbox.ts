import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually';
import { inviteAsOperator, join, signInByMessenger } from '../../system/team/fixture';
import { overflow, seriousFlaws } from '../fixture';
import type { DashboardContext } from './dashboard-context';

/** The customer has the messenger in hand, a member of role support the inbox. */
export function describeInbox(at: () => DashboardContext): void {
  it('shows what a customer writes, sends them a canned reply, and shows their rating after the close', async () => {
    const { service, someone } = at();
    const { control } = service;
    const shop = await service.createProject({ name: 'Kettles' });
    await join(service, 'inbox-agent', await inviteAsOperator(service, shop, 'support'));
    const { cookies } = await signInByMessenger(service, 'inbox-agent');
    await shop.api('PATCH', '/v1/helpdesk', { enabled: true });
    await shop.api('POST', '/v1/templates', {
      key: 'hello',
      name: 'Greeting',
      purpose: 'reply',
      variants: { en: { text: 'Hello {{first_name}}, this is {{agent}} about #{{ticket.number}}.' } },
    });
    const heard = async () =>
      (await control.chat('telegram', 'inbox-nora')).messages
        .filter(({ from }) => from === 'bot')
        .map(({ text }) => text);

    const { page, context, complaints } = await someone();
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: service.url })));
    await page.goto(`${service.url}/dashboard/inbox`);
    await page.getByText('No open tickets').waitFor();
    await page.getByText(`help_${shop.slug}`).first().waitFor();

    // Without a reload.
    await control.open('telegram', 'inbox-nora', { start: `help_${shop.slug}`, first_name: 'Nora' });
    await eventually(async () => (await heard()).length > 0);
    await control.say('telegram', 'inbox-nora', 'My kettle is cold');
    const row = page.locator('.tickets li', { hasText: 'Nora' });
    await row.getByText('My kettle is cold').waitFor();
    expect(await row.getAttribute('class')).toContain('unread');
    await control.sendFile('telegram', 'inbox-nora', {
      type: 'document',
      name: 'order.txt',
      mime: 'text/plain',
      bytes_base64: Buffer.from('order 7').toString('base64'),
    });

    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Ticket #1' }).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.thread').getByRole('link', { name: 'order.txt' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('order.txt');
    expect(await readFile(await saved.path(), 'utf8')).toBe('order 7');

    await page.keyboard.press('r');
    await page.getByLabel('Canned reply').selectOption({ label: 'Greeting' });
    const box = page.getByRole('textbox', { name: 'Write a reply' });
    const reply = 'Hello Nora, this is inbox-agent about #1.';
    await eventually(async () => (await box.inputValue()) === reply);
    // What is typed outlives a reload.
    await page.reload();
    await eventually(async () => (await box.inputValue()) === reply);
    await box.focus();
    await page.keyboard.press('Control+Enter');
    const sent = page.locator('.entry.ours', { hasText: reply });
    await sent.getByText('Sent').waitFor();
    // The stream may tell of the reply before the request that sent it is answered.
    await eventually(async () => (await box.inputValue()) === '');
    await eventually(async () => (await heard()).includes(`Kettles · #1\n${reply}`));
    const status = page.getByLabel('Status', { exact: true });
    await eventually(async () => (await status.inputValue()) === 'waiting');

    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.getByRole('textbox', { name: 'Write a note' }).fill('Nora is a regular');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.locator('.entry.internal', { hasText: 'Nora is a regular' }).waitFor();
    await page.getByLabel('Assignee', { exact: true }).selectOption({ label: 'inbox-agent (you)' });
    await page.getByText('Assigned to inbox-agent').waitFor();
    expect((await heard()).join()).not.toContain('regular');
    expect(await seriousFlaws(page)).toEqual([]);

    await page.getByRole('heading', { name: 'Ticket #1' }).click();
    await page.keyboard.press('e');
    await page.getByText('Ticket #1 closed', { exact: true }).waitFor();
    await eventually(async () => (await heard()).some((text) => text.includes('How did we do?')));
    await control.tap('telegram', 'inbox-nora', { button: '5' });
    await page.locator('.ticket').getByText('Rated 5 of 5').waitFor();

    // On a phone the conversation has the screen, and the list is one step back.
    await page.setViewportSize({ width: 390, height: 800 });
    expect([await overflow(page), await row.isVisible()]).toEqual([0, false]);
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Inbox' }).click();
    await page.getByText('No open tickets').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Find' }).getByRole('combobox').fill('#1');
    await page.getByRole('option', { name: /^#1 / }).click();
    await page.getByRole('heading', { name: 'Ticket #1' }).waitFor();
    expect(complaints).toEqual([]);
  }, 240_000);

  it('changes several tickets at once', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Many' });
    await shop.api('PATCH', '/v1/helpdesk', { enabled: true });
    for (const name of ['Ada', 'Ben', 'Cleo']) {
      await shop.api('POST', '/v1/helpdesk/tickets', { customer: { name }, text: 'Hello' });
    }
    const { page } = await someone();
    await signIn(page, '/dashboard/inbox', shop.api_key);
    await page.getByLabel('Select #1').check();
    await page.getByLabel('Select #3').check();
    await page.getByText('2 tickets selected').waitFor();
    await page.getByLabel('Set priority').selectOption('urgent');
    await page.locator('.tickets li', { hasText: 'Urgent' }).nth(1).waitFor();
    expect(await page.locator('.tickets li', { hasText: 'Urgent' }).count()).toBe(2);
    await page.getByRole('searchbox').fill('#2');
    await page.getByText('Cleo').waitFor({ state: 'detached' });
    await page.locator('.tickets').getByText('Ben').waitFor();
  });
}
