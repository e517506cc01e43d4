import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { connectBot } from '../../../src/domains/bots/connect';
import { max } from '../../../src/domains/bots/max';
import type { Messenger } from '../../../src/domains/bots/messenger';
import { PlatformError } from '../../../src/domains/bots/platform-error';
import { telegram } from '../../../src/domains/bots/telegram';
import type { BotAddress } from '../../../src/domains/bots/messenger';
import { parseUpdate } from '../../../src/domains/bots/parse-update';
import { eventually, SOON_MS } from '../../support/eventually';
import { simulatedChannels, type SimulatedChannel, testBots } from '../../support/simulator-control';
import { startBotFixture, type BotFixture } from './fixture';

let fixture: BotFixture;
const messengers = new Map<SimulatedChannel, Messenger>();

beforeAll(async () => {
  fixture = await startBotFixture();
  for (const channel of simulatedChannels) messengers.set(channel, await fixture.messenger(channel));
});
afterAll(() => fixture.stop());
afterEach(async () => {
  for (const channel of simulatedChannels) await fixture.control.faults(channel, { clear: true });
});

let people = 0;
const positions = new Map<SimulatedChannel, string | null>();

describe.each(simulatedChannels)('the bot on %s', (channel) => {
  const bot = () => messengers.get(channel)!;

  /** A new person who has opened the bot; answers name and chat. */
  async function person(): Promise<{ name: string; chatId: string }> {
    people += 1;
    const name = `person-${people}`;
    const { user_id } = await fixture.control.open(channel, name);
    const { updates, position } = await bot().poll(
      positions.get(channel) ?? null,
      AbortSignal.timeout(30_000),
    );
    positions.set(channel, position);
    const theirs = updates
      .map((raw) => parseUpdate(channel, raw).parsed)
      .find((update) => update.user?.id === String(user_id));
    return { name, chatId: theirs!.chatId };
  }

  async function newest(name: string) {
    return (await fixture.control.chat(channel, name)).messages.at(-1)!;
  }

  async function failureOf(work: Promise<unknown>): Promise<PlatformError> {
    const error: unknown = await work.then(
      () => new Error('it succeeded'),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(PlatformError);
    return error as PlatformError;
  }

  it('knows its name and makes links that carry the start parameter', async () => {
    expect(bot().channel).toBe(channel);
    const root = channel === 'telegram' ? 'https://t.me/herald_test_bot' : 'https://max.ru/herald_test_bot';
    expect(bot().link('s_Ab-1')).toBe(`${root}?start=s_Ab-1`);
    expect(bot().appLink('s_Ab-1')).toBe(
      channel === 'telegram' ? 'tg://resolve?domain=herald_test_bot&start=s_Ab-1' : null,
    );
    await expect(bot().check()).resolves.toBeUndefined();
  });

  it('sends plain text as it stands, with its buttons', async () => {
    const { name, chatId } = await person();
    const text = 'Hello <b>you</b> & *all* _of_ us 👋 مرحبا';
    const buttons = [
      [
        { text: 'Yes', data: 'y:1' },
        { text: 'No', data: 'n:1' },
      ],
      [{ text: 'Site', url: 'https://example.com/?a=1&b=2' }],
    ];
    const { messageId } = await bot().send(chatId, { text, buttons });
    const message = await newest(name);
    expect(message).toMatchObject({ from: 'bot', text, buttons });
    expect(String(message.message_id)).toBe(messageId);
  });

  it('shows the same Markdown in the same way on every channel', async () => {
    const { name, chatId } = await person();
    const text =
      '**Bold** and *italic*, ~~gone~~ `a_b` [site](https://example.com/?a=1&b=2) 2 * 3 < 7 & user_name_1.';
    await bot().send(chatId, { text, format: 'markdown' });
    const message = await newest(name);
    expect(message.text).toBe('Bold and italic, gone a_b site 2 * 3 < 7 & user_name_1.');
    expect(message.entities!.map(({ type, url }) => url ?? type).sort()).toEqual([
      'bold',
      'code',
      'https://example.com/?a=1&b=2',
      'italic',
      'strikethrough',
    ]);
  });

  it('passes HTML on', async () => {
    const { name, chatId } = await person();
    await bot().send(chatId, { text: '<b>Sale</b> &lt;now&gt;', format: 'html' });
    expect(await newest(name)).toMatchObject({ text: 'Sale <now>', entities: [{ type: 'bold', length: 4 }] });
  });

  it('edits text and takes the buttons away; the same edit again is fine', async () => {
    const { name, chatId } = await person();
    const { messageId } = await bot().send(chatId, {
      text: 'Log in?',
      buttons: [[{ text: 'Yes', data: 'y' }]],
    });
    await bot().edit(chatId, messageId, { text: 'Done' });
    expect(await newest(name)).toMatchObject({ text: 'Done', edited: true, buttons: [] });
    await expect(bot().edit(chatId, messageId, { text: 'Done' })).resolves.toBeUndefined();
    await bot().edit(chatId, messageId, {
      text: 'Back',
      buttons: [[{ text: 'Go', url: 'https://example.com' }]],
    });
    expect((await newest(name)).buttons).toEqual([[{ text: 'Go', url: 'https://example.com' }]]);
  });

  it('answers a tap with a notice; a tap that is too old is ignored', async () => {
    const { name, chatId } = await person();
    await bot().send(chatId, { text: 'Log in?', buttons: [[{ text: 'Yes', data: 'y' }]] });
    const tap = await fixture.control.tap(channel, name, { button: 'Yes' });
    await bot().answerTap(String(tap['callback_id']), { text: 'Thank you' });
    expect((await fixture.control.chat(channel, name)).toasts).toMatchObject([{ text: 'Thank you' }]);
    const stale = await fixture.control.tap(channel, name, { button: 'Yes', stale: true });
    await expect(bot().answerTap(String(stale['callback_id']), { text: 'Late' })).resolves.toBeUndefined();
    await expect(bot().answerTap('unknown')).resolves.toBeUndefined();
  });

  it('sends photos, videos and documents, and a long text after them', async () => {
    const { name, chatId } = await person();
    const server = await serve(Buffer.from('some bytes'));
    try {
      for (const type of ['photo', 'video', 'document'] as const) {
        const buttons = [[{ text: 'More', data: 'm' }]];
        await bot().send(chatId, { text: `A ${type}`, media: { type, url: server.url }, buttons });
        expect(await newest(name)).toMatchObject({ text: `A ${type}`, media: { type }, buttons });
      }
      const text = 'x'.repeat(4000);
      const media = { type: 'photo', url: server.url } as const;
      const { messageId } = await bot().send(chatId, { text, media, buttons: [[{ text: 'Go', data: 'g' }]] });
      const last = await newest(name);
      expect(last).toMatchObject({ text, buttons: [[{ text: 'Go', data: 'g' }]] });
      expect(String(last.message_id)).toBe(messageId);
    } finally {
      await server.stop();
    }
  });

  it('says that a user who blocked the bot is to be unsubscribed', async () => {
    const { name, chatId } = await person();
    await fixture.control.block(channel, name);
    const failure = await failureOf(bot().send(chatId, { text: 'Hello' }));
    expect(failure).toMatchObject({ reason: 'user_blocked_bot', retryable: false, shouldUnsubscribe: true });
    expect(failure.platformText).not.toBe('');
  });

  it('says that there is no such chat', async () => {
    const failure = await failureOf(bot().send('987654321', { text: 'Hello' }));
    expect(failure).toMatchObject({ reason: 'chat_not_found', retryable: false, shouldUnsubscribe: true });
  });

  it('says what cannot be sent at all', async () => {
    const { chatId } = await person();
    const tooLong = await failureOf(bot().send(chatId, { text: 'x'.repeat(5000) }));
    expect(tooLong).toMatchObject({ reason: 'invalid_message', retryable: false, shouldUnsubscribe: false });
    const gone = await failureOf(
      bot().edit(chatId, channel === 'telegram' ? '1' : 'mid.none', { text: 'Hi' }),
    );
    expect(gone.reason).toBe('invalid_message');
  });

  it.each([
    [500, 'platform_unavailable', true],
    [502, 'platform_unavailable', true],
    [401, 'bot_banned', false],
    [418, 'unknown', false],
  ])('takes a %i as %s', async (status, reason, retryable) => {
    const { chatId } = await person();
    await fixture.control.faults(channel, { method: 'sendMessage', status });
    const failure = await failureOf(bot().send(chatId, { text: 'Hello' }));
    expect(failure).toMatchObject({ reason, retryable, status, shouldUnsubscribe: false });
  });

  it('waits out a short limit by itself and reports a long one', async () => {
    const { name, chatId } = await person();
    await fixture.control.faults(channel, { method: 'sendMessage', status: 429, retry_after: 1 });
    await bot().send(chatId, { text: 'After a second' });
    expect((await newest(name)).text).toBe('After a second');
    await fixture.control.faults(channel, { method: 'sendMessage', status: 429, retry_after: 30 });
    const failure = await failureOf(bot().send(chatId, { text: 'Hello' }));
    expect(failure).toMatchObject({ reason: 'rate_limited', retryable: true, retryAfterMs: 30_000 });
  });

  it('takes a cut connection as a platform that is unavailable', async () => {
    const { chatId } = await person();
    await fixture.control.faults(channel, { method: 'sendMessage', drop: true });
    const failure = await failureOf(bot().send(chatId, { text: 'secret words' }));
    expect(failure).toMatchObject({ reason: 'platform_unavailable', retryable: true, status: null });
  });

  it('never lets token or message into an error', async () => {
    const { chatId } = await person();
    // The simulator takes every token but one like this.
    const wrongToken = `${testBots[channel].token}revoked`;
    const platform = channel === 'telegram' ? telegram : max;
    const create = (address: BotAddress) => connectBot(platform, address);
    const nowhere = await serve(Buffer.from('<html>'));
    const failures = [await failureOf(create({ token: wrongToken, apiRoot: fixture.simulator.url }))];
    expect(failures[0]?.reason).toBe('bot_banned');
    // A proxy's page instead of JSON makes node-fetch name the address, token included.
    failures.push(await failureOf(create({ token: wrongToken, apiRoot: nowhere.url })));
    await nowhere.stop();
    failures.push(await failureOf(create({ token: wrongToken, apiRoot: nowhere.url })));
    for (const fault of [{ drop: true }, { status: 400 }, { status: 403 }, { status: 500 }]) {
      await fixture.control.faults(channel, { method: 'sendMessage', ...fault });
      failures.push(await failureOf(bot().send(chatId, { text: 'secret words' })));
    }
    for (const failure of failures) {
      const everything = inspect(failure, { depth: 10, showHidden: true });
      expect(everything).not.toContain(testBots[channel].token);
      expect(everything).not.toContain('secret words');
    }
  });

  it('sets and deletes its webhook', async () => {
    await bot().setWebhook('http://127.0.0.1:1/old', 'test-only-secret-000');
    await bot().setWebhook('http://127.0.0.1:1/bots', 'test-only-secret-000');
    const [call] = (await fixture.control.calls(channel, 'setWebhook')).slice(-1);
    expect(call).toMatchObject({ url: 'http://127.0.0.1:1/bots' });
    expect(call?.[channel === 'telegram' ? 'secret_token' : 'secret']).toBe('test-only-secret-000');
    await bot().deleteWebhook();
    // A poll works again.
    expect((await person()).chatId).not.toBe('');
  });

  it('aborts a long poll that is under way', async () => {
    await person();
    const position = positions.get(channel) ?? null;
    const stop = new AbortController();
    const before = await fixture.control.callCount(channel, 'getUpdates');
    const polling = failureOf(bot().poll(position, stop.signal));
    await eventually(async () => (await fixture.control.callCount(channel, 'getUpdates')) > before);
    const stopped = performance.now();
    stop.abort();
    expect((await polling).reason).toBe('platform_unavailable');
    expect(performance.now() - stopped).toBeLessThan(SOON_MS);
  });
});

describe('the bot on MAX', () => {
  it('reaches a user whose chat it does not know', async () => {
    const { user_id } = await fixture.control.open('max', 'chatless');
    await messengers.get('max')!.send(`user:${String(user_id)}`, { text: 'Found you' });
    expect((await fixture.control.chat('max', 'chatless')).messages.at(-1)?.text).toBe('Found you');
  });

  it('fetches media from public addresses only', async () => {
    const bot = await connectBot(max, { token: testBots.max.token, apiRoot: fixture.simulator.url });
    const { user_id } = await fixture.control.open('max', 'mediafan');
    const media = { type: 'video', url: 'https://127.0.0.1:1/v.mp4' } as const;
    await expect(bot.send(`user:${String(user_id)}`, { text: 'Look', media })).rejects.toMatchObject({
      reason: 'invalid_message',
    });
  });
});

async function serve(content: Buffer): Promise<{ url: string; stop(): Promise<void> }> {
  const server: Server = createServer((_req, res) => res.end(content));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
