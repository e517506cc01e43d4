import type { Installation, TestProject } from '../../support/installation';
import { startReceiver } from '../../support/receiver';
import { useService } from '../../support/use-service';
import { blockBilling, eventsOf, subscribePerson, textsTo } from '../messages/fixture';
import { eventually } from '../../support/eventually';
import { field, forms, someAddress } from './fixture';

let service: Installation;
let project: TestProject;
const { create, submit, post, list, routesOf } = forms(
  () => service,
  () => project,
);

beforeAll(async () => {
  service = await useService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  project = await service.createProject();
});

const fieldsOfAllTypes = [
  field('name', { required: true, min: 2, max: 10 }),
  field('about', { type: 'textarea' }),
  field('email', { type: 'email' }),
  field('phone', { type: 'phone' }),
  field('age', { type: 'number', min: 18, max: 120 }),
  field('day', { type: 'date' }),
  field('size', { type: 'select', options: [{ value: 's' }, { value: 'm' }] }),
  field('extras', {
    type: 'multiselect',
    max: 2,
    options: [{ value: 'a' }, { value: 'b' }, { value: 'c' }],
  }),
  field('terms', { type: 'checkbox', required: true }),
];

describe('a form', () => {
  it('is created, listed, replaced and deleted', async () => {
    const given = {
      name: 'T-shirt',
      title_ru: 'Футболка',
      fields: [field('size', { required: true })],
      routes: [{ action: 'tag', tag: 'buyer', when: { rules: [{ field: 'size', op: 'eq', value: 'M' }] } }],
      allowed_origins: ['https://shop.example', 'https://*.shop.example'],
      min_seconds: 3,
      captcha: { verify_url: 'https://captcha.example/verify', secret: 'hidden' },
      redirect_url: 'https://shop.example/thanks',
    };
    const { status, body } = await project.api('POST', '/v1/forms', given);
    expect(status).toBe(201);
    const { form_id } = body;
    expect(body).toMatchObject({
      ...given,
      captcha: { verify_url: given.captcha.verify_url },
      title_en: null,
      status: 'active',
      submit_url: `${service.url}/f/${form_id}`,
      hosted_url: `${service.url}/forms/${form_id}`,
      telegram_link: expect.stringContaining(`form_${form_id.replaceAll('-', '')}`),
      max_link: expect.stringContaining(`form_${form_id.replaceAll('-', '')}`),
    });
    expect(JSON.stringify(body)).not.toContain('hidden');
    expect((await project.api('GET', '/v1/forms')).body.data).toEqual([body]);

    // The tag is used by the form.
    expect((await project.api('DELETE', '/v1/tags/buyer')).status).toBe(409);
    const secretOf = async () => {
      const { rows } = await service.pool.query<{ captcha_sealed: string | null }>(
        'SELECT captcha_sealed FROM forms WHERE id = $1',
        [form_id],
      );
      return rows[0]?.captcha_sealed;
    };
    const before = await secretOf();
    const { secret: _secret, ...kept } = given.captcha;
    const put = (captcha: object | null) =>
      project.api('PUT', `/v1/forms/${form_id}`, { ...given, routes: [], captcha, name: 'New' });
    expect((await put(kept)).body).toMatchObject({ name: 'New', routes: [] });
    expect(await secretOf()).toBe(before);
    // It never goes to another host.
    const moved = await put({ verify_url: 'https://elsewhere.example/verify' });
    expect([moved.status, moved.body.error]).toEqual([400, 'captcha.secret: is required']);
    expect((await put(null)).body.captcha).toBeNull();
    expect(await secretOf()).toBeNull();

    expect((await project.api('DELETE', `/v1/forms/${form_id}`)).status).toBe(204);
    expect((await project.api('GET', `/v1/forms/${form_id}`)).status).toBe(404);
    expect((await project.api('DELETE', '/v1/tags/buyer')).status).toBe(204);
  });

  it.each<[string, object]>([
    ['fields', { fields: [] }],
    ['fields[1].key', { fields: [field('a'), field('a')] }],
    ['fields[0].key', { fields: [field('_token')] }],
    ['fields[0].key', { fields: [field('__proto__')] }],
    ['fields[0].label_en', { fields: [{ key: 'a', type: 'text' }] }],
    ['fields[0].options', { fields: [field('a', { type: 'select' })] }],
    ['fields[0].options', { fields: [field('a', { options: [{ value: 'x' }] })] }],
    [
      'fields[0].options',
      { fields: [field('a', { type: 'select', options: [{ value: 'x' }, { value: 'x' }] })] },
    ],
    ['fields[0].min', { fields: [field('a', { min: 3, max: 2 })] }],
    ['fields[0].min', { fields: [field('a', { type: 'date', min: 3 })] }],
    [
      'routes[0].when.rules[0].field',
      { routes: [{ action: 'spam', when: { rules: [{ field: 'b', op: 'exists' }] } }] },
    ],
    ['routes[0].content.text', { routes: [{ action: 'message', to: 'submitter', content: {} }] }],
    ['allowed_origins[0]', { allowed_origins: ['https://shop.example/path'] }],
    ['allowed_origins[0]', { allowed_origins: ['http://shop.example'] }],
    ['captcha.secret', { captcha: { verify_url: 'https://captcha.example/' } }],
    ['captcha.verify_url', { captcha: { verify_url: 'https://169.254.169.254/', secret: 'x' } }],
    ['redirect_url', { redirect_url: 'javascript:alert(1)' }],
    ['min_seconds', { min_seconds: 61 }],
  ])('is refused with a wrong %s', async (path, wrong) => {
    const { status, body } = await project.api('POST', '/v1/forms', {
      name: 'F',
      fields: [field('a')],
      ...wrong,
    });
    expect([status, body.error]).toEqual([400, expect.stringContaining(`${path}: `)]);
  });

  it('uses a template with its fields as variables; a project has ten forms, also when twelve come at once', async () => {
    const content = { template: 'thanks' };
    const withRoute = { routes: [{ action: 'message', to: 'submitter', content }] };
    const unknown = await project.api('POST', '/v1/forms', { name: 'F', fields: [field('a')], ...withRoute });
    expect(unknown.status).toBe(404);
    await project.api('POST', '/v1/templates', {
      key: 'thanks',
      variants: { en: { text: 'Size {{size}}' } },
    });
    const missing = await project.api('POST', '/v1/forms', { name: 'F', fields: [field('a')], ...withRoute });
    expect([missing.status, missing.body.code]).toEqual([400, 'template_variable_missing']);
    await create(withRoute);
    expect((await project.api('DELETE', '/v1/templates/thanks')).status).toBe(409);
    const results = await Promise.all(
      Array.from({ length: 12 }, () => project.api('POST', '/v1/forms', { name: 'F', fields: [field('a')] })),
    );
    expect(results.filter(({ status }) => status === 201)).toHaveLength(9);
    expect(results.filter(({ body }) => body.code === 'conflict')).toHaveLength(3);
  });
});

describe('a submission from a site', () => {
  it('has answers of every type, in JSON and as a plain HTML form, and its event', async () => {
    const created = await create({ fields: fieldsOfAllTypes, redirect_url: 'https://shop.example/ok' });
    const answers = {
      name: 'Anna',
      about: 'Line one\nline two',
      email: 'anna@example.com',
      phone: '+1 555 010-0199',
      age: 30.5,
      day: '2026-02-28',
      size: 'm',
      extras: ['a', 'c'],
      terms: true,
    };
    const response = await submit(created, answers);
    const { ok, submission_id } = (await response.json()) as { ok: boolean; submission_id: string };
    expect([response.status, ok]).toEqual([200, true]);
    const plain = new URLSearchParams({
      ...answers,
      age: '30.5',
      extras: 'a',
      terms: 'on',
      _hp: '',
    } as never);
    plain.append('extras', 'c');
    const sent = await post(`/f/${created.form_id}`, plain.toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, 'https://shop.example/ok']);
    const stored = await list(created);
    expect(stored.map((each) => each.answers)).toEqual([answers, answers]);
    expect(stored[1]).toMatchObject({
      submission_id,
      status: 'new',
      subscriber_id: null,
      source: 'web',
      routes: [],
    });
    const [event] = await eventsOf(service, project, 'form.submitted');
    expect(event?.data).toEqual({
      form_id: created.form_id,
      name: 'Form',
      submission_id,
      subscriber_id: null,
      channel: null,
      external_id: null,
      answers,
      source: 'web',
      occurred_at: expect.stringMatching(/\+00:00$/),
    });
  });

  it('is refused with every field that is wrong named', async () => {
    const created = await create({ fields: fieldsOfAllTypes });
    const wrong: [object, string][] = [
      [{}, 'name: is required; terms: is required'],
      [{ name: 'A', terms: true }, 'name: must have at least 2 characters'],
      [
        { name: 'Anna', terms: false, email: 'anna@' },
        'email: must be an email address; terms: must be ticked',
      ],
      [
        { name: 'Anna', terms: true, age: 'old', day: '2026-02-30' },
        'age: must be a number; day: must be a date like 2026-01-31',
      ],
      [
        { name: 'Anna', terms: true, size: 'xl', extras: ['a', 'b', 'c'], phone: 'call' },
        'phone: must be a phone number; size: must be one of the options; extras: can have up to 2 options',
      ],
      [
        { name: 'Anna', terms: true, about: 'x'.repeat(4_001), other: 1 },
        'about: can have up to 4000 characters; other: is not a known field',
      ],
    ];
    for (const [body, error] of wrong) {
      const response = await submit(created, body);
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([400, error]);
    }
    expect(await list(created)).toEqual([]);
  });

  it('comes from the sites that the form allows, which get CORS', async () => {
    const { form_id } = await create({
      allowed_origins: ['https://shop.example', 'https://*.shop.example:8443'],
    });
    const from = (headers: Record<string, string>) => submit({ form_id }, { size: 'M' }, headers);
    for (const origin of ['https://shop.example', 'https://a.b.shop.example:8443']) {
      const response = await from({ origin });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    }
    expect((await from({ referer: 'https://shop.example/page?x=1' })).status).toBe(200);
    for (const origin of [
      'https://shop.example.evil.example',
      'https://evilshop.example',
      'http://shop.example',
      'https://a.shop.example',
      'https://shop.example:8443',
      'null',
    ]) {
      const response = await from({ origin });
      expect([origin, response.status, ((await response.json()) as { code: string }).code]).toEqual([
        origin,
        403,
        'origin_not_allowed',
      ]);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await from({})).status).toBe(403);
    const preflight = await fetch(`${service.url}/f/${form_id}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'Content-Type',
    ]);
    // A page reads what it is refused for, and fetches the token.
    const origin = 'https://shop.example';
    const wrong = await submit({ form_id }, { other: 1 }, { origin });
    expect([wrong.status, wrong.headers.get('access-control-allow-origin')]).toEqual([400, origin]);
    for (const [method, foreign] of [
      ['GET', 200],
      ['OPTIONS', 204],
    ] as const) {
      const own = await fetch(`${service.url}/f/${form_id}`, { method, headers: { origin } });
      expect(own.headers.get('access-control-allow-origin')).toBe(origin);
      const other = await fetch(`${service.url}/f/${form_id}`, {
        method,
        headers: { origin: 'https://evil.example' },
      });
      expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([foreign, null]);
    }
    const closed = await create({ allowed_origins: [] });
    expect((await submit(closed, { size: 'M' }, { origin: 'https://shop.example' })).status).toBe(403);
  });

  it('counts once with the same request id, and is limited by address', async () => {
    const created = await create();
    const address = { 'x-forwarded-for': someAddress() };
    const [one, two] = await Promise.all(
      [1, 2].map(async () =>
        (await submit(created, { size: 'M', _request_id: 'request-1' }, address)).json(),
      ),
    );
    expect(one).toEqual(two);
    // Whatever it carries, and although the form takes no such answers.
    const repeated = await submit(created, { other: 1, _request_id: 'request-1' });
    expect([repeated.status, await repeated.json()]).toEqual([200, one]);
    expect(await list(created)).toHaveLength(1);
    for (const _request_id of ['seven__', 'x'.repeat(129), 12345678]) {
      const response = await submit(created, { size: 'M', _request_id });
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        400,
        expect.stringMatching(/^_request_id: /),
      ]);
    }
    for (let n = 0; n < 3; n += 1) expect((await submit(created, { size: 'L' }, address)).status).toBe(200);
    const refused = await submit(created, { size: 'L' }, address);
    expect(await refused.json()).toMatchObject({ code: 'rate_limit_form', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await submit(created, { size: 'L' })).status).toBe(200);
  });

  it('meets the form as it is after each change', async () => {
    const created = await create();
    const put = (changes: object) =>
      project.api('PUT', `/v1/forms/${created.form_id}`, {
        name: 'Form',
        fields: [field('size')],
        allowed_origins: ['*'],
        ...changes,
      });
    const status = async () => (await submit(created, { size: 'M' })).status;
    expect(await status()).toBe(200);
    await put({ status: 'disabled' });
    expect([await status(), (await fetch(created.hosted_url)).status]).toEqual([404, 404]);
    await put({ allowed_origins: ['https://shop.example'] });
    expect(await status()).toBe(403);
    await put({ fields: [field('colour')] });
    expect(await status()).toBe(400);
    await project.api('DELETE', `/v1/forms/${created.form_id}`);
    expect([await status(), (await fetch(created.submit_url)).status]).toEqual([404, 404]);
  });

  it('is refused without credits, and unknown where the form is disabled', async () => {
    const created = await create({ status: 'disabled' });
    expect((await submit(created, { size: 'M' })).status).toBe(404);
    expect((await fetch(created.hosted_url)).status).toBe(404);
    const open = await create();
    await blockBilling(service, project);
    const refused = await submit(open, { size: 'M' });
    expect([refused.status, await refused.json()]).toEqual([
      402,
      expect.objectContaining({ code: 'billing_blocked' }),
    ]);
  });

  it('is spam where a field for machines is filled or the token is missing, and can be moved out of it, once', async () => {
    const created = await create({ min_seconds: 60, routes: [{ action: 'tag', tag: 'seen' }] });
    const { token, title } = (await (await fetch(created.submit_url)).json()) as {
      token: string;
      title: string;
    };
    expect(title).toBe('Form');
    const ids: string[] = [];
    for (const more of [{ _hp: 'http://spam.example' }, {}, { _token: 'abc' }, { _token: token }]) {
      const response = await submit(created, { size: 'M', ...more });
      const body = (await response.json()) as { ok: boolean; submission_id: string };
      expect([response.status, body.ok]).toEqual([200, true]);
      ids.push(body.submission_id);
    }
    expect(await list(created, '?status=new')).toEqual([]);
    expect(await list(created, '?status=spam')).toHaveLength(4);
    expect(await eventsOf(service, project, 'form.submitted')).toEqual([]);
    const path = `/v1/submissions/${ids[0]}`;
    for (const status of ['new', 'new', 'spam', 'new']) {
      expect((await project.api('PATCH', path, { status })).body).toMatchObject({ status });
    }
    const { created_at } = (await project.api('GET', path)).body;
    expect((await project.api('GET', '/v1/forms/stats')).body.data).toContainEqual({
      form_id: created.form_id,
      new: 1,
      spam: 3,
      last_at: created_at,
    });
    expect(await routesOf(ids[0] ?? '', 1)).toEqual([
      { index: 0, action: 'tag', status: 'skipped', reason: 'no_subscriber' },
    ]);
    // Once: not for routes either that the form got later.
    await project.api('PUT', `/v1/forms/${created.form_id}`, {
      name: 'Form',
      fields: [field('size')],
      routes: ['seen', 'later'].map((tag) => ({ action: 'tag', tag })),
    });
    for (const status of ['spam', 'new']) await project.api('PATCH', path, { status });
    const { rows: routes } = await service.pool.query(
      'SELECT index FROM submission_routes WHERE submission_id = $1',
      [ids[0]],
    );
    expect(routes).toHaveLength(1);
    expect(await eventsOf(service, project, 'form.submitted')).toHaveLength(1);
    expect((await project.api('DELETE', path)).status).toBe(204);
    expect((await project.api('GET', path)).status).toBe(404);
  });

  it('needs a captcha that its service accepts', async () => {
    const asked: string[] = [];
    let answer = '{"success": true}';
    const captcha = await startReceiver((res, request) => {
      asked.push(request.body.toString());
      res.end(answer);
    });
    const created = await create({ captcha: { verify_url: `${captcha.url}/siteverify`, secret: 'se cret' } });
    const address = someAddress();
    const status = async (body: object) =>
      (await submit(created, { size: 'M', ...body }, { 'x-forwarded-for': address })).status;
    expect(await status({ _captcha: 'solved' })).toBe(200);
    expect(asked).toEqual([`secret=se+cret&response=solved&remoteip=${address}`]);
    expect(await status({})).toBe(400);
    expect(asked).toHaveLength(1);
    answer = '{"success": false}';
    const failed = await submit(created, { size: 'M', _captcha: 'x' });
    expect([failed.status, await failed.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'captcha_failed' }),
    ]);
    answer = '{"success": "true"}';
    expect(await status({ _captcha: 'x' })).toBe(400);
    await captcha.close();
    expect(await status({ _captcha: 'x' })).toBe(400);
    expect(await list(created)).toHaveLength(1);
  });
});

describe('routes', () => {
  it('run in order where their rules hold, for the subscriber of a signed link', async () => {
    const person = await subscribePerson(service, project);
    const created = await create({
      fields: [field('size'), field('count', { type: 'number' })],
      routes: [
        { action: 'tag', tag: 'buyer', when: { rules: [{ field: 'size', op: 'contains', value: 'M' }] } },
        { action: 'tag', tag: 'never', when: { rules: [{ field: 'count', op: 'gt', value: '2' }] } },
        { action: 'event', name: 'ordered' },
        {
          action: 'message',
          to: 'submitter',
          content: { text: 'Size {{size}} × {{count}}', personalize: true },
        },
        { action: 'message', to: 'members', content: { text: 'New order' } },
        { action: 'ticket' },
        { action: 'spam', when: { match: 'any', rules: [{ field: 'count', op: 'lt', value: 0 }] } },
      ],
    });
    const { body: link } = await project.api(
      'GET',
      `/v1/forms/${created.form_id}/link?subscriber_id=${person.subscriberId}`,
    );
    const path = link.url.slice(service.url.length) as string;
    const sent = await post(path, 'size=M&count=3', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(sent.status).toBe(303);
    const [stored] = await list(created);
    expect(stored).toMatchObject({ source: 'hosted', subscriber_id: person.subscriberId });
    const routes = await routesOf(stored?.submission_id ?? '', 5);
    expect(routes).toEqual([
      { index: 0, action: 'tag', status: 'done', reason: null },
      { index: 2, action: 'event', status: 'done', reason: null },
      { index: 3, action: 'message', status: 'done', reason: null },
      { index: 4, action: 'message', status: 'skipped', reason: 'no_members' },
      { index: 5, action: 'ticket', status: 'skipped', reason: 'helpdesk_disabled' },
    ]);
    expect(await textsTo(service, person)).toContain('Size M × 3');
    expect((await project.api('GET', `/v1/subscribers/${person.subscriberId}`)).body.tags).toEqual(['buyer']);
    const [tracked] = await eventsOf(service, project, 'event.tracked');
    expect(tracked?.data).toMatchObject({ name: 'ordered', properties: { size: 'M', count: 3 } });
    expect(await eventsOf(service, project, 'delivery.success')).toHaveLength(1);
    const { body: messages } = await project.api('GET', '/v1/messages?source=form');
    expect(messages.data).toEqual([expect.objectContaining({ source_id: created.form_id, status: 'sent' })]);

    // What is held on the person, and what is left after their removal.
    const { body: held } = await project.api('GET', `/v1/subscribers/${person.subscriberId}/data`);
    expect(held.submissions).toEqual([expect.objectContaining({ answers: { size: 'M', count: 3 } })]);
    expect((await project.api('DELETE', `/v1/subscribers/${person.subscriberId}`)).status).toBe(204);
    expect(await list(created)).toEqual([]);
    expect((await fetch(link.url)).status).toBe(404);
  });

  it('create a ticket, also for a person who is no subscriber', async () => {
    await project.api('PATCH', '/v1/helpdesk', { enabled: true });
    const type = await project.api('POST', '/v1/helpdesk/types', {
      name_en: 'Order',
      name_ru: 'Заказ',
      priority: 'high',
    });
    const { type_id } = type.body;
    const form = (routes: object[]) => ({
      name: 'Call me',
      fields: [field('name', { label_en: 'Your name' }), field('phone', { type: 'phone' }), field('about')],
      routes,
    });
    const unknown = await project.api('POST', '/v1/forms', form([{ action: 'ticket', type_id: project.id }]));
    expect([unknown.status, unknown.body.error]).toEqual([
      404,
      expect.stringMatching(/^routes\[0\]\.type_id: /),
    ]);
    const created = await create(
      form([
        { action: 'ticket', type_id },
        { action: 'ticket', priority: 'low' },
      ]),
    );
    const sent = await submit(created, { name: 'Anna', phone: '+1 555 010 0199' });
    const { submission_id } = (await sent.json()) as { submission_id: string };
    expect((await routesOf(submission_id, 2)).map(({ status }) => status)).toEqual(['done', 'done']);
    const events = await eventsOf(service, project, 'ticket.created');
    expect(events.map(({ data }) => data)).toEqual([
      expect.objectContaining({ number: 1, type_id, priority: 'high', source: 'form', subscriber_id: null }),
      expect.objectContaining({ number: 2, type_id: null, priority: 'low', subject: 'Call me' }),
    ]);
    expect(events[0]?.data['text']).toBe('Your name: Anna\nphone: +1 555 010 0199');
    const { body: ticket } = await project.api(
      'GET',
      `/v1/helpdesk/tickets/${String(events[0]?.data['ticket_id'])}`,
    );
    expect(ticket.customer).toEqual({ name: 'Anna', contact: '+1 555 010 0199' });

    // A subscriber's is their own; a request is not lost for a type that was deleted.
    await project.api('DELETE', `/v1/helpdesk/types/${type_id}`);
    const person = await subscribePerson(service, project);
    const { body: link } = await project.api(
      'GET',
      `/v1/forms/${created.form_id}/link?subscriber_id=${person.subscriberId}`,
    );
    await post(link.url.slice(service.url.length), '', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    const own = await eventually(async () =>
      (await eventsOf(service, project, 'ticket.created')).find(({ data }) => data['number'] === 3),
    );
    expect(own?.data).toMatchObject({ subscriber_id: person.subscriberId, type_id: null, text: 'Call me' });
  });

  it('move a submission to the spam folder, without its event and the routes after it', async () => {
    const created = await create({
      routes: [
        { action: 'message', to: 'members', content: { text: 'first' } },
        { action: 'spam', when: { rules: [{ field: 'size', op: 'eq', value: 'buy now' }] } },
        { action: 'tag', tag: 'after' },
      ],
    });
    const { submission_id } = (await (await submit(created, { size: 'buy now' })).json()) as {
      submission_id: string;
    };
    expect((await routesOf(submission_id, 2)).map(({ index, status }) => [index, status])).toEqual([
      [0, 'skipped'],
      [1, 'done'],
    ]);
    expect(await list(created, '?status=spam')).toHaveLength(1);
    await project.api('PATCH', `/v1/submissions/${submission_id}`, { status: 'new' });
    expect((await routesOf(submission_id, 3)).at(-1)).toMatchObject({ index: 2, reason: 'no_subscriber' });
    expect(await eventsOf(service, project, 'form.submitted')).toHaveLength(1);
  });
});

describe('the page of a form', () => {
  it('works without a script: wrong answers stay and are explained, then it says thanks', async () => {
    const created = await create({
      title_en: 'Tell us',
      title_ru: 'Расскажите',
      fields: fieldsOfAllTypes,
    });
    const page = await (await fetch(created.hosted_url, { headers: { 'accept-language': 'ru' } })).text();
    expect(page).toContain('<h1>Расскажите</h1>');
    const path = `/forms/${created.form_id}?lang=en`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const wrong = await post(path, 'name=A&about=%3Cb%3E&extras=b&_hp=&_token=', type);
    const text = await wrong.text();
    expect(wrong.status).toBe(400);
    expect(text).toContain('Enter at least 2 characters.');
    expect(text).toContain('&lt;b&gt;');
    expect(text).toMatch(/value="b"\s+checked/);
    const sent = await post(path, 'name=Anna&terms=true&size=&_hp=&_token=', type);
    expect([sent.status, sent.headers.get('location')]).toEqual([
      303,
      `/forms/${created.form_id}/thanks?lang=en`,
    ]);
    expect(await list(created)).toEqual([
      expect.objectContaining({ answers: { name: 'Anna', terms: true }, source: 'hosted' }),
    ]);
    const thanks = await fetch(`${service.url}${sent.headers.get('location')}`);
    expect([thanks.status, await thanks.text()]).toEqual([200, expect.stringContaining('Thank you')]);
    const other = await create();
    const forged = `/forms/${created.form_id}?s=${'0'.repeat(32)}.zzzzzzzz.${'A'.repeat(43)}`;
    expect((await fetch(`${service.url}${forged}`)).status).toBe(404);
    expect((await fetch(`${service.url}/forms/${other.form_id}/other`)).status).toBe(404);
  });
});

it('submissions can be exported', async () => {
  const plan = await service.createProject({ plan: 'basic' });
  project = plan;
  const created = await create();
  await submit(created, { size: '=1+1' });
  const csv = await fetch(`${service.url}/v1/export/submissions?form_id=${created.form_id}`, {
    headers: { authorization: `Bearer ${project.api_key}` },
  });
  const [header, line] = (await csv.text()).split('\r\n');
  expect(header).toBe(
    'submission_id,form_id,status,answers,subscriber_id,channel,external_id,source,routes,created_at',
  );
  expect(line).toContain('"{""size"":""=1+1""}"');
  await eventually(async () => (await list(created)).length === 1);
});
