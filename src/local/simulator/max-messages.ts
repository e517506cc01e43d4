import type { ChannelState } from './channel-state';
import type { Chat, ChatMessage, Draft, Refusal } from './chats';
import { readMessageBody } from './max-body';
import { badPayload, MaxError, messageShape } from './max-shapes';
import type { Uploads } from './max-uploads';

interface MaxCall {
  query: URLSearchParams;
  body: Record<string, unknown>;
  signal: AbortSignal;
}

export type MaxRoute = (call: MaxCall) => unknown;

const SUCCESS = { success: true };

/** The routes for messages and callback answers. */
export function createMessageRoutes(
  { bot, chats, callbacks }: ChannelState,
  uploads: Uploads,
  dialogOf: (userId: number) => number,
): Record<string, MaxRoute> {
  function recipient(query: URLSearchParams): number {
    const userId = numberIn(query, 'user_id');
    if (userId !== null) return dialogOf(userId);
    const chatId = numberIn(query, 'chat_id');
    if (chatId === null) throw badPayload('chat_id or user_id is required');
    return chatId;
  }

  function message(id: string | null): { chat: Chat; message: ChatMessage } {
    for (const chat of chats.all()) {
      const found = chat.messages.get(id ?? '');
      if (found) return { chat, message: found };
    }
    throw new MaxError(404, 'not.found', `Message ${id ?? ''} not found`);
  }

  function editable(id: string | null): { chat: Chat; message: ChatMessage } {
    const found = message(id);
    const chat = chats.forBot(found.chat.id);
    if (typeof chat === 'string') throw refusal(chat);
    if (found.message.from !== 'bot') {
      throw new MaxError(403, 'access.denied', 'It is not a message of the bot');
    }
    return found;
  }

  function edit(id: string, body: Record<string, unknown>): void {
    const { chat, message: found } = editable(id);
    const change = readMessageBody(body, uploads);
    assertContent({ ...found, ...change });
    chats.edit(chat, found, change);
  }

  return {
    'POST /messages': ({ query, body }) => {
      const draft: Draft = {
        text: '',
        entities: [],
        buttons: [],
        media: null,
        ...readMessageBody(body, uploads),
      };
      assertContent(draft);
      const posted = chats.postFromBot(recipient(query), draft);
      if (typeof posted === 'string') throw refusal(posted);
      return { message: messageShape(bot, posted.chat, posted.message) };
    },

    'PUT /messages': ({ query, body }) => {
      edit(query.get('message_id') ?? '', body);
      return SUCCESS;
    },

    'DELETE /messages': ({ query }) => {
      const { chat, message: found } = editable(query.get('message_id'));
      chats.delete(chat, found.id);
      return SUCCESS;
    },

    'GET /messages': ({ query }) => {
      const ids = query.get('message_ids')?.split(',').filter(Boolean);
      if (ids) {
        return { messages: ids.map(message).map((each) => messageShape(bot, each.chat, each.message)) };
      }
      const chat = chats.find(numberIn(query, 'chat_id') ?? 0);
      if (!chat) throw refusal('unknown');
      const newestFirst = [...chat.messages.values()].reverse().slice(0, numberIn(query, 'count') ?? 50);
      return { messages: newestFirst.map((each) => messageShape(bot, chat, each)) };
    },

    'POST /answers': ({ query, body }) => {
      const { message: replacement, notification } = body;
      if (replacement == null && notification == null) {
        throw badPayload('message or notification is required');
      }
      const callback = callbacks.answerable(query.get('callback_id') ?? '');
      if (!callback) throw new MaxError(404, 'not.found', 'Callback not found');
      if (replacement != null) edit(String(callback.messageId), replacement as Record<string, unknown>);
      if (typeof notification === 'string' && notification !== '') {
        chats.toast(callback.chat, notification, false);
      }
      return SUCCESS;
    },
  };
}

function numberIn(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const value = Number(text);
  if (!Number.isInteger(value)) throw badPayload(`${name}: must be a number`);
  return value;
}

function assertContent(draft: Draft): void {
  if (draft.text === '' && !draft.media) throw badPayload('text: must not be empty');
}

function refusal(why: Refusal): MaxError {
  return why === 'blocked'
    ? new MaxError(403, 'chat.denied', 'error.dialog.suspended')
    : new MaxError(404, 'chat.not.found', 'Chat not found');
}
