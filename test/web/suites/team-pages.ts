import { eventually } from '../../support/eventually';
import { join } from '../../system/team/fixture';
import { seriousFlaws } from '../fixture';
import type { DashboardContext } from './dashboard-context';

/** Pages on which a team is made: invitations, links, tags, clients; and the Mini App that subscribes. */
export function describeTeamPages(at: () => DashboardContext): void {
  it('invites a member by a link, who joins, changes role and is removed', async () => {
    const { service, someone, signIn } = at();
    const team = await service.createProject({ name: 'Team', plan: 'basic' });
    const { page } = await someone();
    await signIn(page, '/dashboard/team', team.api_key);
    await page.getByText('No members yet').waitFor();
    await page.getByRole('button', { name: 'Invite a member' }).click();
    const form = page.getByRole('dialog', { name: 'Invite a member' });
    await form.getByLabel('Role').selectOption('support');
    await form.getByLabel('For whom').fill('Vera');
    await form.getByRole('button', { name: 'Invite', exact: true }).click();
    const ready = page.getByRole('dialog', { name: 'Invitation created' });
    const link = await ready.locator('code').first().innerText();
    expect(await seriousFlaws(page)).toEqual([]);
    await ready.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'Vera', exact: true }).waitFor();

    await join(service, 'vera-of-the-team', new URL(link).searchParams.get('start') ?? '');
    await page.reload();
    await page.getByRole('cell', { name: 'vera-of-the-team', exact: true }).waitFor();
    await page.getByLabel('Change vera-of-the-team: Role').selectOption('viewer');
    await page.getByText('Saved', { exact: true }).waitFor();
    const { body } = await team.api('GET', '/v1/members');
    expect(body.data).toMatchObject([{ first_name: 'vera-of-the-team', role: 'viewer' }]);
    await page.getByRole('button', { name: 'Remove vera-of-the-team' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No members yet').waitFor();
    await team.api('PATCH', '/v1/project', { name: 'Crew' });
    await page.goto(`${service.url}/dashboard/audit`);
    await page.getByRole('cell', { name: 'Member removed', exact: true }).waitFor();
    const renamed = page.getByRole('row', { name: /Project settings changed/ });
    await renamed.getByText('Crew', { exact: true }).waitFor();
    await renamed.getByText('Name: Team → Crew').waitFor();
  });

  it('makes a link that gives labels, and renames and deletes a tag', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Labels' });
    await shop.api('POST', '/v1/tags', { name: 'tea' });
    const { page, context } = await someone();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, '/dashboard/links', shop.api_key);
    await page.getByRole('button', { name: 'New link' }).click();
    const form = page.getByRole('dialog', { name: 'New link' });
    await form.getByLabel('Name (optional)').fill('Till');
    // Escape closes the suggestions and not the dialog; the arrow keys mark one, and Enter picks it.
    const tags = form.getByRole('combobox', { name: 'Tags' });
    await tags.fill('te');
    await form.getByRole('option', { name: 'tea' }).waitFor();
    await page.keyboard.press('Escape');
    await form.getByRole('option').first().waitFor({ state: 'detached' });
    expect(await tags.getAttribute('aria-activedescendant')).toBeNull();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const marked = form.getByRole('option', { selected: true });
    expect(await marked.textContent()).toBe('te');
    expect(await marked.getAttribute('id')).toBe(await tags.getAttribute('aria-activedescendant'));
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Remove: tea' }).waitFor();
    await tags.fill('vip, rare');
    await form.getByLabel('Maximum uses').fill('2');
    await form.getByLabel('External ID').fill('customer-1');
    await form.getByRole('button', { name: 'Create link' }).click();
    await form.getByRole('alert').getByText('Must be 1 with an external_id').waitFor();
    await form.getByLabel('External ID').fill('');
    await form.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('cell', { name: '0 / 2' }).waitFor();
    await page.getByRole('button', { name: 'Telegram' }).click();
    const start = await eventually(async () =>
      new URL((await page.evaluate('navigator.clipboard.readText()')) as string).searchParams.get('start'),
    );
    await service.control.open('telegram', 'by-link', { start });
    await eventually(async () => (await shop.api('GET', '/v1/subscribers?tag=vip')).body.data.length === 1);

    await page.getByRole('link', { name: 'Tags and permissions' }).click();
    await page.getByRole('button', { name: 'Edit vip' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit vip' });
    await edit.getByLabel('Name').fill('gold');
    await edit.getByRole('button', { name: 'Save' }).click();
    // The link gives this tag.
    await edit.getByRole('alert').waitFor();
    expect(await edit.getByLabel('Name').inputValue()).toBe('gold');
    const { body: links } = await shop.api('GET', '/v1/subscribe-links');
    await shop.api('DELETE', `/v1/subscribe-links/${links.data[0].link_id}`);
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'gold', exact: true }).waitFor();
    expect((await shop.api('GET', '/v1/subscribers?tag=gold')).body.data).toHaveLength(1);
    await page.getByRole('button', { name: 'Delete tea' }).click();
    await page.getByRole('dialog').getByText('1 subscriber will lose it').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('cell', { name: 'tea', exact: true }).waitFor({ state: 'detached' });
  });

  it('creates a client of OpenID Connect and rotates its secret, which stays until it is stored', async () => {
    const { service, someone, signIn } = at();
    const site = await service.createProject({ name: 'Forum' });
    const { page } = await someone();
    await signIn(page, '/dashboard/oidc', site.api_key);
    await page.getByRole('button', { name: 'New client' }).click();
    const form = page.getByRole('dialog', { name: 'New client' });
    await form.getByLabel('Name').fill('Forum');
    await form.getByLabel('Redirect URIs', { exact: true }).fill('https://forum.example/callback');
    await form.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Client secret' });
    const secret = await dialog.locator('code').innerText();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await dialog.locator('code').innerText()).toBe(secret);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole('button', { name: 'Rotate secret of Forum' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    await dialog.waitFor();
    const rotated = await dialog.locator('code').innerText();
    expect(rotated).not.toBe(secret);
    await page.keyboard.press('Escape');
    expect(await dialog.locator('code').innerText()).toBe(rotated);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('button', { name: 'Delete Forum' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Add a client for each site').waitFor();
  });

  it('subscribes by the Mini App with the permissions that the user chose', async () => {
    const { service, someone } = at();
    const shop = await service.createProject({ name: 'Mini shop' });
    await shop.api('POST', '/v1/permissions', { name: 'news', title_en: 'News', default: true });
    await shop.api('POST', '/v1/permissions', { name: 'offers', title_en: 'Offers' });
    const { page, complaints } = await someone({ viewport: { width: 360, height: 640 } });
    await page.goto(`${service.url}/mini`);
    await page.getByText('Open this page from the messenger').waitFor();
    await service.control.open('telegram', 'mini-user', { first_name: 'Mia' });
    const { url } = await service.control.miniApp('telegram', 'mini-user', `proj_${shop.slug}`);
    // Only the fragment differs, so that going there would not load the page.
    await page.goto('about:blank');
    await page.goto(service.url + url);
    await page.getByRole('heading', { name: 'Messages from Mini shop' }).waitFor();
    expect(await page.getByLabel('News').isChecked()).toBe(true);
    await page.getByLabel('News').uncheck();
    await page.getByLabel('Offers').check();
    expect(await seriousFlaws(page)).toEqual([]);
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('You are subscribed').waitFor();
    const { body } = await shop.api('GET', '/v1/subscribers');
    expect(body.data).toMatchObject([{ first_name: 'Mia', permissions: ['offers'] }]);
    expect(complaints).toEqual([]);
  });
}
