import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { formatSubscriberId } from '../../../src/base/contract/ids';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import {
  addCrowd,
  blockBilling,
  botMessages,
  eventsOf,
  subscribePerson,
  textsTo,
  type Person,
} from './fixture';

describe('POST /v1/send', () => {
  let service: Installation;
  let project: TestProject;
  let person: Person;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject();
    person = await subscribePerson(service, project);
  });
  afterEach(async () => {
    await service.control.faults('telegram', { clear: true });
    await service.control.faults('max', { clear: true });
  });
  afterAll(() => service.stop());

  const send = (body: Record<string, unknown>, headers?: Record<string, string>) =>
    project.api('POST', '/v1/send', body, headers);
  const toPerson = (more: Record<string, unknown> = {}) =>
    send({ subscriber_id: person.subscriberId, text: 'hello', ...more });

  it('brings a text to a subscriber, by either form of the id, and emits delivery.success', async () => {
    const first = await toPerson();
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      sent: 1,
      failed: 0,
      skipped: 0,
      details: [
        {
          subscriber_id: person.subscriberId,
          channel: 'telegram',
          status: 'sent',
          delivery_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ],
    });
    const prefixed = await send({
      subscriber_id: formatSubscriberId(person.subscriberId, 'prefixed'),
      text: 'again',
    });
    expect(prefixed.body.sent).toBe(1);
    expect((await textsTo(service, person)).slice(-2)).toEqual(['hello', 'again']);
    const events = await eventsOf(service, project, 'delivery.success', 'delivery.failed');
    expect(events.map((event) => event.name)).toEqual(['delivery.success', 'delivery.success']);
    expect(events[0]?.data).toEqual({
      subscriber_id: person.subscriberId,
      channel: 'telegram',
      external_id: null,
      delivery_id: first.body.details[0].delivery_id,
      delivered_at: expect.stringMatching(/\+00:00$/),
    });
  });

  it('shows the limits of the project on every answer', async () => {
    const answers = [await toPerson(), await send({}), await send({ subscriber_id: 'x', text: 'x' })];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404]);
    const header = (name: string) => answers.map(({ headers }) => Number(headers.get(name)));
    expect(header('x-ratelimit-limit')).toEqual([1_000_000, 1_000_000, 1_000_000]);
    expect(header('x-ratelimit-remaining')).toEqual([999_999, 999_998, 999_997]);
    const now = Date.now() / 1000;
    for (const reset of header('x-ratelimit-reset')) expect(Math.abs(reset - now)).toBeLessThanOrEqual(61);
  });

  it('reaches every channel of an external_id, or only the requested ones', async () => {
    const onMax = await subscribePerson(service, project, 'max');
    for (const { subscriberId } of [person, onMax]) {
      await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { external_id: 'user 7' });
    }
    const both = await send({ external_id: 'user 7', text: 'to both' });
    expect(both.body).toMatchObject({ sent: 2, failed: 0 });
    expect((await textsTo(service, person)).at(-1)).toBe('to both');
    expect((await textsTo(service, onMax)).at(-1)).toBe('to both');
    const one = await send({ external_id: 'user 7', channels: ['max'], text: 'to one' });
    expect(one.body.details).toEqual([expect.objectContaining({ subscriber_id: onMax.subscriberId })]);
    const none = await send({ subscriber_id: person.subscriberId, channels: ['max'], text: 'x' });
    expect([none.status, none.body.code]).toEqual([404, 'subscriber_not_found']);
  });

  it('refuses an external_id that names more than a hundred subscribers', async () => {
    await addCrowd(service, project, 'telegram', 101);
    await service.pool.query(
      `UPDATE subscribers SET external_id = 'all' WHERE project_id = $1 AND first_name = 'Crowd'`,
      [project.id],
    );
    const { status, body } = await send({ external_id: 'all', text: 'x' });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.error).toContain('external_id');
  });

  it('names the field at fault, and sends nothing', async () => {
    const before = (await textsTo(service, person)).length;
    const button = { text: 'Go', data: 'go' };
    const wrong: [Record<string, unknown>, string, string?][] = [
      [{ text: 'x' }, 'validation_failed', 'subscriber_id'],
      [{ subscriber_id: person.subscriberId, external_id: 'u', text: 'x' }, 'mutually_exclusive_identifiers'],
      [{ external_id: ' u', text: 'x' }, 'invalid_external_id'],
      [{ subscriber_id: person.subscriberId }, 'validation_failed', 'text'],
      [{ subscriber_id: person.subscriberId, text: '  ' }, 'validation_failed', 'text'],
      [{ subscriber_id: person.subscriberId, text: 'x'.repeat(4001) }, 'validation_failed', 'text'],
      [{ subscriber_id: person.subscriberId, text: 'x', format: 'rtf' }, 'validation_failed', 'format'],
      [{ subscriber_id: person.subscriberId, text: 'x', channels: ['icq'] }, 'validation_failed', 'channels'],
      [
        { subscriber_id: person.subscriberId, text: 'x', buttons: [[button], [button], [button], [button]] },
        'validation_failed',
        'buttons',
      ],
      [
        { subscriber_id: person.subscriberId, text: 'x', buttons: [[button, button, button, button]] },
        'validation_failed',
        'buttons',
      ],
      [
        {
          subscriber_id: person.subscriberId,
          text: 'x',
          buttons: [[{ ...button, url: 'https://a.example' }]],
        },
        'validation_failed',
        'buttons',
      ],
      [
        { subscriber_id: person.subscriberId, text: 'x', buttons: [[{ text: 'Go' }]] },
        'validation_failed',
        'buttons',
      ],
      [
        { subscriber_id: person.subscriberId, text: 'x', buttons: [[{ text: 'Go', url: 'javascript:1' }]] },
        'invalid_url',
      ],
      [
        { subscriber_id: person.subscriberId, text: 'x', media: { type: 'photo', url: 'cat.jpg' } },
        'invalid_url',
        'media',
      ],
      [
        {
          subscriber_id: person.subscriberId,
          text: 'x',
          media: { type: 'photo', url: 'https://10.0.0.1/cat.jpg' },
        },
        'invalid_url',
        'media',
      ],
      [{ subscriber_id: person.subscriberId, text: 'x', colour: 1 }, 'validation_failed', 'colour'],
    ];
    for (const [body, code, field] of wrong) {
      const answer = await send(body);
      expect([answer.status, answer.body.code, JSON.stringify(body)]).toEqual([
        400,
        code,
        JSON.stringify(body),
      ]);
      if (field) expect(answer.body.error).toContain(field);
    }
    for (const subscriber_id of ['00000000-0000-4000-8000-000000000000', 'nobody']) {
      const answer = await send({ subscriber_id, text: 'x' });
      expect([answer.status, answer.body.code]).toEqual([404, 'subscriber_not_found']);
    }
    expect((await send({ external_id: 'nobody', text: 'x' })).body.code).toBe('subscriber_not_found');
    expect(await textsTo(service, person)).toHaveLength(before);
    expect((await send({ subscriber_id: person.subscriberId, text: 'x'.repeat(4000) })).body.sent).toBe(1);
  });

  it('knows plain, markdown and html', async () => {
    await toPerson({ text: 'plain <b>*x*</b>' });
    await toPerson({ text: '**bold** text.', format: 'markdown' });
    await toPerson({ text: '<b>bold</b> &amp; text', format: 'html' });
    expect((await textsTo(service, person)).slice(-3)).toEqual([
      'plain <b>*x*</b>',
      'bold text.',
      'bold & text',
    ]);
  });

  it('sends only to subscribers with the permission', async () => {
    const refused = await toPerson({ permission: 'news' });
    expect(refused.body).toMatchObject({
      sent: 0,
      failed: 0,
      skipped: 1,
      details: [{ status: 'skipped', reason: 'permission_missing', delivery_id: null }],
    });
    await project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, { permissions: ['news'] });
    expect((await toPerson({ permission: 'news' })).body.sent).toBe(1);
  });

  it('sends nothing to unsubscribed users', async () => {
    await service.control.say('telegram', person.name, '/stop');
    await eventually(async () => (await eventsOf(service, project, 'subscription.deleted')).length === 1);
    // The bot's reply comes after the commit.
    await eventually(async () => (await textsTo(service, person)).length === 2);
    const { status, body } = await toPerson();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      sent: 0,
      failed: 0,
      skipped: 1,
      details: [{ status: 'skipped', reason: 'unsubscribed', delivery_id: null }],
    });
    const { body: log } = await project.api('GET', `/v1/messages?subscriber_id=${person.subscriberId}`);
    expect(log.data.filter(({ status: logged }: { status: string }) => logged !== 'sent')).toEqual([]);
    expect(await eventsOf(service, project, 'delivery.failed')).toEqual([]);
    expect(await textsTo(service, person)).toHaveLength(2);
  });

  it.each([
    ['telegram', { status: 403 }],
    ['max', { status: 403, code: 'chat.denied' }],
  ] as const)('ends the subscription when %s says that the bot is blocked, once', async (channel, fault) => {
    const { subscriberId, name: user } = await subscribePerson(service, project, channel);
    await service.control.faults(channel, { method: 'sendMessage', user, ...fault });
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await send({ subscriber_id: subscriberId, text: 'hello?' });
      expect(status).toBe(200);
      expect(body).toMatchObject({ sent: 0, failed: 1, details: [{ reason: 'user_blocked_bot' }] });
    }
    const events = await eventsOf(service, project, 'delivery.failed', 'subscription.deleted');
    expect(events.map((event) => event.name).sort()).toEqual([
      'delivery.failed',
      'delivery.failed',
      'subscription.deleted',
    ]);
    expect(events.find((event) => event.name === 'delivery.failed')?.data).toEqual({
      subscriber_id: subscriberId,
      channel,
      external_id: null,
      reason: 'user_blocked_bot',
      retryable: false,
      should_unsubscribe: true,
      error: expect.stringMatching(/.+/),
      attempted_at: expect.stringMatching(/\+00:00$/),
    });
    const view = await project.api('GET', `/v1/subscribers/${subscriberId}`);
    expect(view.body).toMatchObject({ active: false, blocked: true });
  });

  it.each([
    [{ status: 400, description: 'Bad Request: chat not found' }, 'chat_not_found', false, true],
    [{ status: 400, description: "Bad Request: can't parse entities" }, 'invalid_message', false, false],
    [{ status: 401 }, 'bot_banned', false, false],
    [{ status: 429, retry_after: 30 }, 'rate_limited', true, false],
    [{ status: 502 }, 'platform_unavailable', true, false],
    [{ drop: true }, 'platform_unavailable', true, false],
    [{ delay_ms: 12_000 }, 'platform_unavailable', true, false],
    [{ status: 418 }, 'unknown', false, false],
  ] as const)('reports %j as %s', async (fault, reason, retryable, should_unsubscribe) => {
    await service.control.faults('telegram', { method: 'sendMessage', user: person.name, ...fault });
    const { status, body } = await toPerson();
    expect(status).toBe(200);
    expect(body).toMatchObject({ sent: 0, failed: 1, details: [{ status: 'failed', reason }] });
    const events = await eventsOf(
      service,
      project,
      'delivery.failed',
      'delivery.success',
      'subscription.deleted',
    );
    expect(events).toEqual([
      { name: 'delivery.failed', data: expect.objectContaining({ reason, retryable, should_unsubscribe }) },
    ]);
  });

  it('waits for a short 429 and sends the message once', async () => {
    const before = (await textsTo(service, person)).length;
    await service.control.faults('telegram', {
      method: 'sendMessage',
      status: 429,
      retry_after: 1,
      user: person.name,
    });
    expect((await toPerson()).body).toMatchObject({ sent: 1, failed: 0 });
    expect((await textsTo(service, person)).length).toBe(before + 1);
  });

  it('returns 402 when credits and grace are used up', async () => {
    await blockBilling(service, project);
    const { status, body } = await toPerson();
    expect([status, body.code, body.retryable]).toEqual([402, 'billing_blocked', false]);
  });

  describe('buttons', () => {
    const data = 'order:42 '.padEnd(256, 'я');

    it.each(['telegram', 'max'] as const)(
      'of a message tell the project who tapped what, on %s',
      async (channel) => {
        const tapper = await subscribePerson(service, project, channel);
        const { body } = await send({
          subscriber_id: tapper.subscriberId,
          text: 'Well?',
          buttons: [[{ text: 'Site', url: 'https://example.com/' }], [{ text: 'Accept', data }]],
        });
        expect(body.sent).toBe(1);
        const [message] = (await botMessages(service, tapper)).slice(-1);
        expect(message?.buttons[0]?.[0]).toMatchObject({ text: 'Site', url: 'https://example.com/' });
        expect(Buffer.byteLength(message?.buttons[1]?.[0]?.data ?? '')).toBeLessThanOrEqual(64);

        await service.control.tap(channel, tapper.name, { button: 'Accept' });
        const [event] = await eventually(async () => {
          const events = await eventsOf(service, project, 'button.clicked');
          return events.length > 0 ? events : null;
        });
        expect(event?.data).toEqual({
          subscriber_id: tapper.subscriberId,
          channel,
          external_id: null,
          delivery_id: body.details[0].delivery_id,
          data,
          clicked_at: expect.stringMatching(/\+00:00$/),
        });
      },
    );

    it('cannot be tapped by another user, nor at a place without a button; one update is one event', async () => {
      const stranger = await subscribePerson(service, project);
      await toPerson({ text: 'Well?', buttons: [[{ text: 'Accept', data: 'yes' }]] });
      const [message] = (await botMessages(service, person)).slice(-1);
      const reference = message?.buttons[0]?.[0]?.data ?? '';
      const forge = (who: Person, forged: string) =>
        service.control.tap('telegram', who.name, { message_id: message?.message_id, data: forged });
      await forge(stranger, reference);
      await forge(person, reference.replace(/.$/, '5'));
      await forge(person, `b:${'0'.repeat(32)}:0`);
      await forge(person, 'b:nonsense');
      await service.control.faults('telegram', { updates: 'duplicate' });
      await forge(person, reference);
      const settled = await eventually(async () => {
        const { rows } = await service.pool.query<{ open: number }>(
          'SELECT count(*) AS open FROM bot_updates WHERE handled_at IS NULL',
        );
        const events = await eventsOf(service, project, 'button.clicked');
        return rows[0]?.open === 0 && events.length > 0 ? events : null;
      });
      expect(settled.map((event) => event.data['subscriber_id'])).toEqual([person.subscriberId]);
    });
  });

  describe('media', () => {
    let files: Server;
    let base: string;
    const sizes: Record<string, number> = {
      '/small': 1024,
      '/21mb': 21 * 1024 * 1024,
      '/51mb': 51 * 1024 * 1024,
    };
    beforeAll(async () => {
      files = createServer((req, res) => {
        res.setHeader('content-length', sizes[req.url ?? ''] ?? 0);
        res.end(req.method === 'HEAD' ? undefined : Buffer.alloc(sizes[req.url ?? ''] ?? 0));
      });
      await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
      base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    });
    afterAll(() => new Promise((resolve) => files.close(resolve)));

    it('goes along with the text', async () => {
      const before = await service.control.callCount('telegram', 'sendPhoto');
      const { body } = await toPerson({ text: 'A cat', media: { type: 'photo', url: `${base}/small` } });
      expect(body.sent).toBe(1);
      expect((await textsTo(service, person)).at(-1)).toBe('A cat');
      expect(await service.control.callCount('telegram', 'sendPhoto')).toBe(before + 1);
    });

    it('may have 20 MB as a photo and 50 MB as a video or document', async () => {
      const size = async (type: string, path: string) =>
        (await toPerson({ media: { type, url: base + path } })).body;
      for (const [type, path] of [
        ['photo', '/21mb'],
        ['video', '/51mb'],
        ['document', '/51mb'],
      ] as const) {
        const body = await size(type, path);
        expect(body).toMatchObject({ code: 'validation_failed', error: expect.stringContaining('media') });
      }
      expect(await size('video', '/21mb')).toMatchObject({ sent: 1 });
      expect(await size('document', '/21mb')).toMatchObject({ sent: 1 });
    });
  });
});
