import { startReceiver } from '../../support/receiver';
import { goTo, overflow, screenshot, seriousFlaws } from '../fixture';
import type { DashboardContext } from './dashboard-context';

/** Forms: built on a page, answered by people without a script, read by the team. */
export function describeFormPages(at: () => DashboardContext): void {
  it('builds a form, which a person without scripts answers, and shows the answers with what followed', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Call centre' });
    const { page, complaints } = await someone();
    await signIn(page, '/dashboard/forms', shop.api_key);
    await page.getByText('No forms yet').waitFor();
    complaints.splice(0); // The browser itself reports the 401 before the sign-in.
    await page.getByRole('link', { name: 'New form' }).click();

    await page.getByLabel('Name', { exact: true }).fill('Call me back');
    await page.getByLabel('Title in Russian').fill('Перезвоним вам');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByRole('button', { name: 'One of a list' }).click();
    const topic = page.locator('#field-2');
    await topic.getByLabel('Label in English').fill('What is it about?');
    expect(await topic.getByLabel('Key').inputValue()).toBe('what_is_it_about');
    await topic.getByLabel('Key').fill('topic');
    await topic.getByLabel('Value').fill('order');
    await topic.getByLabel('English: order').fill('An order');
    const names = () => page.locator('#form-fields ~ .moving-cards .card-name').allInnerTexts();
    await page.getByRole('button', { name: /^What is it about/ }).focus();
    await page.keyboard.press('Alt+ArrowUp');
    expect(await names()).toEqual(['Your name', 'What is it about?', 'Phone']);
    // It keeps the focus, so that the next press moves it further.
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('status').getByText('“What is it about?” is now 1 of 3').waitFor();
    await page.getByRole('button', { name: 'Move “What is it about?” down' }).click();
    expect(await names()).toEqual(['Your name', 'What is it about?', 'Phone']);

    await page.getByRole('button', { name: 'Add an action' }).click();
    await page.getByRole('button', { name: 'Add a tag' }).click();
    const tag = page.locator('#route-0');
    await tag.getByLabel('Tag').fill('callback');
    await tag.getByRole('button', { name: 'Add a rule' }).click();
    await tag.getByLabel('Field').selectOption({ label: 'What is it about?' });
    await tag.getByLabel('Value').selectOption('order');
    await page.getByText('if “What is it about?” is “An order”').waitFor();
    await page.getByRole('button', { name: 'Add an action' }).click();
    await page.getByRole('button', { name: 'Send a message' }).click();
    const text = page.locator('#route-1').getByRole('textbox', { name: 'Text' });
    await text.click();
    await page.keyboard.type('Call ');
    await page.locator('#route-1').getByRole('button', { name: 'Insert' }).click();
    await page.locator('#route-1').getByRole('button', { name: 'phone', exact: true }).click();

    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('What is it about? (optional)').waitFor();
    await page.getByRole('button', { name: 'Русский' }).click();
    await preview.getByText('Перезвоним вам').waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'form-builder');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await overflow(page)).toBe(0);
    await screenshot(page, 'form-builder-phone');
    await page.setViewportSize({ width: 1200, height: 860 });
    await page.getByRole('button', { name: 'Save' }).click();

    await page.getByText('No site may post to this form yet').waitFor();
    const [form] = (await shop.api('GET', '/v1/forms')).body.data;
    expect(form).toMatchObject({
      fields: [{ key: 'name' }, { key: 'topic', options: [{ value: 'order' }] }, { key: 'phone' }],
      routes: [
        { action: 'tag', when: { rules: [{ field: 'topic', op: 'eq', value: 'order' }] } },
        { action: 'message', to: 'members', content: { text: 'Call {{phone}}', personalize: true } },
      ],
    });
    expect(await page.locator('pre').innerText()).toContain(
      `<form action="${form.submit_url}" method="post">`,
    );
    await page.locator('summary').first().click();
    await page.getByRole('img', { name: 'QR code: Hosted page' }).waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'form-share');

    const customer = await someone({ javaScriptEnabled: false });
    await customer.page.goto(form.hosted_url as string);
    await customer.page.getByLabel('Your name').fill('Anna');
    await customer.page.getByLabel('What is it about?').selectOption('An order');
    await customer.page.getByLabel('Phone').fill('+1 555 010 0199');
    await customer.page.getByRole('button', { name: 'Send' }).click();
    await customer.page.getByRole('heading', { name: 'Thank you' }).waitFor();

    await page.getByRole('link', { name: 'Submissions' }).click();
    const answered = page.getByRole('article').filter({ hasText: 'Anna' });
    await answered.getByText('An order').waitFor();
    await answered.getByText('Hosted page').waitFor();
    await answered.getByRole('listitem').filter({ hasText: 'Tag “callback”' }).getByText('skipped').waitFor();
    await answered.getByText('not a subscriber', { exact: true }).waitFor();
    await answered.getByText('no member gets notifications').waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    await screenshot(page, 'form-submissions');

    // What looks like spam waits in its folder until somebody takes it out.
    await answered.getByRole('button', { name: 'Mark as spam' }).click();
    await page.getByText('No submissions yet').waitFor();
    await page.getByRole('button', { name: /^Spam/ }).click();
    await page.getByRole('button', { name: 'Not spam' }).click();
    await page.getByText('No spam').waitFor();
    await page.getByRole('button', { name: /^Received/ }).click();
    await answered.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No submissions yet').waitFor();

    await page.getByRole('button', { name: 'Close form' }).click();
    await page.getByRole('button', { name: 'Open form' }).waitFor();
    expect((await shop.api('GET', `/v1/forms/${form.form_id}`)).body).toMatchObject({
      status: 'disabled',
      routes: form.routes,
    });
    await goTo(page, '/dashboard/forms');
    await page.getByRole('cell', { name: 'Call me back' }).waitFor();
    expect(await seriousFlaws(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 120_000);

  it('is embedded in a site of another origin, with a script and without, and goes on to where the site redirects', async () => {
    const { service, someone, signIn } = at();
    const shop = await service.createProject({ name: 'Call centre' });
    const pages: Record<string, string> = {};
    // Plain HTTP, as Herald here: a browser names no origin on the way from HTTPS to HTTP.
    const site = await startReceiver((res, { path }) => {
      res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pages[path]);
    });
    // As a site whose pages are at its `www`.
    const thanks = await startReceiver(
      (res, { path }) => {
        const onward = { location: `https://localhost:${thanks.port}/landed` };
        if (path === '/thanks') return res.writeHead(302, onward).end();
        res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Landed</h1>');
      },
      { tls: true },
    );
    try {
      const origin = new URL(site.url).origin;
      const { body: form } = await shop.api('POST', '/v1/forms', {
        name: 'Call me back',
        fields: [
          { key: 'name', type: 'text', label_en: 'Your name', required: true },
          {
            key: 'days',
            type: 'multiselect',
            label_en: 'Days',
            options: [{ value: 'mon' }, { value: 'tue' }],
          },
        ],
        allowed_origins: [origin],
        redirect_url: `${new URL(thanks.url).origin}/thanks`,
      });
      const { page } = await someone();
      await signIn(page, `/dashboard/forms/${form.form_id}/share`, shop.api_key);
      const snippet = (part: string) => page.locator('pre').filter({ hasText: part }).innerText();
      pages['/plain'] = await snippet('<form action=');
      await page.getByRole('button', { name: 'With a script' }).click();
      pages['/script'] = await snippet('<script type="module">');

      const customer = await someone({ javaScriptEnabled: false, ignoreHTTPSErrors: true });
      for (const address of [`${origin}/plain`, form.hosted_url]) {
        await customer.page.goto(address);
        await customer.page.getByLabel('Your name').fill('Anna');
        await customer.page.getByLabel('tue').check();
        await customer.page.getByRole('button', { name: 'Send' }).click();
        await customer.page.getByRole('heading', { name: 'Landed' }).waitFor();
        expect(new URL(customer.page.url()).hostname).toBe('localhost');
      }
      const scripted = await someone({ ignoreHTTPSErrors: true });
      await scripted.page.goto(`${origin}/script`);
      await scripted.page.getByLabel('Your name').fill('Boris');
      for (const day of ['mon', 'tue']) await scripted.page.getByLabel(day).check();
      const sent = scripted.page.waitForResponse((response) => response.request().method() === 'POST');
      await scripted.page.getByRole('button', { name: 'Send' }).click();
      expect(await (await sent).json()).toEqual({ ok: true, submission_id: expect.any(String) });

      const { body } = await shop.api('GET', `/v1/forms/${form.form_id}/submissions`);
      expect(body.data.map(({ source, answers }: Record<string, unknown>) => ({ source, answers }))).toEqual([
        { source: 'web', answers: { name: 'Boris', days: ['mon', 'tue'] } },
        { source: 'hosted', answers: { name: 'Anna', days: ['tue'] } },
        { source: 'web', answers: { name: 'Anna', days: ['tue'] } },
      ]);
    } finally {
      await Promise.all([site.close(), thanks.close()]);
    }
  }, 120_000);
}
