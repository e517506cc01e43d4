import { Bot } from '@maxhub/max-bot-api';
import type {
  AttachmentRequest,
  InlineKeyboardAttachmentRequest,
  UpdateType,
} from '@maxhub/max-bot-api/types';
import { toMaxPlatformError } from './error';
import { maxFetch } from './fetch';
import { createMaxMedia } from './media';
import type { Button, Messenger, MessengerOptions, OutgoingMessage, TapNotice } from '../messenger';
import { PlatformError } from '../platform-error';
import { afterShortWait } from '../short-wait';
import { withAbortAfter } from '../../lib/timeout';

const POLL_SECONDS = 25;
const POLL_LIMIT_MS = (POLL_SECONDS + 10) * 1000;
/** A send waits, in the client, for an attachment that MAX still processes. */
const SEND_LIMIT_MS = 20_000;

const updateTypes: UpdateType[] = ['message_created', 'message_callback', 'bot_started', 'bot_stopped'];

/** `user:<id>` where only the user of a chat is known: MAX leaves the message, and the chat with it, out of some taps. */
const USER_ADDRESS = /^user:(\d+)$/;

export interface MaxMessengerOptions extends MessengerOptions {
  /** Whether a video or document, which MAX wants uploaded, may be fetched from loopback. */
  allowLocalMedia?: boolean;
}

export async function createMaxMessenger({
  token,
  apiRoot,
  link,
  allowLocalMedia = false,
}: MaxMessengerOptions): Promise<Messenger> {
  const { api } = new Bot(token, { clientOptions: { baseUrl: apiRoot, fetch: maxFetch } });
  const attach = createMaxMedia(api, { allowLocal: allowLocalMedia });
  const me = await call(() => api.getMyInfo());
  const botName = me.username ?? String(me.user_id);

  async function send(chatId: string, message: OutgoingMessage): Promise<{ messageId: string }> {
    const user = USER_ADDRESS.exec(chatId)?.[1];
    const recipient = user === undefined ? { chat_id: Number(chatId) } : { user_id: Number(user) };
    const media = message.media ? [await attach(message.media)] : [];
    const attachments = [...media, ...keyboardOf(message.buttons)];
    const { message: posted } = await api.raw.messages.send(
      { ...recipient, ...textOf(message), ...(attachments.length > 0 && { attachments }) },
      { signal: AbortSignal.timeout(SEND_LIMIT_MS) },
    );
    return { messageId: posted.body.mid };
  }

  async function deleteWebhooks(except?: string): Promise<void> {
    const { subscriptions } = await call(() => api.raw.subscriptions.getSubscriptions());
    for (const { url } of subscriptions) {
      if (url !== except) await call(() => api.unsubscribe(url));
    }
  }

  return {
    channel: 'max',
    botName,
    link: link ?? ((start) => `https://max.ru/${botName}?start=${encodeURIComponent(start)}`),
    appLink: () => null,
    send(chatId, message, { failsFast = false } = {}) {
      const once = () => call(() => send(chatId, message));
      return failsFast ? once() : afterShortWait(once);
    },

    edit: (_chatId, messageId, message) =>
      afterShortWait(() =>
        done(() =>
          // An empty list takes the keyboard away; leaving it out would keep it.
          api.editMessage(messageId, { ...textOf(message), attachments: keyboardOf(message.buttons) }),
        ),
      ),

    async answerTap(callbackId, notice) {
      // MAX refuses an answer that says nothing, and nobody waits for one.
      if (!notice) return;
      try {
        await afterShortWait(() => done(() => api.answerOnCallback(callbackId, noticeBody(notice))));
      } catch (error) {
        if (!isForgottenTap(error)) throw error;
      }
    },

    async check() {
      await call(() => api.getMyInfo());
    },

    async setWebhook(url, secret) {
      await done(() => api.subscribe(url, secret, updateTypes));
      // MAX keeps any number of subscriptions and would send every update to each of them.
      await deleteWebhooks(url);
    },

    deleteWebhook: () => deleteWebhooks(),

    async webhookState() {
      const { subscriptions } = await call(() => api.raw.subscriptions.getSubscriptions());
      return { urls: subscriptions.map(({ url }) => url), lastError: null };
    },

    async poll(position, signal) {
      const request = {
        ...(position !== null && { marker: Number(position) }),
        timeout: POLL_SECONDS,
        limit: 100,
        types: updateTypes.join(','),
      };
      const answer = await withAbortAfter(signal, POLL_LIMIT_MS, (limited) =>
        call(() => api.raw.subscriptions.getUpdates({ ...request, signal: limited })),
      );
      // The marker is null where the platform has nothing new to count from.
      const marker = answer.marker as number | null;
      return { updates: answer.updates, position: marker === null ? position : String(marker) };
    },
  };
}

async function call<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toMaxPlatformError(error);
  }
}

/** Some refusals of MAX come as 200 with `success: false`. */
async function done(work: () => Promise<{ success: boolean; message?: string }>): Promise<void> {
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

/** The client's types have forgotten the notification; its body goes to the platform as it is. */
function noticeBody({ text }: TapNotice): Record<string, never> {
  return { notification: text } as Record<string, string> as Record<string, never>;
}

function isForgottenTap(error: unknown): boolean {
  if (!(error instanceof PlatformError)) return false;
  return error.status === 404 || (error.status === 400 && /callback/i.test(error.platformText));
}
