import type { Page } from 'playwright-core';
import { goTo } from '../fixture';
import type { DashboardContext } from './dashboard-context';

/** Controls that change nothing: copies, filters, pages, the format of a body, a tag as a filter, whose preview it is. */
const harmless = ['.copy', '.filters *', '.pager *', '.tabs *', '.people *', 'button.chip'];
/** Everything on a page that acts, or leads to a form. Disabled fields only show. */
const acting =
  'main :is(button, input, select, textarea, a[href$="/new"], a[href$="/import"], a[href$="/edit"])';

function controls(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll(${JSON.stringify(acting)})]
    .filter((element) => !element.matches(${JSON.stringify(harmless.join(','))}) && !element.matches(':disabled'))
    .map((element) => element.outerHTML.slice(0, 120))`);
}

/** What a member may not do is not offered: the API would only refuse it. */
export function describeRoles(at: () => DashboardContext): void {
  it('offers a viewer nothing that the API would refuse, on any page', async () => {
    const { service, project, someone, signIn, detailPages } = at();
    const details = await detailPages();
    const key = await service.createKey(project.id, ['read']);
    const { page, complaints } = await someone();
    await signIn(page, '/dashboard', key);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const linked = (await page.evaluate(
      `[...document.querySelectorAll('#navigation nav a')].map((link) => link.getAttribute('href'))`,
    )) as string[];
    expect(linked).toContain('/dashboard/deliveries');
    expect(linked).not.toContain('/dashboard/team');
    complaints.splice(0); // The browser itself reports the 401 before the sign-in.
    for (const path of [...linked, ...details.map((detail) => `/dashboard/${detail}`)]) {
      await goTo(page, path);
      expect([path, await controls(page)]).toEqual([path, []]);
    }
    for (const path of [
      'broadcasts/new',
      'scheduled/new',
      'recurring/new',
      'templates/new',
      'drip/new',
      'forms/new',
      'team',
      'settings',
      'inbox/settings',
    ]) {
      await goTo(page, `/dashboard/${path}`);
      await page.getByRole('heading', { name: 'You can’t open this page' }).waitFor();
    }
    // No page has asked for what the API refuses.
    expect(complaints).toEqual([]);
  }, 240_000);
}
