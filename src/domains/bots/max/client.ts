import { Bot } from '@maxhub/max-bot-api';
import type {
  AttachmentRequest,
  InlineKeyboardAttachmentRequest,
  UpdateType,
} from '@maxhub/max-bot-api/types';
import { withAbortAfter } from '../../../base/lib/timeout';
import { openOfPlatform, openOfUpdate } from '../media/download';
import type { MediaUploads } from '../media/uploads';
import type { BotAddress, BotClient, BotIdentity, Button, OutgoingMessage, TapNotice } from '../messenger';
import { PlatformError } from '../platform-error';
import { retryIfThrottled } from '../retry-if-throttled';
import { toMaxPlatformError } from './error';
import { maxFetch } from './fetch';
import { attachmentOf, fetchesMedia, isRefusedToken, photoByUrl, uploadToMax } from './media';

const POLL_SECONDS = 25;
const POLL_LIMIT_MS = (POLL_SECONDS + 10) * 1000;
/** Longer than other calls: the client retries a send while MAX is still processing its attachment. */
const SEND_LIMIT_MS = 20_000;

const updateTypes: UpdateType[] = [
  'message_created',
  'message_edited',
  'message_callback',
  'bot_started',
  'bot_stopped',
];

/** `user:<id>` when only the user is known: some MAX taps omit the message, and with it the chat. */
const USER_ADDRESS = /^user:(\d+)$/;

export function createMaxClient({ token, apiRoot }: BotAddress, uploads: MediaUploads): BotClient {
  const { api } = new Bot(token, { clientOptions: { baseUrl: apiRoot, fetch: maxFetch } });

  async function send(chatId: string, message: OutgoingMessage): Promise<{ messageId: string }> {
    const { media } = message;
    if (!media) return post(chatId, message, []);
    if (fetchesMedia(media)) return post(chatId, message, [photoByUrl(media)]);
    return uploads.send(media, {
      send: (reference) => post(chatId, message, [attachmentOf(reference)]),
      upload: async (source, signal) => ({
        reference: await call(() => uploadToMax(api, media.type, source, signal)),
      }),
      isRefusedReference: isRefusedToken,
    });
  }

  function post(
    chatId: string,
    message: OutgoingMessage,
    media: AttachmentRequest[],
  ): Promise<{ messageId: string }> {
    const user = USER_ADDRESS.exec(chatId)?.[1];
    const recipient = user === undefined ? { chat_id: Number(chatId) } : { user_id: Number(user) };
    const attachments = [...media, ...keyboardOf(message.buttons)];
    return call(async () => {
      const { message: posted } = await api.raw.messages.send(
        { ...recipient, ...textOf(message), ...(attachments.length > 0 && { attachments }) },
        { signal: AbortSignal.timeout(SEND_LIMIT_MS) },
      );
      return { messageId: posted.body.mid };
    });
  }

  async function deleteWebhooks(except?: string): Promise<void> {
    const { subscriptions } = await call(() => api.raw.subscriptions.getSubscriptions());
    for (const { url } of subscriptions) {
      if (url !== except) await call(() => api.unsubscribe(url));
    }
  }

  return {
    send: (chatId, message, { failFast = false } = {}) =>
      failFast ? send(chatId, message) : retryIfThrottled(() => send(chatId, message)),

    edit: (_chatId, messageId, message) =>
      retryIfThrottled(() =>
        expectSuccess(() =>
          // An empty list removes the keyboard; omitting the field would keep it.
          api.editMessage(messageId, { ...textOf(message), attachments: keyboardOf(message.buttons) }),
        ),
      ),

    async answerTap(callbackId, notice) {
      // MAX refuses an empty answer and does not require one.
      if (!notice) return;
      try {
        await retryIfThrottled(() =>
          expectSuccess(() => api.answerOnCallback(callbackId, noticeBody(notice))),
        );
      } catch (error) {
        if (!isExpiredTap(error)) throw error;
      }
    },

    async setWebhook(url, secret) {
      await expectSuccess(() => api.subscribe(url, secret, updateTypes));
      // MAX keeps several subscriptions and sends every update to each of them, so remove the others.
      await deleteWebhooks(url);
    },

    deleteWebhook: () => deleteWebhooks(),

    async webhookState() {
      const { subscriptions } = await call(() => api.raw.subscriptions.getSubscriptions());
      return { urls: subscriptions.map(({ url }) => url), lastError: null };
    },

    // The reference is the file's address; that of the simulator is its API.
    openFile: async (reference, signal) =>
      URL.canParse(reference) && new URL(reference).origin === new URL(apiRoot).origin
        ? openOfPlatform(new URL(reference), signal)
        : openOfUpdate(reference, signal),

    async poll(position, signal) {
      const request = {
        ...(position !== null && { marker: Number(position) }),
        timeout: POLL_SECONDS,
        limit: 100,
        types: updateTypes.join(','),
      };
      const response = await withAbortAfter(signal, POLL_LIMIT_MS, (limited) =>
        call(() => api.raw.subscriptions.getUpdates({ ...request, signal: limited })),
      );
      // The marker is null when there are no new updates.
      const marker = response.marker as number | null;
      return { updates: response.updates, position: marker === null ? position : String(marker) };
    },
  };
}

/** Who a token belongs to. */
export async function identifyMaxBot({ token, apiRoot }: BotAddress): Promise<BotIdentity> {
  const { api } = new Bot(token, { clientOptions: { baseUrl: apiRoot, fetch: maxFetch } });
  const { user_id: botId, username } = await call(() => api.getMyInfo());
  return { botId, botName: username ?? String(botId) };
}

async function call<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toMaxPlatformError(error);
  }
}

/** MAX reports some errors as 200 with `success: false`. */
async function expectSuccess(work: () => Promise<{ success: boolean; message?: string }>): Promise<void> {
  const { success, message } = await call(work);
  if (!success) {
    throw new PlatformError('invalid_message', message ?? 'rejected without a reason', { status: 200 });
  }
}

function textOf({ text, format = 'plain' }: OutgoingMessage): { text: string; format?: 'markdown' | 'html' } {
  return format === 'plain' ? { text } : { text, format };
}

function keyboardOf(buttons: Button[][] | undefined): AttachmentRequest[] {
  if (!buttons || buttons.length === 0) return [];
  const rows: InlineKeyboardAttachmentRequest['payload']['buttons'] = buttons.map((row) =>
    row.map(({ text, data, url }) =>
      url === undefined ? { type: 'callback', text, payload: data ?? '' } : { type: 'link', text, url },
    ),
  );
  return [{ type: 'inline_keyboard', payload: { buttons: rows } }];
}

/** The client's types lack `notification`, but the client sends the body unchanged. */
function noticeBody({ text }: TapNotice): Record<string, never> {
  return { notification: text } as Record<string, string> as Record<string, never>;
}

function isExpiredTap(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false;
  return error.status === 404 || (error.status === 400 && /callback/i.test(error.platformText));
}
