import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { expectError } from '../http/fixture';
import { botMessages, eventsOf, subscribePerson, textsTo, untilBroadcast, type Person } from './fixture';

describe('templates', () => {
  let service: Installation;
  let project: TestProject;
  let anna: Person;
  let ivan: Person;
  beforeAll(async () => {
    service = await useService();
    project = await service.createProject();
    anna = await subscribePerson(service, project, 'telegram', { first_name: 'Anna', language_code: 'en' });
    ivan = await subscribePerson(service, project, 'max', { first_name: 'Ivan', language_code: 'ru' });
  });
  afterAll(() => service.stop());

  const variants = {
    en: { text: 'Hi {{first_name}}, order {{order}}{{mark|!}}' },
    ru: { text: 'Привет, {{first_name}}, заказ {{order}}' },
  };
  const create = (key: string, body: object = {}) =>
    project.api('POST', '/v1/templates', { key, variants, ...body });
  const rename = ({ subscriberId }: Person, firstName: string) =>
    service.pool.query('UPDATE subscribers SET first_name = $2 WHERE id = $1', [subscriberId, firstName]);

  it('are created, listed, replaced and deleted by key', async () => {
    const created = await create('order', { name: 'Order', format: 'markdown' });
    expect([created.status, created.body]).toEqual([
      201,
      {
        key: 'order',
        name: 'Order',
        purpose: 'message',
        format: 'markdown',
        default_lang: 'en',
        variants: {
          en: { text: variants.en.text },
          ru: { text: variants.ru.text },
        },
        variables: ['first_name', 'order', 'mark'],
        version: 1,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expectError(await create('order'), 'conflict', /taken/);
    await create('thanks', { purpose: 'reply' });
    const replies = await project.api('GET', '/v1/templates?purpose=reply');
    expect(replies.body.data.map(({ key }: { key: string }) => key)).toEqual(['thanks']);
    expect((await project.api('GET', '/v1/templates/order')).body).toEqual(created.body);

    const replaced = await project.api('PUT', '/v1/templates/order', { variants: { ru: { text: 'x' } } });
    expect(replaced.body).toMatchObject({
      key: 'order',
      name: null,
      format: 'plain',
      default_lang: 'ru',
      variables: [],
      version: 2,
    });
    expect((await project.api('DELETE', '/v1/templates/order')).status).toBe(204);
    expectError(await project.api('GET', '/v1/templates/order'), 'not_found');
    expectError(await project.api('PUT', '/v1/templates/order', { variants }), 'not_found');
    expectError(await project.api('DELETE', '/v1/templates/order'), 'not_found');
  });

  it.each<[object, RegExp]>([
    [{ key: 'Bad Key' }, /^key: /],
    [{ variants: {} }, /^variants: /],
    [{ default_lang: 'ru', variants: { en: { text: 'x' } } }, /^default_lang: /],
    [{ variants: { en: { text: 'x'.repeat(4001) } } }, /^variants\.en\.text: /],
    [{ variants: { en: { text: '{{ x }}' } } }, /^variants\.en\.text: has a placeholder/],
    [
      { variants: { en: { text: 'x', buttons: [[{ text: 'x', data: '{{' }]] } } },
      /buttons\[0\]\[0\]\.data: /,
    ],
  ])('with a mistake are refused, naming the field: %j', async (body, error) => {
    expectError(await create('mistake', body), 'validation_failed', error);
  });

  it('are 100 in a project, also when they are created at once', async () => {
    const full = await service.createProject();
    await service.pool.query(
      `INSERT INTO templates (project_id, key, purpose, format, default_lang, variants)
       SELECT $1, 'k' || n, 'message', 'plain', 'en', '{"en": {"text": "x", "buttons": []}}' FROM generate_series(1, 98) n`,
      [full.id],
    );
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((key) => full.api('POST', '/v1/templates', { key, variants })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
  });

  it('are rendered for each recipient, in the language of each', async () => {
    await create('welcome');
    for (const person of [anna, ivan]) {
      await project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, { external_id: 'both' });
    }
    const sent = await project.api('POST', '/v1/send', {
      external_id: 'both',
      template: 'welcome',
      vars: { order: '{{first_name}}', first_name: 'you', mark: '' },
    });
    expect(sent.body).toMatchObject({ sent: 2, failed: 0 });
    expect(await textsTo(service, anna)).toContain('Hi you, order {{first_name}}!');
    expect(await textsTo(service, ivan)).toContain('Привет, you, заказ {{first_name}}');
    const log = await project.api('GET', `/v1/messages?subscriber_id=${anna.subscriberId}`);
    expect(log.body.data[0]).toMatchObject({ source: 'send', text: 'Hi you, order {{first_name}}!' });
  });

  it("show the project's name, their recipient's ids and properties", async () => {
    const text =
      '{{project}} {{lang}} {{external_id|none}} {{subscriber_id}} {{properties.plan}} {{properties.x|-}}';
    const named = await service.createProject();
    const vera = await subscribePerson(service, named, 'telegram', { language_code: 'en' });
    await named.api('POST', '/v1/templates', { key: 'builtin', variants: { en: { text } } });
    const about = { external_id: 'vera', properties: { plan: 'pro' } };
    await named.api('PATCH', `/v1/subscribers/${vera.subscriberId}`, about);
    // A new name is shown at once.
    await named.api('PATCH', '/v1/project', { name: 'Samovar' });
    const shown = `Samovar en vera ${vera.subscriberId} pro -`;
    const to = { subscriber_id: vera.subscriberId };
    const preview = (body: object) => named.api('POST', '/v1/templates/preview', { ...to, ...body });
    expect((await preview({ key: 'builtin' })).body.text).toBe(shown);
    await named.api('PATCH', '/v1/project', { name: 'Teapot' });
    const unsaved = await preview({ template: { variants: { en: { text } } } });
    expect(unsaved.body.text).toBe(shown.replace('Samovar', 'Teapot'));
    await named.api('PATCH', '/v1/project', { name: 'Samovar' });
    expect((await named.api('POST', '/v1/send', { ...to, template: 'builtin' })).body.sent).toBe(1);
    await named.api('PATCH', '/v1/project', { name: 'Teapot' });
    const batch = await named.api('POST', '/v1/send/batch', { messages: [{ ...to, template: 'builtin' }] });
    // A batch keeps the version of its request.
    await named.api('PUT', '/v1/templates/builtin', { variants: { en: { text: 'changed' } } });
    await eventually(async () => {
      const { body } = await named.api('GET', `/v1/send/batch/${batch.body.batch_id}`);
      return body.status === 'completed';
    });
    expect((await textsTo(service, vera)).slice(-2)).toEqual([shown, shown.replace('Samovar', 'Teapot')]);
  });

  it('are refused with the reason before anything is sent', async () => {
    await create('reasons');
    const send = (body: object) =>
      project.api('POST', '/v1/send', { subscriber_id: anna.subscriberId, ...body });
    expectError(await send({ template: 'unknown' }), 'not_found', /^template: /);
    expectError(
      await send({ template: 'reasons' }),
      'template_variable_missing',
      /^vars: must have values for order, mark$/,
    );
    expectError(await send({ template: 'reasons', text: 'x' }), 'validation_failed', /^text: cannot/);
    expectError(await send({ template: 'reasons', format: 'plain' }), 'validation_failed', /^format: cannot/);
    expectError(
      await send({ text: 'x', vars: {} }),
      'validation_failed',
      /^vars: needs a template, or personalize$/,
    );
    expectError(await send({}), 'validation_failed', /^text: is required, or template$/);
    expectError(await send({ template: 'reasons', vars: { 'a.b': 1 } }), 'validation_failed', /^vars/);
    expectError(
      await send({ template: 'reasons', vars: { order: [] } }),
      'validation_failed',
      /^vars\.order: /,
    );
    const broadcast = await project.api('POST', '/v1/broadcast', { template: 'reasons' });
    expectError(broadcast, 'template_variable_missing');
    const other = await service.createProject();
    expectError(await other.api('POST', '/v1/broadcast', { template: 'reasons' }), 'not_found');
  });

  it('that turn out too long fail with invalid_message', async () => {
    const own = await service.createProject();
    const vera = await subscribePerson(service, own);
    const variants = { en: { text: '{{x}}{{x}}{{x}}{{x}}.' } };
    await own.api('POST', '/v1/templates', { key: 'long', variants });
    const message = { subscriber_id: vera.subscriberId, template: 'long', vars: { x: 'x'.repeat(1_000) } };
    const { body } = await own.api('POST', '/v1/send', message);
    expect(body).toMatchObject({ failed: 1, details: [{ status: 'failed', reason: 'invalid_message' }] });
  });

  it.each(['plain', 'markdown', 'html'])(
    'show values as they are written, on both channels: %s',
    async (format) => {
      for (const person of [anna, ivan]) {
        await project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, { external_id: 'both' });
      }
      await create(`values-${format}`, { format, variants: { en: { text: 'Value: {{x}}' } } });
      const x =
        '{{first_name}} <b>bold</b> *stars* _lines_ `code` [a](https://a.example) & https://b.example/?q=1';
      const vars = { x };
      const sent = await project.api('POST', '/v1/send', {
        external_id: 'both',
        template: `values-${format}`,
        vars,
      });
      expect(sent.body).toMatchObject({ sent: 2, failed: 0 });
      for (const person of [anna, ivan]) {
        expect((await textsTo(service, person)).at(-1)).toBe(`Value: ${x}`);
      }
    },
  );

  it('that turn out empty fail with invalid_message', async () => {
    await create('empty', { variants: { en: { text: '{{username}}{{x}}' } } });
    const { body } = await project.api('POST', '/v1/send', {
      subscriber_id: ivan.subscriberId,
      template: 'empty',
      vars: { x: '' },
    });
    expect(body).toMatchObject({ failed: 1, details: [{ status: 'failed', reason: 'invalid_message' }] });
    expect(await eventsOf(service, project, 'delivery.failed')).toMatchObject([
      { data: { reason: 'invalid_message', error: 'The text is empty.' } },
    ]);
  });

  it('inline text is not rendered without personalize', async () => {
    await project.api('POST', '/v1/send', { subscriber_id: anna.subscriberId, text: 'Hi {{first_name}}' });
    expect(await textsTo(service, anna)).toContain('Hi {{first_name}}');
  });

  describe('inline text with personalize', () => {
    const personal = (text: string, more: object = {}) => ({ text, personalize: true, ...more });
    const asGiven = { text: 'For {{first_name}}', personalize: true, template: null, vars: {} };

    it('is rendered for each recipient of a send, a batch and a broadcast', async () => {
      const sent = await project.api('POST', '/v1/send', {
        subscriber_id: anna.subscriberId,
        ...personal('Hello {{first_name}}, {{what|friend}} of {{project}}', {
          vars: { what: '{{lang}}' },
          buttons: [
            [
              { text: 'Go {{first_name}}', url: 'https://shop.example/?q={{first_name}}' },
              { text: 'Ok', data: '{{first_name}}' },
            ],
          ],
        }),
      });
      expect([sent.status, sent.body.sent]).toEqual([200, 1]);
      const message = await project.api('GET', `/v1/messages/${sent.body.details[0].delivery_id}`);
      expect(message.body.content).toMatchObject({
        text: `Hello Anna, {{lang}} of ${project.name}`,
        buttons: [
          [
            { text: 'Go Anna', url: 'https://shop.example/?q=Anna' },
            { text: 'Ok', data: '{{first_name}}' },
          ],
        ],
      });

      const messages = [anna, ivan].map(({ subscriberId }) => ({
        subscriber_id: subscriberId,
        ...personal('Batch {{first_name}} {{n}}', { vars: { n: 7 } }),
      }));
      await project.api('POST', '/v1/send/batch', { messages });
      const started = await project.api('POST', '/v1/broadcast', personal('For {{first_name}}'));
      await untilBroadcast(project, started.body.job_id, 'completed');
      const ended = await project.api('GET', `/v1/broadcast/${started.body.job_id}`);
      expect(ended.body.content).toMatchObject(asGiven);
      for (const [person, name] of [
        [anna, 'Anna'],
        [ivan, 'Ivan'],
      ] as const) {
        await eventually(async () => (await textsTo(service, person)).includes(`Batch ${name} 7`));
        expect(await textsTo(service, person)).toContain(`For ${name}`);
      }
    });

    it('is stored as given in scheduled messages and in chains', async () => {
      const scheduled = await project.api('POST', '/v1/scheduled', {
        subscriber_id: anna.subscriberId,
        content: personal('For {{first_name}}'),
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
      });
      const view = await project.api('GET', `/v1/scheduled/${scheduled.body.scheduled_id}`);
      expect(view.body.content).toMatchObject(personal('For {{first_name}}'));
      const chain = await project.api('POST', '/v1/drip-chains', {
        name: 'Personal',
        trigger: { type: 'event', name: 'bought' },
        steps: [{ id: 'hello', type: 'send', content: personal('{{event.item}}') }],
      });
      expect([chain.status, chain.body.steps?.[0]?.content]).toEqual([
        201,
        expect.objectContaining(personal('{{event.item}}')),
      ]);
    });

    it('is refused for unknown names, malformed placeholders and beside a template', async () => {
      const send = (body: object) =>
        project.api('POST', '/v1/send', { subscriber_id: anna.subscriberId, ...body });
      expectError(await send(personal('{{zz}}')), 'template_variable_missing', /^vars: .*zz/);
      expectError(await send(personal('{{')), 'validation_failed', /^text: /);
      expectError(
        await send({ template: 'order', personalize: true }),
        'validation_failed',
        /^personalize: cannot be combined with template/,
      );
      expectError(await send({ text: 'x', vars: { a: 1 } }), 'validation_failed', /^vars: needs a template/);
      const buttons = [[{ text: 'x', url: 'https://{{first_name}}.example' }]];
      expectError(await send(personal('x', { buttons })), 'validation_failed', /^buttons/);
    });

    it('is previewed as it would be sent', async () => {
      const preview = (body: object) => project.api('POST', '/v1/templates/preview', body);
      const content = personal('Hello {{first_name|friend}} {{n}}');
      expect((await preview({ content, subscriber_id: ivan.subscriberId, vars: { n: 1 } })).body).toEqual({
        lang: 'ru',
        text: 'Hello Ivan 1',
        format: 'plain',
        buttons: [],
        media: null,
        missing: [],
      });
      expect((await preview({ content })).body).toMatchObject({ text: 'Hello friend ', missing: ['n'] });
      expect((await preview({ content: { text: '{{' } })).body.text).toBe('{{');
      expectError(await preview({ content, key: 'shown' }), 'validation_failed', /^key: /);
    });
  });

  it('of a broadcast keep the version of the request, and a tap returns the data that was sent', async () => {
    const buttons = [[{ text: 'Go {{first_name}}', data: 'go:{{first_name}}:{{n}}' }]];
    await create('news', { variants: { en: { text: 'News for {{first_name}}', buttons } } });
    const started = await project.api('POST', '/v1/broadcast', {
      template: 'news',
      vars: { n: 7 },
      messages_per_minute: 60,
    });
    await project.api('PUT', '/v1/templates/news', { variants: { en: { text: 'changed' } } });
    await untilBroadcast(project, started.body.job_id, 'completed');
    expect(await textsTo(service, anna)).toContain('News for Anna');
    expect(await textsTo(service, ivan)).toContain('News for Ivan');
    const message = (await botMessages(service, anna)).at(-1);
    expect(message?.buttons?.[0]?.[0]?.text).toBe('Go Anna');
    // What the template shows of a recipient changes after it was sent.
    await rename(anna, 'Renamed');
    const { body: log } = await project.api('GET', `/v1/messages?subscriber_id=${anna.subscriberId}&limit=1`);
    expect(log.data).toMatchObject([{ source: 'broadcast', text: 'News for Anna' }]);
    const shown = await project.api('GET', `/v1/messages/${log.data[0].delivery_id}`);
    expect(shown.body.content).toMatchObject({
      text: 'News for Anna',
      buttons: [[{ text: 'Go Anna', data: 'go:Anna:7' }]],
    });
    await service.control.tap('telegram', anna.name, { button: 'Go Anna' });
    const click = await eventually(async () => (await eventsOf(service, project, 'button.clicked'))[0]);
    expect(click.data['data']).toBe('go:Anna:7');
    await rename(anna, 'Anna');
  });

  it('are previewed, saved or not, with the names that are missing', async () => {
    await create('shown', { variants: { en: { text: 'Hi {{first_name|friend}} {{code}}' } } });
    const preview = (body: object) => project.api('POST', '/v1/templates/preview', body);
    expect((await preview({ key: 'shown' })).body).toEqual({
      lang: 'en',
      text: 'Hi friend ',
      format: 'plain',
      buttons: [],
      media: null,
      missing: ['code'],
    });
    const own = await preview({
      template: { variants: { ru: { text: 'Код {{code}} для {{first_name}}' } } },
      subscriber_id: ivan.subscriberId,
      lang: 'en',
      vars: { code: 42 },
    });
    expect(own.body).toMatchObject({ lang: 'ru', text: 'Код 42 для Ivan', missing: [] });
    const buttons = [[{ text: 'For {{first_name}}', url: 'https://a.example/?q={{code}}' }]];
    const media = { type: 'photo', url: 'https://a.example/{{code}}.jpg' };
    const whole = await preview({
      template: { format: 'html', variants: { en: { text: '{{code}}', buttons, media } } },
      subscriber_id: anna.subscriberId,
      vars: { code: 'a b&<' },
    });
    expect(whole.body).toEqual({
      lang: 'en',
      text: 'a b&amp;&lt;',
      format: 'html',
      buttons: [[{ text: 'For Anna', url: 'https://a.example/?q=a%20b%26%3C' }]],
      media: { type: 'photo', url: 'https://a.example/a%20b%26%3C.jpg' },
      missing: [],
    });
    expectError(await preview({ key: 'nothing' }), 'not_found');
    expectError(await preview({}), 'validation_failed', /^key: /);
    expectError(await preview({ key: 'shown', subscriber_id: 'x' }), 'subscriber_not_found');
    expectError(
      await preview({ template: { variants: { en: { text: '{{' } } } }),
      'validation_failed',
      /^template\.variants\.en\.text: /,
    );
  });
});
