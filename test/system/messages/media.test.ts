import { randomUUID } from 'node:crypto';
import type { Channel } from '../../../src/base/contract/common';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { addCrowd, botMessages, freshName, subscribePerson, textsTo, type Person } from './fixture';
import { startMediaServer, type MediaServer } from './media-server';

jest.setTimeout(120_000);

const MB = 1_000_000;
const methods = ['sendPhoto', 'sendVideo', 'sendDocument', 'sendMessage'] as const;

describe('media of /v1/send', () => {
  let service: Installation;
  let media: MediaServer;
  let project: TestProject;
  const people = new Map<Channel, Person>();
  beforeAll(async () => {
    service = await useService();
    media = await startMediaServer();
    project = await service.createProject();
    for (const channel of ['telegram', 'max'] as const) {
      people.set(channel, await subscribePerson(service, project, channel));
    }
  });
  afterEach(async () => {
    for (const channel of ['telegram', 'max'] as const) {
      await service.control.faults(channel, { clear: true });
    }
    // The same two people get the messages of every test.
    await service.pool.query('TRUNCATE chat_pace');
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
  });
  afterAll(async () => {
    await media.stop();
    await service.stop();
  });

  const to = (channel: Channel) => people.get(channel)!;
  const send = (channel: Channel, type: string, url: string, more: Record<string, unknown> = {}) =>
    project.api('POST', '/v1/send', {
      subscriber_id: to(channel).subscriberId,
      text: 'Look',
      media: { type, url },
      ...more,
    });
  const lastCall = async (channel: Channel, method: string) =>
    (await service.control.calls(channel, method)).at(-1);
  const newest = async (channel: Channel) => (await botMessages(service, to(channel))).at(-1);

  async function callsDuring(
    channel: Channel,
    work: () => Promise<unknown>,
  ): Promise<Record<string, number>> {
    const count = async () =>
      Promise.all(
        methods.map(async (method) => [method, await service.control.callCount(channel, method)] as const),
      );
    const before = Object.fromEntries(await count());
    await work();
    const made = (await count()).map(([method, n]) => [method, n - (before[method] ?? 0)] as const);
    return Object.fromEntries(made.filter(([, n]) => n > 0));
  }

  describe('on Telegram', () => {
    it.each([
      ['photo', 5 * MB, 'sendPhoto'],
      ['video', 20 * MB, 'sendVideo'],
      ['document', 20 * MB, 'sendDocument'],
    ] as const)('goes by its URL as a %s of %i bytes', async (type, bytes, method) => {
      const url = media.file(bytes, { name: freshName('by-url') });
      expect((await send('telegram', type, url)).body.sent).toBe(1);
      expect(await lastCall('telegram', method)).toMatchObject({ [type]: url });
      expect(media.downloads(new URL(url).pathname.split('/').at(-1))).toBe(0);
    });

    it.each([
      ['photo', 8 * MB, 'photo', 'sendPhoto'],
      ['photo', 20 * 1024 * 1024, 'document', 'sendDocument'],
      ['video', 21 * MB, 'video', 'sendVideo'],
      ['document', 50 * 1024 * 1024, 'document', 'sendDocument'],
    ] as const)(
      'as a %s of %i bytes is uploaded once as a %s and sent by its file_id then',
      async (type, bytes, as, method) => {
        const name = freshName('large');
        const url = media.file(bytes, { name });
        for (let n = 0; n < 3; n += 1) expect((await send('telegram', type, url)).body.sent).toBe(1);
        expect(media.downloads(name)).toBe(1);
        const calls = (await service.control.calls('telegram', method)).slice(-3);
        expect(calls[0]).toMatchObject({
          caption: 'Look',
          [as]: { bytes, name: expect.stringContaining(name) },
        });
        expect(calls.slice(1).map((call) => call[as])).toEqual(
          Array(2).fill(expect.stringMatching(/^file-/)),
        );
        expect(await newest('telegram')).toMatchObject({ text: 'Look', media: { type: as } });
      },
    );

    it.each([
      [1 * MB, 'photo'],
      [12 * MB, 'document'],
    ] as const)('as a photo of unstated %i bytes goes as a %s', async (bytes, as) => {
      const url = media.file(bytes, { name: freshName('unstated'), states: 'nothing' });
      expect((await send('telegram', 'photo', url)).body.sent).toBe(1);
      const method = as === 'photo' ? 'sendPhoto' : 'sendDocument';
      expect(await lastCall('telegram', method)).toMatchObject({ [as]: { bytes } });
    });

    it('whose file_id has expired is uploaded again, once', async () => {
      const name = freshName('expired');
      const url = media.file(21 * MB, { name });
      const expired = {
        method: 'sendVideo',
        status: 400,
        description: 'Bad Request: wrong file identifier/HTTP URL specified',
      };
      await send('telegram', 'video', url);
      // A new one cannot have expired: the platform refuses the message for a reason of its own.
      await service.control.faults('telegram', expired);
      expect((await send('telegram', 'video', url)).body.details[0].reason).toBe('invalid_message');
      expect(media.downloads(name)).toBe(1);
      await service.pool.query(`UPDATE media_uploads SET created_at = now() - interval '2 hours'`);
      await service.control.faults('telegram', expired);
      expect((await send('telegram', 'video', url)).body.sent).toBe(1);
      expect((await send('telegram', 'video', url)).body.sent).toBe(1);
      expect(media.downloads(name)).toBe(2);
    });

    it('is uploaded by another recipient’s message if the first has blocked the bot', async () => {
      const external_id = randomUUID();
      for (let n = 0; n < 4; n += 1) {
        const { subscriberId } = await subscribePerson(service, project);
        await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { external_id });
      }
      const name = freshName('shared');
      await service.control.faults('telegram', { method: 'sendDocument', status: 403 });
      const { body } = await project.api('POST', '/v1/send', {
        external_id,
        text: 'Look',
        media: { type: 'document', url: media.file(21 * MB, { name }) },
      });
      expect(body).toMatchObject({ sent: 3, failed: 1 });
      expect(media.downloads(name)).toBe(2);
    });

    it('is not sent again while the text that follows it is refused for the moment', async () => {
      const long = 'я'.repeat(1025);
      const url = media.file(1 * MB, { name: freshName('with-text') });
      const busy = { method: 'sendMessage', status: 429, user: to('telegram').name };
      await service.control.faults('telegram', { ...busy, retry_after: 1 });
      const calls = await callsDuring('telegram', async () => {
        expect((await send('telegram', 'photo', url, { text: long })).body.sent).toBe(1);
      });
      expect(calls).toEqual({ sendPhoto: 1, sendMessage: 2 });
      expect((await textsTo(service, to('telegram'))).slice(-2)).toEqual(['', long]);

      await service.control.faults('telegram', { ...busy, retry_after: 60 });
      const refused = await callsDuring('telegram', async () => {
        const { body } = await send('telegram', 'photo', url, { text: long });
        expect(body.details[0]).toMatchObject({ status: 'failed', reason: 'rate_limited' });
      });
      expect(refused['sendPhoto']).toBe(1);
    });

    it('has a caption of up to 1,024 UTF-16 units', async () => {
      const url = media.file(1 * MB, { name: freshName('caption') });
      const one = await callsDuring('telegram', () =>
        send('telegram', 'photo', url, { text: '😀'.repeat(512) }),
      );
      expect(one).toEqual({ sendPhoto: 1 });
      const two = await callsDuring('telegram', () =>
        send('telegram', 'photo', url, { text: '😀'.repeat(513) }),
      );
      expect(two).toEqual({ sendPhoto: 1, sendMessage: 1 });
    });
  });

  describe('on MAX', () => {
    it.each([
      ['video', 50 * 1024 * 1024],
      ['document', 3 * MB],
    ] as const)('as a %s of %i bytes is uploaded once, and its token is used again', async (type, bytes) => {
      const name = freshName('max');
      const url = media.file(bytes, { name });
      const before = await service.control.callCount('max', 'getUploadUrl');
      for (let n = 0; n < 3; n += 1) expect((await send('max', type, url)).body.sent).toBe(1);
      expect(media.downloads(name)).toBe(1);
      expect((await service.control.callCount('max', 'getUploadUrl')) - before).toBe(1);
      expect(await newest('max')).toMatchObject({ text: 'Look', media: { type } });
    });

    it('whose token is no longer valid is uploaded again, once', async () => {
      const name = freshName('expired');
      const url = media.file(2 * MB, { name });
      await send('max', 'document', url);
      await service.pool.query(`UPDATE media_uploads SET created_at = now() - interval '2 hours'`);
      await service.control.faults('max', {
        method: 'sendMessage',
        status: 400,
        description: 'attachments: url or token is not valid',
        user: to('max').name,
      });
      expect((await send('max', 'document', url)).body.sent).toBe(1);
      expect(media.downloads(name)).toBe(2);
    });
  });

  it.each(['telegram', 'max'] as const)('on %s is uploaded again when it has changed', async (channel) => {
    const name = freshName('changing');
    const url = media.file(21 * MB, { name });
    await send(channel, 'document', url);
    await send(channel, 'document', url);
    expect(media.downloads(name)).toBe(1);
    media.change();
    await send(channel, 'document', url);
    expect(media.downloads(name)).toBe(2);
  });

  it.each(['telegram', 'max'] as const)(
    'on %s without a version is uploaded once for each request',
    async (channel) => {
      const external_id = randomUUID();
      for (let n = 0; n < 5; n += 1) {
        const { subscriberId } = await subscribePerson(service, project, channel);
        await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { external_id });
      }
      const name = freshName('unversioned');
      const url = media.file(21 * MB, { name, states: 'length' });
      for (let n = 1; n <= 2; n += 1) {
        const { body } = await project.api('POST', '/v1/send', {
          external_id,
          text: 'Look',
          media: { type: 'video', url },
        });
        expect(body).toMatchObject({ sent: 5, failed: 0 });
        expect(media.downloads(name)).toBe(n);
      }
    },
  );

  it.each(['telegram', 'max'] as const)(
    'on %s that turns out too large is refused before it is sent',
    async (channel) => {
      const before = (await botMessages(service, to(channel))).length;
      const url = media.file(51 * 1024 * 1024, { name: freshName('too-large'), states: 'nothing' });
      const { status, body } = await send(channel, 'video', url);
      expect(status).toBe(200);
      expect(body.details[0]).toMatchObject({ status: 'failed', reason: 'invalid_message' });
      expect(await botMessages(service, to(channel))).toHaveLength(before);
    },
  );

  it('does not share the uploads of another project', async () => {
    const other = await service.createProject();
    const { subscriberId } = await subscribePerson(service, other);
    const name = freshName('private');
    const url = media.file(21 * MB, { name });
    await send('telegram', 'video', url);
    await other.api('POST', '/v1/send', {
      subscriber_id: subscriberId,
      text: 'Look',
      media: { type: 'video', url },
    });
    expect(media.downloads(name)).toBe(2);
  });

  it('takes memory for a few pieces of fifty large files, not for the files', async () => {
    const recipients: { api: TestProject['api']; id: string; channel: Channel }[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { id, api } = await service.createProject();
      for (const channel of ['telegram', 'max'] as const) await addCrowd(service, { id }, channel, 5);
      const { rows } = await service.pool.query<{ id: string; channel: Channel }>(
        'SELECT id, channel FROM subscribers WHERE project_id = $1',
        [id],
      );
      recipients.push(...rows.map((subscriber) => ({ api, ...subscriber })));
    }
    const bytes = 8 * MB;
    const used = () => process.memoryUsage().arrayBuffers;
    media.takePeak();
    const start = used();
    let most = 0;
    const sampling = setInterval(() => (most = Math.max(most, used() - start)), 5);
    try {
      const results = await Promise.all(
        recipients.map(async ({ api, id, channel }) => {
          const url = media.file(bytes, { name: freshName('flood') });
          // Eight megabytes are too large for a photo by URL on Telegram; on MAX every document is uploaded.
          const type = channel === 'telegram' ? 'photo' : 'document';
          const { body } = await api('POST', '/v1/send', {
            subscriber_id: id,
            text: 'Look',
            media: { type, url },
          });
          return body.sent as number;
        }),
      );
      expect(results).toEqual(Array(50).fill(1));
    } finally {
      clearInterval(sampling);
    }
    expect(media.takePeak()).toBeLessThanOrEqual(8);
    // Fifty whole files would be fifty times the size of one. What is not yet collected counts too.
    expect(most / bytes).toBeLessThan(15);
  });

  describe('texts', () => {
    it.each(['plain', 'markdown', 'html'])(
      'of 4,000 UTF-16 units arrive as %s on both channels',
      async (format) => {
        for (const channel of ['telegram', 'max'] as const) {
          const { body } = await project.api('POST', '/v1/send', {
            subscriber_id: to(channel).subscriberId,
            text: '😀'.repeat(2_000),
            format,
          });
          expect(body.sent).toBe(1);
          expect((await textsTo(service, to(channel))).at(-1)).toBe('😀'.repeat(2_000));
        }
      },
    );

    it('of 4,000 emoji are refused with the reason', async () => {
      for (const path of ['/v1/send', '/v1/broadcast']) {
        const { status, body } = await project.api('POST', path, {
          ...(path === '/v1/send' && { subscriber_id: to('max').subscriberId }),
          text: '😀'.repeat(4_000),
        });
        expect([status, body.code]).toEqual([400, 'validation_failed']);
        expect(body.error).toBe('text: can have up to 4000 characters; most emoji count as two or more');
      }
    });
  });
});
