import { Telegraf, Telegram, TelegramError } from 'telegraf';
import { startSimulator, type Simulator } from '../../../src/local/simulator';
import { eventually } from '../../support/eventually';
import { startReceiver } from '../../support/receiver';
import { startTestSimulator } from '../../support/simulator';
import { testBots } from '../../support/simulator-control';
import { controlOf } from './fixture';

const { token: TELEGRAM_TOKEN, username } = testBots.telegram;

let simulator: Simulator;
let control: ReturnType<typeof controlOf>;
let telegram: Telegram;

beforeEach(async () => {
  simulator = await startTestSimulator();
  control = controlOf(simulator, 'telegram');
  telegram = new Telegram(TELEGRAM_TOKEN, { apiRoot: simulator.telegramApiRoot });
});
afterEach(() => simulator.stop());

interface TelegramUpdate {
  update_id: number;
  message?: {
    message_id: number;
    text: string;
    chat: { id: number; type: string };
    from: Record<string, unknown>;
  };
  callback_query?: {
    id: string;
    data: string;
    from: { id: number };
    message: { message_id: number; date: number };
  };
  my_chat_member?: { new_chat_member: { status: string } };
}

async function poll(offset = 0, timeout = 5): Promise<TelegramUpdate[]> {
  return (await telegram.callApi('getUpdates', { offset, timeout })) as unknown as TelegramUpdate[];
}

/** Starts a chat and answers its id. */
async function started(name: string): Promise<number> {
  const { body } = await control.user(name).open();
  return Number(body.user_id);
}

async function refusal(call: Promise<unknown>): Promise<{ code: number; description: string }> {
  try {
    await call;
  } catch (error) {
    if (error instanceof TelegramError) return { code: error.code, description: error.description };
    throw error;
  }
  throw new Error('the call was not refused');
}

const yesNo = {
  reply_markup: {
    inline_keyboard: [
      [
        { text: 'Yes', callback_data: 'y' },
        { text: 'No', callback_data: 'n' },
      ],
    ],
  },
};

test('a telegraf bot gets the start parameter, asks, is answered by a tap and edits its question', async () => {
  const bot = new Telegraf(TELEGRAM_TOKEN, { telegram: { apiRoot: simulator.telegramApiRoot } });
  const answered = new Promise<void>((resolve, reject) => {
    bot.start((ctx) => ctx.replyWithHTML(`<b>Log in</b> with ${ctx.payload}?`, yesNo));
    bot.action('y', async (ctx) => {
      await ctx.answerCbQuery('Thank you');
      await ctx.editMessageText('Confirmed');
      resolve();
    });
    bot.catch(reject);
  });
  const launched = bot.launch();
  const anna = control.user('anna');
  await anna.open({ start: 's_abc', first_name: 'Анна', username: 'anna', language_code: 'ru' });
  await eventually(async () => (await anna.chat()).messages.length === 2);

  const asked = await anna.chat();
  expect(asked.messages.map(({ from, text, edited }) => ({ from, text, edited }))).toEqual([
    { from: 'user', text: '/start s_abc', edited: false },
    { from: 'bot', text: 'Log in with s_abc?', edited: false },
  ]);
  expect(asked.messages[1]?.buttons).toEqual([
    [
      { text: 'Yes', data: 'y' },
      { text: 'No', data: 'n' },
    ],
  ]);

  expect((await anna.tap({ button: 'Yes' })).status).toBe(200);
  await answered;
  const after = await anna.chat();
  expect(after.messages).toHaveLength(2);
  expect(after.messages[1]).toMatchObject({ text: 'Confirmed', edited: true, buttons: [] });
  expect(after.toasts).toMatchObject([{ text: 'Thank you', alert: false }]);
  bot.stop();
  await launched;
});

test('a poll waits for the next update, and an update comes again until its offset is acknowledged', async () => {
  const waiting = poll(0, 30);
  await control.user('42').open({ start: 'x', username: 'fortytwo' });
  const [update] = await waiting;
  expect(update?.message).toMatchObject({
    text: '/start x',
    chat: { id: 42, type: 'private' },
    from: { id: 42, is_bot: false, username: 'fortytwo' },
  });
  expect(update?.message?.from).not.toHaveProperty('language_code');
  expect(update?.update_id).toBeLessThan(2 ** 31);

  expect(await poll(0, 0)).toHaveLength(1);
  expect(await poll((update?.update_id ?? 0) + 1, 0)).toEqual([]);
  expect(await poll(0, 0)).toEqual([]);
});

test('a second poll ends the first with 409, and a webhook forbids polling', async () => {
  const first = refusal(poll(0, 30));
  const calls = async () =>
    (await control.get('/calls?method=getUpdates')).body.counts as { getUpdates?: number };
  await eventually(async () => (await calls()).getUpdates === 1);
  const second = poll(0, 30);
  expect((await first).code).toBe(409);
  await control.user('bob').open();
  expect(await second).toHaveLength(1);

  await telegram.setWebhook('http://127.0.0.1:1/never');
  expect(await refusal(poll())).toMatchObject({
    code: 409,
    description: expect.stringContaining('webhook is active'),
  });
  await telegram.deleteWebhook();
  expect(await poll(0, 0)).toHaveLength(1);
});

test('a wrong token is 401, a malformed one 404, an unknown method 404', async () => {
  const call = async (path: string) => {
    const response = await fetch(`${simulator.url}${path}`);
    return [response.status, await response.json()];
  };
  expect(await call('/bot1000001:wrong/getMe')).toEqual([
    401,
    { ok: false, error_code: 401, description: 'Unauthorized' },
  ]);
  expect(await call('/botnonsense/getMe')).toMatchObject([404, { ok: false }]);
  expect(await call(`/bot${TELEGRAM_TOKEN}/getNothing`)).toMatchObject([404, { ok: false }]);
  expect(await call(`/bot${TELEGRAM_TOKEN}/getMe`)).toMatchObject([
    200,
    { ok: true, result: { id: 1000001, is_bot: true, username } },
  ]);
});

test('parameters are taken from JSON, from forms and from multipart alike', async () => {
  await control.user('42').open();
  const url = `${simulator.url}/bot${TELEGRAM_TOKEN}/sendMessage`;
  const reply_markup = JSON.stringify(yesNo.reply_markup);
  const form = new FormData();
  form.set('chat_id', '42');
  form.set('text', 'multipart');
  form.set('reply_markup', reply_markup);
  const bodies = [new URLSearchParams({ chat_id: '42', text: 'form', reply_markup }), form];
  for (const body of bodies) expect((await fetch(url, { method: 'POST', body })).status).toBe(200);
  const { messages } = await control.user('42').chat();
  expect(messages.slice(1)).toMatchObject([
    { text: 'form', buttons: [[{ text: 'Yes' }, { text: 'No' }]] },
    { text: 'multipart', buttons: [[{ text: 'Yes' }, { text: 'No' }]] },
  ]);
});

test('limits are those of Telegram: bytes of callback data, length of text, caption and notice, addresses', async () => {
  const id = await started('anna');
  const withData = (callback_data: string) =>
    telegram.sendMessage(id, 'q', { reply_markup: { inline_keyboard: [[{ text: 'b', callback_data }]] } });
  await withData('я'.repeat(32));
  for (const data of ['я'.repeat(33), '']) {
    expect(await refusal(withData(data))).toEqual({
      code: 400,
      description: 'Bad Request: BUTTON_DATA_INVALID',
    });
  }
  await telegram.sendMessage(id, 'a'.repeat(4096));
  expect((await refusal(telegram.sendMessage(id, 'a'.repeat(4097)))).description).toContain(
    'message is too long',
  );
  expect((await refusal(telegram.sendMessage(id, ' '))).description).toContain('message text is empty');
  await telegram.sendPhoto(id, 'https://example.com/a.jpg', { caption: 'c'.repeat(1024) });
  expect(
    (await refusal(telegram.sendVideo(id, 'https://example.com/a.mp4', { caption: 'c'.repeat(1025) })))
      .description,
  ).toContain('caption is too long');
  const withUrl = (url: string) =>
    telegram.sendMessage(id, 'q', { reply_markup: { inline_keyboard: [[{ text: 'b', url }]] } });
  await withUrl('http://127.0.0.1:3000/callback?code=1');
  expect((await refusal(withUrl('javascript:alert(1)'))).code).toBe(400);

  await withData('y');
  const { body } = await control.user('anna').tap({ button: 'b' });
  expect((await refusal(telegram.answerCbQuery(String(body.callback_id), 'n'.repeat(201)))).code).toBe(400);
});

test.each([
  ['HTML', '<b>a &lt; b</b> <a href="https://x.example/?a=1&amp;b=2">c</a>', 'a < b c'],
  ['MarkdownV2', '*a* _b_ __c__ ~d~ ||e|| `f_g` [h](https://x.example) 1\\.5', 'a b c d e f_g h 1.5'],
  ['Markdown', '*a* _b_ `c` [d](https://x.example) e\\_f', 'a b c d e_f'],
] as const)('%s markup becomes plain text in the chat', async (parse_mode, source, plain) => {
  const id = await started('anna');
  await telegram.sendMessage(id, source, { parse_mode });
  expect((await control.user('anna').chat()).messages.at(-1)?.text).toBe(plain);
});

test.each([
  ['HTML', '<b>open', 'Can\'t find end tag corresponding to start tag "b"'],
  ['HTML', 'a < b', 'Unsupported start tag'],
  ['HTML', '<div>x</div>', 'Unsupported start tag "div" at byte offset 0'],
  ['HTML', 'я<b>x</i></b>', 'Unmatched end tag at byte offset 6'],
  ['MarkdownV2', 'Hello.', "Character '.' is reserved and must be escaped"],
  ['MarkdownV2', '*bold', "Can't find end of Bold entity at byte offset 0"],
  ['Markdown', 'snake_case', "Can't find end of the entity starting at byte offset 5"],
] as const)('%s that Telegram would refuse is refused: %s', async (parse_mode, source, reason) => {
  const id = await started('anna');
  expect(await refusal(telegram.sendMessage(id, source, { parse_mode }))).toEqual({
    code: 400,
    description: expect.stringContaining(`can't parse entities: ${reason}`),
  });
});

test('a stranger is "chat not found" and someone who blocked the bot is 403, until they come back', async () => {
  expect(await refusal(telegram.sendMessage(999, 'hi'))).toEqual({
    code: 400,
    description: 'Bad Request: chat not found',
  });
  const id = await started('anna');
  await control.user('anna').block();
  expect(await refusal(telegram.sendMessage(id, 'hi'))).toEqual({
    code: 403,
    description: 'Forbidden: bot was blocked by the user',
  });
  expect((await control.user('anna').say('hello')).status).toBe(409);
  await control.user('anna').unblock();
  await telegram.sendMessage(id, 'welcome back');
  const updates = await poll(0, 0);
  expect(updates.map((update) => update.my_chat_member?.new_chat_member.status)).toEqual([
    undefined,
    'kicked',
    'member',
  ]);
});

test('an edit that changes nothing, or of a message that is not there, is refused', async () => {
  const id = await started('anna');
  const { message_id } = await telegram.sendMessage(id, 'question', yesNo);
  expect(await refusal(telegram.editMessageText(id, message_id, undefined, 'question', yesNo))).toMatchObject(
    {
      code: 400,
      description: expect.stringContaining('message is not modified'),
    },
  );
  await telegram.editMessageReplyMarkup(id, message_id, undefined, undefined);
  expect((await control.user('anna').chat()).messages.at(-1)).toMatchObject({
    text: 'question',
    buttons: [],
  });
  expect(
    (await refusal(telegram.editMessageReplyMarkup(id, message_id, undefined, undefined))).description,
  ).toContain('message is not modified');
  expect((await refusal(telegram.editMessageText(id, 1, undefined, 'x'))).description).toContain(
    'message to edit not found',
  );
  await telegram.deleteMessage(id, message_id);
  expect((await control.user('anna').chat()).messages.map(({ text }) => text)).toEqual(['/start']);
  expect((await refusal(telegram.deleteMessage(id, message_id))).description).toContain(
    'message to delete not found',
  );
});

test('a callback that is unknown or too old cannot be answered', async () => {
  const id = await started('anna');
  await telegram.sendMessage(id, 'question', yesNo);
  const fresh = await control.user('anna').tap({ button: 0 });
  const stale = await control.user('anna').tap({ button: 1, stale: true });
  await telegram.answerCbQuery(String(fresh.body.callback_id), 'Look', { show_alert: true });
  expect((await control.user('anna').chat()).toasts).toMatchObject([{ text: 'Look', alert: true }]);
  for (const callback of ['12345', String(stale.body.callback_id)]) {
    expect(await refusal(telegram.answerCbQuery(callback))).toEqual({
      code: 400,
      description: 'Bad Request: query is too old and response timeout expired or query ID is invalid',
    });
  }
});

test('a forged tap carries what it was given, and a URL button only answers its address', async () => {
  const id = await started('anna');
  const question = await telegram.sendMessage(id, 'question', yesNo);
  await control.user('mallory').tap({ message_id: question.message_id, data: 'y' });
  await control.user('mallory').tap({ message_id: question.message_id, data: 'y', chat_id: id });
  const taps = (await poll(0, 0)).slice(1).map((update) => update.callback_query);
  expect(taps).toMatchObject([
    { data: 'y', message: { message_id: question.message_id, date: 0, chat: { type: 'private' } } },
    { data: 'y', message: { message_id: question.message_id, text: 'question', chat: { id } } },
  ]);
  expect(taps[0]?.from.id).not.toBe(id);

  await telegram.sendMessage(id, 'done', {
    reply_markup: { inline_keyboard: [[{ text: 'Continue', url: 'https://shop.example/cb?code=1' }]] },
  });
  expect((await control.user('anna').tap({ button: 'Continue' })).body).toMatchObject({
    url: 'https://shop.example/cb?code=1',
  });
  expect(await poll(0, 0)).toHaveLength(3);
  expect((await control.user('anna').tap({ button: 'Nothing' })).status).toBe(404);
});

test('a command in a group comes from the group, and does not let the bot write to the person', async () => {
  await control.user('anna').open({ start: 's_abc', chat: 'group' });
  const [update] = await poll(0, 0);
  expect(update?.message).toMatchObject({ text: '/start s_abc', chat: { type: 'supergroup' } });
  expect((await refusal(telegram.sendMessage(Number(update?.message?.from.id), 'hi'))).code).toBe(400);
});

test('updates go to the webhook with its secret, in order, and again until it answers 200', async () => {
  const statuses = [500, 404, 200];
  const receiver = await startReceiver((res) => void res.writeHead(statuses.shift() ?? 200).end());
  await telegram.setWebhook(receiver.url, { secret_token: 'tell-nobody' });
  await control.user('anna').say('one');
  await control.user('anna').say('two');
  await eventually(() => receiver.received.length === 4);
  const updates = receiver.received.map(({ body }) => JSON.parse(body.toString()) as TelegramUpdate);
  expect(updates.map(({ message }) => message?.text)).toEqual(['one', 'one', 'one', 'two']);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-telegram-bot-api-secret-token']))).toEqual(
    new Set(['tell-nobody']),
  );
  expect(new Set(updates.map(({ update_id }) => update_id)).size).toBe(2);
  await eventually(async () => (await telegram.getWebhookInfo()).pending_update_count === 0);
  await receiver.close();
});

describe('faults', () => {
  test('the next calls of a method fail with the status given, then all is well', async () => {
    const id = await started('anna');
    await control.post('/faults', { method: 'sendMessage', times: 2, status: 429, retry_after: 3 });
    for (let i = 0; i < 2; i += 1) {
      const error = await telegram.sendMessage(id, 'hi').catch((e: unknown) => e as TelegramError);
      expect(error).toMatchObject({ code: 429, parameters: { retry_after: 3 } });
    }
    await telegram.sendMessage(id, 'hi');
    await control.post('/faults', { method: 'sendMessage', status: 502 });
    expect((await refusal(telegram.sendMessage(id, 'hi'))).code).toBe(502);
    expect((await control.post('/faults', { method: 'sendMessage', status: 42 })).status).toBe(400);
  });

  test('a dropped call has no effect, one dropped afterwards has', async () => {
    const id = await started('anna');
    const texts = async () => (await control.user('anna').chat()).messages.slice(1).map(({ text }) => text);
    await control.post('/faults', { method: 'sendMessage', drop: true });
    await expect(telegram.sendMessage(id, 'lost')).rejects.toThrow();
    expect(await texts()).toEqual([]);
    await control.post('/faults', { method: 'sendMessage', drop_after: true });
    await expect(telegram.sendMessage(id, 'kept')).rejects.toThrow();
    expect(await texts()).toEqual(['kept']);
  });

  test('updates can come twice or in reverse', async () => {
    await control.post('/faults', { updates: 'duplicate' });
    await control.user('anna').say('one');
    const twice = await poll(0, 0);
    expect(twice.map(({ message }) => message?.text)).toEqual(['one', 'one']);
    expect(twice[0]?.update_id).toBe(twice[1]?.update_id);

    await control.post('/faults', { updates: 'reorder', times: 2 });
    await control.user('anna').say('two');
    expect(await poll((twice[0]?.update_id ?? 0) + 1, 0)).toEqual([]);
    await control.user('anna').say('three');
    expect((await poll(0, 0)).map(({ message }) => message?.text)).toEqual(['three', 'two']);
  });
});

test('a hundred thousand subscribers are cheap, and every message to them is counted', async () => {
  const { body } = await control.post('/users', { count: 100_000, prefix: 'crowd' });
  const from = Number(body.from);
  const sends = Array.from({ length: 500 }, (_, i) => telegram.sendMessage(from + i, 'hello'));
  await Promise.all(sends);
  await telegram.sendMessage(from, 'again');
  expect((await control.get('/stats')).body).toMatchObject({
    users: 100_000,
    messages_sent: 501,
    recipients: 500,
    by_user_max: 2,
  });
  expect((await control.user('crowd2').open()).body.user_id).toBe(from + 1);
  expect((await control.get('/calls?method=sendMessage')).body.counts).toEqual({ sendMessage: 501 });
});

test('a user sends files and quotes messages', async () => {
  const id = await started('anna');
  const asked = await telegram.sendMessage(id, 'Which file?');
  const anna = control.user('anna');
  const bytes_base64 = Buffer.from('hello').toString('base64');
  await anna.sendFile({ type: 'document', name: 'a.txt', mime: 'text/plain', bytes_base64, caption: 'this' });
  await anna.say('as asked', { reply_to: asked.message_id });
  expect((await anna.say('x', { reply_to: 1 })).status).toBe(404);
  expect((await anna.sendFile({ type: 'hologram' })).status).toBe(400);
  const [, file, reply] = (await poll()).map(({ message }) => message);
  expect(file).toMatchObject({
    caption: 'this',
    document: { file_name: 'a.txt', mime_type: 'text/plain', file_size: 5 },
  });
  expect(reply).toMatchObject({ text: 'as asked', reply_to_message: { text: 'Which file?' } });
  expect((await anna.chat()).messages.slice(1)).toMatchObject([
    { text: 'Which file?', attachments: [] },
    { text: 'this', attachments: [{ type: 'document', name: 'a.txt', mime: 'text/plain', bytes: 5 }] },
    { text: 'as asked', reply_to: asked.message_id },
  ]);
});

test('the Mini App is at the address of the service', async () => {
  const own = await startSimulator({ port: 0, ...testBots, serviceUrl: 'http://127.0.0.1:3000' });
  try {
    const { body } = await controlOf(own, 'telegram').user('anna').miniApp('proj_shop');
    expect(body.url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/mini#tgWebAppData=/);
  } finally {
    await own.stop();
  }
});
