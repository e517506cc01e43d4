import { Telegram } from 'telegraf';
import { withAbortAfter } from '../../lib/timeout';
import { callsOf } from '../calls-of';
import type { Button, Messenger, MessengerOptions, OutgoingMessage } from '../messenger';
import { PlatformError } from '../platform-error';
import { retryIfThrottled } from '../retry-if-throttled';
import { toTelegramPlatformError } from './error';
import { markdownToTelegramHtml } from './markdown';

const CALL_LIMIT_MS = 10_000;
/** Telegram downloads the file before it responds. */
const MEDIA_LIMIT_MS = 30_000;
const POLL_SECONDS = 25;
const POLL_LIMIT_MS = (POLL_SECONDS + 10) * 1000;
const NOTICE_LENGTH = 200;

const allowedUpdates = ['message', 'callback_query', 'my_chat_member'] as const;

const mediaMethods = { photo: 'sendPhoto', video: 'sendVideo', document: 'sendDocument' } as const;

type Payload = Record<string, unknown>;
type Call = <R>(method: string, payload?: Payload, limit?: AbortSignal) => Promise<R>;

export async function createTelegramMessenger({
  token,
  apiRoot,
  link,
}: MessengerOptions): Promise<Messenger> {
  const call = createCall(new Telegram(token, { apiRoot, webhookReply: false }));
  const { username: botName } = await call<{ username: string }>('getMe');

  async function send(chatId: string, message: OutgoingMessage): Promise<{ messageId: string }> {
    const chat = { chat_id: chatId };
    const text = textOf(message);
    const keyboard = keyboardOf(message.buttons);
    const { media } = message;
    if (!media) {
      return sent(await call('sendMessage', { ...chat, ...text, ...keyboard }));
    }
    const sendMedia = (extra: Payload) =>
      call<SentMessage>(
        mediaMethods[media.type],
        { ...chat, [media.type]: media.url, ...extra },
        AbortSignal.timeout(MEDIA_LIMIT_MS),
      );
    if (callsOf('telegram', message) === 1) {
      const { text: caption, ...format } = text;
      return sent(await sendMedia({ ...(caption !== '' && { caption, ...format }), ...keyboard }));
    }
    // Too long for a caption: send the text, with the buttons, as a second message.
    await sendMedia({});
    return sent(await retryIfThrottled(() => call('sendMessage', { ...chat, ...text, ...keyboard })));
  }

  async function edit(chatId: string, messageId: string, message: OutgoingMessage): Promise<void> {
    const { text, ...format } = textOf(message);
    const target = { chat_id: chatId, message_id: Number(messageId), ...keyboardOf(message.buttons) };
    try {
      await call('editMessageText', { ...target, text, ...format }).catch((error: unknown) => {
        if (!refusedWith(error, /there is no text in the message/i)) throw error;
        return call('editMessageCaption', { ...target, caption: text, ...format });
      });
    } catch (error) {
      if (!refusedWith(error, /message is not modified/i)) throw error;
    }
  }

  return {
    channel: 'telegram',
    botName,
    link: link ?? ((start) => `https://t.me/${botName}?start=${encodeURIComponent(start)}`),
    appLink: (start) => (link ? null : `tg://resolve?domain=${botName}&start=${encodeURIComponent(start)}`),
    send: (chatId, message, { failFast = false } = {}) =>
      failFast ? send(chatId, message) : retryIfThrottled(() => send(chatId, message)),
    edit: (chatId, messageId, message) => retryIfThrottled(() => edit(chatId, messageId, message)),

    async answerTap(callbackId, notice) {
      const shown = notice && {
        text: notice.text.slice(0, NOTICE_LENGTH),
        show_alert: notice.alert ?? false,
      };
      try {
        await retryIfThrottled(() =>
          call('answerCallbackQuery', { callback_query_id: callbackId, ...shown }),
        );
      } catch (error) {
        if (!refusedWith(error, /query is too old|query id is invalid/i)) throw error;
      }
    },

    async check() {
      await call('getMe');
    },

    async setWebhook(url, secret) {
      await call('setWebhook', { url, secret_token: secret, allowed_updates: allowedUpdates });
    },

    async deleteWebhook() {
      await call('deleteWebhook');
    },

    async webhookState() {
      const info = await call<{ url: string; last_error_message?: string }>('getWebhookInfo');
      return { urls: info.url === '' ? [] : [info.url], lastError: info.last_error_message ?? null };
    },

    async poll(position, signal) {
      const request = {
        ...(position !== null && { offset: Number(position) }),
        timeout: POLL_SECONDS,
        limit: 100,
        allowed_updates: allowedUpdates,
      };
      const updates = await withAbortAfter(signal, POLL_LIMIT_MS, (limited) =>
        call<{ update_id: number }[]>('getUpdates', request, limited),
      );
      const ids = updates.map((update) => update.update_id);
      return { updates, position: ids.length === 0 ? position : String(Math.max(...ids) + 1) };
    },
  };
}

/** Every call goes through callApi with a timeout, because telegraf's own methods take no signal. */
function createCall(telegram: Telegram): Call {
  type Method = Parameters<Telegram['callApi']>[0];
  type Options = Parameters<Telegram['callApi']>[2];
  return async <R>(method: string, payload: Payload = {}, limit = AbortSignal.timeout(CALL_LIMIT_MS)) => {
    try {
      // telegraf's types expect the AbortSignal of a polyfill package instead of Node's.
      return (await telegram.callApi(method as Method, payload as never, { signal: limit } as Options)) as R;
    } catch (error) {
      throw toTelegramPlatformError(error);
    }
  };
}

interface SentMessage {
  message_id: number;
}

function sent(message: SentMessage): { messageId: string } {
  return { messageId: String(message.message_id) };
}

function textOf({ text, format = 'plain' }: OutgoingMessage): { text: string; parse_mode?: 'HTML' } {
  if (format === 'plain') return { text };
  return { text: format === 'html' ? text : markdownToTelegramHtml(text), parse_mode: 'HTML' };
}

function keyboardOf(buttons: Button[][] | undefined): Payload {
  if (!buttons || buttons.length === 0) return {};
  const rows = buttons.map((row) =>
    row.map(({ text, data, url }) =>
      url === undefined ? { text, callback_data: data ?? '' } : { text, url },
    ),
  );
  return { reply_markup: { inline_keyboard: rows } };
}

function refusedWith(error: unknown, text: RegExp): boolean {
  return error instanceof PlatformError && error.status === 400 && text.test(error.platformText);
}
