import { Telegram } from 'telegraf';
import { withAbortAfter } from '../../../base/lib/timeout';
import { FileGoneError, openOfPlatform } from '../media/download';
import type { MediaUploads } from '../media/uploads';
import type {
  BotAddress,
  BotClient,
  BotIdentity,
  Button,
  MediaType,
  OutgoingMedia,
  OutgoingMessage,
  SendOptions,
} from '../messenger';
import { PlatformError } from '../platform-error';
import { retryIfThrottled } from '../retry-if-throttled';
import { toTelegramPlatformError } from './error';
import { fetchesMedia, isRefusedFileId, mediaMethods, type SentMessage, uploadToTelegram } from './media';
import { callsOf, convertText } from './text';

const CALL_LIMIT_MS = 10_000;
/** Telegram downloads the file before it responds. */
const MEDIA_LIMIT_MS = 30_000;
const POLL_SECONDS = 25;
const POLL_LIMIT_MS = (POLL_SECONDS + 10) * 1000;
const NOTICE_LENGTH = 200;

const allowedUpdates = ['message', 'edited_message', 'callback_query', 'my_chat_member'] as const;

type Payload = Record<string, unknown>;
type Call = <R>(method: string, payload?: Payload, limit?: AbortSignal) => Promise<R>;

export function createTelegramClient({ token, apiRoot }: BotAddress, uploads: MediaUploads): BotClient {
  const call = createCall(new Telegram(token, { apiRoot, webhookReply: false }));
  const methodRoot = new URL(`./bot${token}/`, apiRoot).href;

  async function send(
    chatId: string,
    message: OutgoingMessage,
    { failFast = false, progress }: SendOptions = {},
  ): Promise<{ messageId: string }> {
    // Each call by itself: media that was sent is not sent again because the text after it was refused.
    const throttled: typeof retryIfThrottled = failFast ? (work) => work() : retryIfThrottled;
    const { text, ...format } = textOf(message);
    const chat = { chat_id: chatId };
    const keyboard = keyboardOf(message.buttons);
    const { media } = message;
    if (media && callsOf(message) === 1) {
      const caption = text === '' ? {} : { caption: text, ...format };
      return sent(await throttled(() => sendMedia(media, { ...chat, ...caption, ...keyboard })));
    }
    if (media && !progress?.mediaSent) {
      const { messageId } = sent(await throttled(() => sendMedia(media, chat)));
      await progress?.recordMedia(messageId);
    }
    return sent(await throttled(() => call('sendMessage', { ...chat, text, ...format, ...keyboard })));
  }

  function sendMedia(media: OutgoingMedia, payload: Payload): Promise<SentMessage> {
    const byReference = (type: MediaType, reference: string) =>
      call<SentMessage>(
        mediaMethods[type],
        { ...payload, [type]: reference },
        AbortSignal.timeout(MEDIA_LIMIT_MS),
      );
    if (fetchesMedia(media)) return byReference(media.type, media.url);
    return uploads.send(media, {
      send: ({ type, id }) => byReference(type, id),
      upload: (source, signal) =>
        platformErrors(() => uploadToTelegram({ methodRoot, type: media.type, payload }, source, signal)),
      isRefusedReference: isRefusedFileId,
    });
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
    send,
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

    async openFile(reference, signal) {
      const { file_path } = await retryIfThrottled(() =>
        call<{ file_path?: string }>('getFile', { file_id: reference }),
      ).catch((error: unknown) => {
        // Wrong, expired or larger than bots may have.
        if (refusedWith(error, /./)) throw new FileGoneError('the messenger does not hand out the file');
        throw error;
      });
      if (file_path === undefined) throw new FileGoneError('the messenger does not hand out the file');
      const path = file_path.split('/').map(encodeURIComponent).join('/');
      return openOfPlatform(new URL(`./file/bot${token}/${path}`, apiRoot), signal);
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

/** Who a token belongs to. */
export async function identifyTelegramBot({ token, apiRoot }: BotAddress): Promise<BotIdentity> {
  const call = createCall(new Telegram(token, { apiRoot, webhookReply: false }));
  const { id, username } = await call<{ id: number; username: string }>('getMe');
  return { botId: id, botName: username };
}

/** Every call goes through callApi with a timeout, because telegraf's own methods take no signal. */
function createCall(telegram: Telegram): Call {
  type Method = Parameters<Telegram['callApi']>[0];
  type Options = Parameters<Telegram['callApi']>[2];
  return <R>(method: string, payload: Payload = {}, limit = AbortSignal.timeout(CALL_LIMIT_MS)) =>
    platformErrors(
      async () =>
        // telegraf's types expect the AbortSignal of a polyfill package instead of Node's.
        (await telegram.callApi(method as Method, payload as never, { signal: limit } as Options)) as R,
    );
}

async function platformErrors<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    throw toTelegramPlatformError(error);
  }
}

function sent(message: SentMessage): { messageId: string } {
  return { messageId: String(message.message_id) };
}

function textOf(message: OutgoingMessage): { text: string; parse_mode?: 'HTML' } {
  const { text, format = 'plain', converted = convertText(message) } = message;
  return format === 'plain' ? { text } : { text: converted ?? text, parse_mode: 'HTML' };
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
