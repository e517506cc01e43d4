import type { Api } from '@maxhub/max-bot-api';
import { Bot, Keyboard, MaxError } from '@maxhub/max-bot-api';
import type { Simulator } from '../../../src/local/simulator';
import { eventually } from '../../support/eventually';
import { startReceiver } from '../../support/receiver';
import { startTestSimulator } from '../../support/simulator';
import { testBots } from '../../support/simulator-control';
import { controlOf } from './fixture';

const { token: MAX_TOKEN, username } = testBots.max;

let simulator: Simulator;
let control: ReturnType<typeof controlOf>;
let bot: Bot;
let api: Api;

beforeEach(async () => {
  simulator = await startTestSimulator();
  control = controlOf(simulator, 'max');
  bot = new Bot(MAX_TOKEN, { clientOptions: { baseUrl: simulator.maxApiRoot } });
  api = bot.api;
});
afterEach(() => simulator.stop());

interface MaxUpdate {
  update_type: string;
  timestamp: number;
  chat_id?: number;
  payload?: string | null;
  user?: { user_id: number };
  user_locale?: string;
  message?: { body: { mid: string; text: string }; recipient: { chat_id: number } } | null;
  callback?: { callback_id: string; payload: string; user: { user_id: number } };
}

async function poll(marker?: number, timeout = 1): Promise<{ updates: MaxUpdate[]; marker: number }> {
  const query = new URLSearchParams({ timeout: String(timeout), ...(marker && { marker: String(marker) }) });
  const response = await fetch(`${simulator.url}/updates?${query}`, {
    headers: { authorization: MAX_TOKEN },
  });
  return (await response.json()) as { updates: MaxUpdate[]; marker: number };
}

async function started(name: string): Promise<number> {
  const { body } = await control.user(name).open();
  return Number(body.user_id);
}

async function refusal(call: Promise<unknown>): Promise<[number, string]> {
  try {
    await call;
  } catch (error) {
    if (error instanceof MaxError) return [error.status, error.code];
    throw error;
  }
  throw new Error('the call was not refused');
}

const yesNo = Keyboard.inlineKeyboard([
  [Keyboard.button.callback('Да', 'y'), Keyboard.button.callback('Нет', 'n')],
]);

test('a bot of the MAX library gets the start payload, asks, is answered by a tap and edits its question', async () => {
  bot.on('bot_started', (ctx) =>
    ctx.reply(`**Войти** ${ctx.startPayload}?`, { format: 'markdown', attachments: [yesNo] }),
  );
  const answered = new Promise<void>((resolve) => {
    bot.action('y', async (ctx) => {
      await ctx.answerOnCallback({
        message: { text: 'Подтверждено', attachments: [] },
        notification: 'Спасибо',
      } as never);
      resolve();
    });
  });
  const running = bot.start();
  const anna = control.user('anna');
  await anna.open({ start: 's_abc', first_name: 'Анна', language_code: 'ru' });
  await eventually(async () => (await anna.chat()).messages.length === 1);
  expect((await anna.chat()).messages[0]).toMatchObject({
    from: 'bot',
    text: 'Войти s_abc?',
    edited: false,
    buttons: [
      [
        { text: 'Да', data: 'y' },
        { text: 'Нет', data: 'n' },
      ],
    ],
  });
  await anna.tap({ button: 'Да' });
  await answered;
  const after = await anna.chat();
  expect(after.messages).toHaveLength(1);
  expect(after.messages[0]).toMatchObject({ text: 'Подтверждено', edited: true, buttons: [] });
  expect(after.toasts).toMatchObject([{ text: 'Спасибо' }]);
  // Inside jest the library does not recognise its own abort, and says so on the console.
  const noise = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  bot.stopPolling();
  await running;
  noise.mockRestore();
});

test('a poll waits for updates, and they come again until the marker is passed on', async () => {
  const waiting = poll(undefined, 30);
  await control.user('42').open({ start: 'x', language_code: 'ru-RU' });
  const first = await waiting;
  expect(first.updates).toMatchObject([
    { update_type: 'bot_started', payload: 'x', user: { user_id: 42, username: null }, user_locale: 'ru-RU' },
  ]);
  expect(first.updates[0]?.chat_id).not.toBe(42);
  expect((await poll()).updates).toHaveLength(1);
  await control.user('42').say('/start y');
  const second = await poll(first.marker);
  expect(second.updates).toMatchObject([
    { update_type: 'message_created', message: { body: { text: '/start y' } } },
  ]);
  expect((await api.getUpdates(['bot_stopped'], { timeout: 1, marker: second.marker })).updates).toEqual([]);
});

test('a wrong token is 401, in the words of MAX', async () => {
  const response = await fetch(`${simulator.url}/me`, { headers: { authorization: `Bearer ${MAX_TOKEN}` } });
  expect([response.status, await response.json()]).toEqual([
    401,
    { code: 'verify.token', message: 'Invalid access_token' },
  ]);
  expect(await api.getMyInfo()).toMatchObject({ username, is_bot: true });
  await api.setMyCommands([{ name: 'start', description: 'Start' }]);
  expect((await api.getMyInfo()).commands).toEqual([{ name: 'start', description: 'Start' }]);
});

test('limits are those of MAX: text, payloads, links, keyboards', async () => {
  const id = await started('anna');
  const withButtons = (buttons: unknown) =>
    api.sendMessageToUser(id, 'q', {
      attachments: [{ type: 'inline_keyboard', payload: { buttons } }] as never,
    });
  await api.sendMessageToUser(id, 'a'.repeat(4000));
  await withButtons([[{ type: 'callback', text: 'b', payload: 'p'.repeat(1024) }]]);
  const refused = [
    api.sendMessageToUser(id, 'a'.repeat(4001)),
    api.sendMessageToUser(id, ''),
    withButtons([[{ type: 'callback', text: 'b', payload: 'p'.repeat(1025) }]]),
    withButtons([[{ type: 'link', text: 'b', url: 'javascript:alert(1)' }]]),
    withButtons([Array.from({ length: 8 }, () => ({ type: 'callback', text: 'b', payload: 'p' }))]),
    api.sendMessageToUser(id, 'x', { attachments: [{ type: 'image', payload: { token: 'unknown' } }] }),
  ];
  for (const call of refused) expect(await refusal(call)).toEqual([400, 'proto.payload']);
});

test('pictures go by address and files by the token of their upload', async () => {
  const id = await started('anna');
  const picture = await api.uploadImage({ url: 'https://example.com/a.jpg' });
  const file = await api.uploadFile({ source: Buffer.from('hello') });
  await api.sendMessageToUser(id, 'a picture', { attachments: [picture.toJson()] });
  await api.sendMessageToUser(id, 'a file', { attachments: [file.toJson()] });
  expect((await control.user('anna').chat()).messages).toMatchObject([
    { text: 'a picture', media: { type: 'photo', url: 'https://example.com/a.jpg' } },
    { text: 'a file', media: { type: 'document' } },
  ]);
});

test('a stranger is not found, someone who blocked the bot is chat.denied, and both sides hear of it', async () => {
  expect((await refusal(api.sendMessageToUser(999, 'hi')))[0]).toBe(404);
  const id = await started('anna');
  await control.user('anna').block();
  expect(await refusal(api.sendMessageToUser(id, 'hi'))).toEqual([403, 'chat.denied']);
  await control.user('anna').unblock();
  await api.sendMessageToUser(id, 'welcome back');
  const { updates } = await poll();
  expect(updates.map(({ update_type }) => update_type)).toEqual([
    'bot_started',
    'bot_stopped',
    'bot_started',
  ]);
  expect(new Set(updates.map(({ timestamp }) => timestamp)).size).toBe(3);
});

test('an edit keeps the buttons unless it takes them away, and an unknown message is 404', async () => {
  const id = await started('anna');
  const message = await api.sendMessageToUser(id, 'question', { attachments: [yesNo] });
  await api.editMessage(message.body.mid, { text: 'still a question' });
  expect((await control.user('anna').chat()).messages[0]?.buttons).toHaveLength(1);
  await api.editMessage(message.body.mid, { text: 'over', attachments: [] });
  expect((await control.user('anna').chat()).messages[0]).toMatchObject({ text: 'over', buttons: [] });
  expect((await api.getMessage(message.body.mid)).body.text).toBe('over');
  await api.deleteMessage(message.body.mid);
  expect(await refusal(api.editMessage(message.body.mid, { text: 'gone' }))).toEqual([404, 'not.found']);
  expect((await control.user('anna').chat()).messages).toEqual([]);
});

test('a tap may come without its message, and only a known and recent one can be answered', async () => {
  const id = await started('anna');
  const message = await api.sendMessageToUser(id, 'question', { attachments: [yesNo] });
  await control.post('/faults', { updates: 'message_null' });
  const tapped = await control.user('anna').tap({ button: 'Да' });
  await control.user('mallory').tap({ message_id: message.body.mid, data: 'y' });
  const stale = await control.user('anna').tap({ button: 1, stale: true });
  const taps = (await poll()).updates.slice(1);
  expect(taps).toMatchObject([
    { update_type: 'message_callback', callback: { payload: 'y', user: { user_id: id } }, message: null },
    { callback: { payload: 'y' }, message: { body: { mid: message.body.mid, text: null } } },
    { callback: { payload: 'n' }, message: { body: { mid: message.body.mid, text: 'question' } } },
  ]);
  await api.answerOnCallback(String(tapped.body.callback_id), { message: { text: 'done', attachments: [] } });
  for (const callback of ['unknown', String(stale.body.callback_id)]) {
    expect(await refusal(api.answerOnCallback(callback, { message: { text: 'x' } }))).toEqual([
      404,
      'not.found',
    ]);
  }
  expect(await refusal(api.answerOnCallback(String(tapped.body.callback_id), {}))).toEqual([
    400,
    'proto.payload',
  ]);
});

test('updates go to the subscription with its secret, and again until it answers 200', async () => {
  const statuses = [503];
  const receiver = await startReceiver((res) => void res.writeHead(statuses.shift() ?? 200).end());
  await api.subscribe(receiver.url, 'tell-nobody');
  expect(await api.getSubscriptions()).toMatchObject([{ url: receiver.url }]);
  await control.user('anna').say('one');
  await control.user('anna').say('two');
  await eventually(() => receiver.received.length === 3);
  expect(
    receiver.received.map(({ body }) => (JSON.parse(body.toString()) as MaxUpdate).message?.body.text),
  ).toEqual(['one', 'one', 'two']);
  expect(receiver.received[0]?.headers['x-max-bot-api-secret']).toBe('tell-nobody');
  await api.unsubscribe(receiver.url);
  expect(await api.getSubscriptions()).toEqual([]);
  await receiver.close();
  await control.user('anna').say('three');
  expect((await poll()).updates).toMatchObject([{ message: { body: { text: 'three' } } }]);
});

test('faults name a call by the word of both channels or by its path', async () => {
  const id = await started('anna');
  await control.post('/faults', { method: 'sendMessage', status: 429, retry_after: 1 });
  expect(await refusal(api.sendMessageToUser(id, 'hi'))).toEqual([429, 'too.many.requests']);
  await control.post('/faults', { method: 'POST /messages', status: 503 });
  expect((await refusal(api.sendMessageToUser(id, 'hi')))[0]).toBe(503);
  await control.post('/faults', { method: 'POST /messages', drop: true, times: 5 });
  await expect(api.sendMessageToUser(id, 'hi')).rejects.toThrow();
  await control.post('/faults', { clear: true });
  await api.sendMessageToUser(id, 'hi');
  await control.post('/faults', { updates: 'duplicate' });
  await control.user('anna').say('twice');
  expect((await poll()).updates.slice(1).map(({ message }) => message?.body.text)).toEqual([
    'twice',
    'twice',
  ]);
});

test('a user sends files and quotes messages', async () => {
  const id = await started('anna');
  const asked = await api.sendMessageToUser(id, 'Which file?');
  const anna = control.user('anna');
  await anna.sendFile({ type: 'voice', caption: 'this' });
  await anna.say('as asked', { reply_to: asked.body.mid });
  const { updates } = await poll();
  expect(updates.slice(1)).toMatchObject([
    { message: { body: { text: 'this', attachments: [{ type: 'audio' }] } } },
    { message: { body: { text: 'as asked' }, link: { type: 'reply', message: { mid: asked.body.mid } } } },
  ]);
  expect((await anna.chat()).messages[1]?.attachments).toMatchObject([{ type: 'voice', bytes: 0 }]);
});
