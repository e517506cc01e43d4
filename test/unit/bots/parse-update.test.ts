import { parseMaxUpdate } from '../../../src/domains/bots/max/update';
import { parseUpdate } from '../../../src/domains/bots/parse-update';
import { parseTelegramUpdate } from '../../../src/domains/bots/telegram/update';

const anna = { id: 42, is_bot: false, first_name: 'Anna', username: 'anna', language_code: 'ru-RU' };
const privateChat = { id: 42, type: 'private', first_name: 'Anna' };

function telegramMessage(message: object, updateId = 7): object {
  return {
    update_id: updateId,
    message: { message_id: 5, from: anna, chat: privateChat, date: 1_700_000_000, ...message },
  };
}

const typedIn = {
  telegram: (text: string) => parseTelegramUpdate(telegramMessage({ text }))?.parsed.incoming,
  max: (text: string) => parseMaxUpdate(maxMessage(text))?.parsed.incoming,
};

const boris = { user_id: 9, name: 'Борис', first_name: 'Борис', username: null, is_bot: false };
const dialog = { chat_id: 300, chat_type: 'dialog', user_id: 1 };

function maxMessage(text: string | null, recipient: object = dialog): object {
  return {
    update_type: 'message_created',
    timestamp: 1_700_000_000_123,
    user_locale: 'ru',
    message: { sender: boris, recipient, timestamp: 1, body: { mid: 'mid.1', seq: 1, text } },
  };
}

function maxTap(message: object | null): object {
  return {
    update_type: 'message_callback',
    timestamp: 1_700_000_000_456,
    callback: { timestamp: 1, callback_id: 'cb-1', payload: 'y:abc', user: boris },
    message,
  };
}

describe('an update of Telegram', () => {
  it('becomes an opened link with its start parameter', () => {
    const received = parseTelegramUpdate(telegramMessage({ text: '/start s_AbC-1_2' }));
    expect(received).toMatchObject({ dedupeKey: '7', chatQueue: 'user:42', sequence: 7 });
    expect(received?.parsed).toEqual({
      channel: 'telegram',
      chatId: '42',
      private: true,
      user: { id: '42', firstName: 'Anna', username: 'anna', lang: 'ru' },
      incoming: { kind: 'open', start: 's_AbC-1_2' },
      at: new Date(1_700_000_000_000),
    });
  });

  it('distinguishes a group from a private chat', () => {
    const chat = { id: -100_123, type: 'supergroup', title: 'Team' };
    const parsed = parseTelegramUpdate(telegramMessage({ text: '/start@AcmeBot auth_acme', chat }))?.parsed;
    expect(parsed).toMatchObject({ chatId: '-100123', private: false, user: { id: '42' } });
    expect(parsed?.incoming).toEqual({ kind: 'open', start: 'auth_acme' });
  });

  it('becomes a tap, also where its message is gone or out of reach', () => {
    const tap = { id: '991', from: anna, chat_instance: '1', data: 'y:abc' };
    const withMessage = { ...tap, message: { message_id: 5, chat: privateChat, date: 1, text: '?' } };
    const outOfReach = { ...tap, message: { message_id: 6, chat: privateChat, date: 0 } };
    const parsed = [withMessage, outOfReach, tap].map(
      (callback_query) => parseTelegramUpdate({ update_id: 8, callback_query })?.parsed,
    );
    expect(parsed.map((each) => each?.incoming)).toEqual(
      ['5', '6', null].map((messageId) => ({ kind: 'tap', data: 'y:abc', callbackId: '991', messageId })),
    );
    for (const each of parsed) expect(each).toMatchObject({ chatId: '42', private: true });
  });

  it('reports blocking and unblocking in a private chat only', () => {
    const change = (before: string, after: string, chat: object = privateChat) =>
      parseTelegramUpdate({
        update_id: 9,
        my_chat_member: {
          chat,
          from: anna,
          date: 1,
          old_chat_member: { status: before },
          new_chat_member: { status: after },
        },
      })?.parsed.incoming.kind;
    expect(change('member', 'kicked')).toBe('blocked');
    expect(change('kicked', 'member')).toBe('unblocked');
    expect(change('left', 'member')).toBe('other');
    expect(change('member', 'kicked', { id: -5, type: 'group' })).toBe('other');
  });

  it('keeps names as they are: emoji, right-to-left, markup, no username', () => {
    for (const first_name of ['👩‍🚀 Ann', 'مريم', '<b>Bob</b>', 'Łukasz', '', '  spaced ']) {
      const from = { id: 1, is_bot: false, first_name };
      const parsed = parseTelegramUpdate(telegramMessage({ from, text: 'hi' }))?.parsed;
      expect(parsed?.user).toEqual({ id: '1', firstName: first_name, username: null, lang: 'en' });
    }
  });

  it('of an unknown kind is kept by its id and triggers nothing', () => {
    const strange = [
      { update_id: 11, poll: { id: '1' } },
      { update_id: 11, message: { chat: 'nonsense' } },
      telegramMessage({ pinned_message: { message_id: 1 } }, 11),
    ];
    for (const raw of strange) {
      const received = parseTelegramUpdate(raw);
      expect(received?.dedupeKey).toBe('11');
      expect(received?.parsed.incoming).toEqual({ kind: 'other' });
    }
  });
});

describe('an update of MAX', () => {
  it('becomes an opened link when the bot is started', () => {
    const raw = {
      update_type: 'bot_started',
      timestamp: 1_700_000_000_000,
      chat_id: 300,
      user: boris,
      payload: 'auth_acme',
      user_locale: 'ru-RU',
    };
    const received = parseMaxUpdate(raw);
    expect(received?.parsed).toEqual({
      channel: 'max',
      chatId: '300',
      private: true,
      user: { id: '9', firstName: 'Борис', username: null, lang: 'ru' },
      incoming: { kind: 'open', start: 'auth_acme' },
      at: new Date(1_700_000_000_000),
    });
    expect(parseMaxUpdate({ ...raw, payload: null })?.parsed.incoming).toEqual({ kind: 'open', start: null });
    expect(parseMaxUpdate({ ...raw, update_type: 'bot_stopped' })?.parsed).toMatchObject({
      chatId: '300',
      incoming: { kind: 'blocked' },
    });
  });

  it('becomes a tap, also where MAX leaves the message out, in the lane of the same user', () => {
    const message = {
      sender: { ...boris, user_id: 1 },
      recipient: dialog,
      body: { mid: 'mid.5', text: '?' },
    };
    const whole = parseMaxUpdate(maxTap(message));
    const bare = parseMaxUpdate(maxTap(null));
    const tap = { kind: 'tap', data: 'y:abc', callbackId: 'cb-1' };
    expect(whole?.parsed).toMatchObject({ chatId: '300', incoming: { ...tap, messageId: 'mid.5' } });
    expect(bare?.parsed).toMatchObject({
      chatId: 'user:9',
      private: true,
      incoming: { ...tap, messageId: null },
    });
    expect(whole?.parsed.user?.id).toBe('9');
    expect(whole?.chatQueue).toBe(bare?.chatQueue);
    expect(parseMaxUpdate(maxMessage('hi'))?.chatQueue).toBe(whole?.chatQueue);
  });

  it('distinguishes a group from a dialog', () => {
    const parsed = parseMaxUpdate(maxMessage('/start s_x', { chat_id: -7, chat_type: 'chat' }))?.parsed;
    expect(parsed).toMatchObject({ chatId: '-7', private: false, incoming: { kind: 'open', start: 's_x' } });
  });

  it('is known again although MAX numbers nothing', () => {
    const key = (raw: object) => parseMaxUpdate(raw)?.dedupeKey;
    const started = (timestamp: number) => ({
      update_type: 'bot_started',
      timestamp,
      chat_id: 300,
      user: boris,
    });
    expect(key(maxTap(null))).toBe(key({ ...maxTap(null), timestamp: 5 }));
    expect(key(maxMessage('hi'))).toBe(key(maxMessage('hi')));
    expect(key(started(1))).toBe(key(started(1)));
    const all = [maxTap(null), maxMessage('hi'), started(1), started(2)].map(key);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe.each(['telegram', 'max'] as const)('what is typed on %s', (channel) => {
  const typed = typedIn[channel];

  it('opens a link that lost its payload by /start <token>', () => {
    expect(typed('/start s_token')).toEqual({ kind: 'open', start: 's_token' });
    expect(typed(' /Start   s_token \n')).toEqual({ kind: 'open', start: 's_token' });
    expect(typed('/start@SomeBot s_token')).toEqual({ kind: 'open', start: 's_token' });
    expect(typed('/start')).toEqual({ kind: 'open', start: null });
    expect(typed('/start a b')).toEqual({ kind: 'open', start: 'a b' });
  });

  it('is a command where it is one, and a message otherwise', () => {
    expect(typed('/stop')).toEqual({ kind: 'stop' });
    expect(typed('/cancel')).toEqual({ kind: 'command', command: 'cancel' });
    expect(typed('/Tickets@SomeBot')).toEqual({ kind: 'command', command: 'tickets' });
    for (const text of ['/starts_token', '/help', 'start', 'please /stop', '👋']) {
      expect(typed(text)).toMatchObject({ kind: 'message', text, files: [], quotes: null, edited: false });
    }
  });
});

describe('what is sent on telegram', () => {
  const sent = (message: object) => parseTelegramUpdate(telegramMessage(message))?.parsed.incoming;
  const file = { file_id: 'f', file_name: 'a.pdf', mime_type: 'application/pdf', file_size: 7 };
  const asFile = { reference: 'f', name: 'a.pdf', mime: 'application/pdf', bytes: 7 };

  it.each([
    ['a photo in its largest size', { photo: [{ file_id: 'small' }, file] }, 'photo'],
    ['a video', { video: file }, 'video'],
    ['a round video', { video_note: file }, 'video'],
    ['a voice message', { voice: file }, 'voice'],
    ['music', { audio: file }, 'document'],
    ['a file', { document: file }, 'document'],
  ])('is %s, with its caption, which is no command', (_, content, type) => {
    expect(sent({ ...content, caption: '/start s_x' })).toMatchObject({
      kind: 'message',
      text: '/start s_x',
      files: [{ ...asFile, type }],
    });
  });

  it('is a message without text or files where the bot cannot pass it on', () => {
    for (const content of [{ sticker: {} }, { location: {} }, { contact: {} }, { poll: {} }]) {
      expect(sent(content)).toMatchObject({ kind: 'message', text: '', files: [] });
    }
  });

  it('names what it quotes, and is no command once it was edited', () => {
    expect(sent({ text: 'yes', reply_to_message: { message_id: 5 } })).toMatchObject({ quotes: '5' });
    const { message, update_id } = telegramMessage({ text: '/stop' }) as {
      message: object;
      update_id: number;
    };
    expect(parseTelegramUpdate({ update_id, edited_message: message })?.parsed.incoming).toMatchObject({
      kind: 'message',
      text: '/stop',
      edited: true,
    });
  });
});

describe('what is sent on max', () => {
  const sent = (body: object, more: object = {}) => {
    const raw = maxMessage('') as { message: object };
    const message = { ...raw.message, body: { mid: 'mid.7', text: '', ...body }, ...more };
    return parseMaxUpdate({ ...raw, message })?.parsed.incoming;
  };
  const attachment = (type: string, more: object = {}) => ({
    attachments: [{ type, payload: { url: 'https://max.example/f', token: 't' }, ...more }],
  });

  it.each([
    ['image', 'photo'],
    ['video', 'video'],
    ['audio', 'voice'],
    ['file', 'document'],
  ])('of type %s is a %s', (type, expected) => {
    const file = { filename: 'a.pdf', size: 7 };
    expect(sent({ text: 'look', ...attachment(type, file) })).toMatchObject({
      text: 'look',
      files: [{ type: expected, reference: 'https://max.example/f', name: 'a.pdf', bytes: 7 }],
    });
  });

  it('is a message without text or files where the bot cannot pass it on', () => {
    expect(sent(attachment('sticker'))).toMatchObject({ kind: 'message', text: '', files: [] });
  });

  it('names what it quotes, and takes the text and files of what it forwards', () => {
    const message = { mid: 'mid.1', text: 'before', ...attachment('image') };
    expect(sent({ text: 'yes' }, { link: { type: 'reply', message } })).toMatchObject({
      text: 'yes',
      quotes: 'mid.1',
      files: [],
    });
    expect(sent({}, { link: { type: 'forward', message } })).toMatchObject({
      text: 'before',
      quotes: null,
      files: [{ type: 'photo' }],
    });
  });

  it('is known again when it was edited, each time by itself', () => {
    const edited = (timestamp: number) =>
      parseMaxUpdate({ ...(maxMessage('x') as object), update_type: 'message_edited', timestamp });
    expect(edited(1)?.parsed.incoming).toMatchObject({ kind: 'message', edited: true });
    expect(edited(1)?.dedupeKey).not.toBe(edited(2)?.dedupeKey);
  });
});

describe('the language of a user', () => {
  it.each([
    ['ru', 'ru'],
    ['ru-RU', 'ru'],
    ['RU_ru', 'ru'],
    ['pt-BR', 'en'],
    ['run', 'en'],
    ['en', 'en'],
    [undefined, 'en'],
    [null, 'en'],
  ])('%s is answered in %s', (locale, lang) => {
    const from = { ...anna, language_code: locale };
    expect(parseTelegramUpdate(telegramMessage({ from, text: 'x' }))?.parsed.user?.lang).toBe(lang);
    expect(parseMaxUpdate({ ...maxMessage('x'), user_locale: locale })?.parsed.user?.lang).toBe(lang);
  });
});

describe('what is no update at all', () => {
  it.each([null, 'text', 5, [], {}, { update_id: 'x' }, { update_type: 5 }])(
    '%j is kept, known again and harmless',
    (raw) => {
      for (const channel of ['telegram', 'max'] as const) {
        const received = parseUpdate(channel, raw);
        expect(received.parsed.incoming).toEqual({ kind: 'other' });
        expect(parseUpdate(channel, raw).dedupeKey).toBe(received.dedupeKey);
      }
    },
  );
});
