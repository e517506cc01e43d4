import { isDeepStrictEqual } from 'node:util';
import type { ChannelState } from './channel-state';
import type { Chat, ChatMessage, Draft, Media, Refusal } from './chats';
import { MarkupError, type Formatted } from './formatted';
import { parseTelegramText } from './markup';
import { TelegramFiles } from './telegram-files';
import {
  chatIdParam,
  flagParam,
  keyboardParam,
  numberParam,
  textParam,
  type Params,
} from './telegram-params';
import { badRequest, messageShape, TelegramError } from './telegram-shapes';

/** In UTF-16 units, after the markup has been parsed. */
const MAX_TEXT = 4096;
const MAX_CAPTION = 1024;
const MAX_NOTICE = 200;

type Method = (params: Params) => unknown;

/** The methods that change what the user sees. */
export function createMessageMethods({ bot, chats, callbacks }: ChannelState): Record<string, Method> {
  const files = new TelegramFiles();

  function send(params: Params, content: Omit<Draft, 'buttons'>): unknown {
    const posted = chats.postFromBot(chatIdParam(params), { ...content, buttons: keyboardParam(params) });
    if (typeof posted === 'string') throw refusal(posted);
    return messageShape(bot, posted.chat, posted.message);
  }

  const sendMedia = (type: Media['type']) => async (params: Params) => {
    const media = await files.read(type, params[type]);
    return send(params, { ...caption(params), media });
  };

  function edit(params: Params, change: (message: ChatMessage) => Partial<Draft>): unknown {
    const { chat, message } = ownMessage(params, 'edit');
    // An edit without a keyboard removes it, as in the real service.
    const after = { ...change(message), buttons: keyboardParam(params) };
    if (
      Object.entries(after).every(([key, value]) => isDeepStrictEqual(message[key as keyof Draft], value))
    ) {
      throw badRequest(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    }
    chats.edit(chat, message, after);
    return messageShape(bot, chat, message);
  }

  function ownMessage(params: Params, purpose: 'edit' | 'delete'): { chat: Chat; message: ChatMessage } {
    const chat = chats.forBot(chatIdParam(params));
    if (typeof chat === 'string') throw refusal(chat);
    const message = chat.messages.get(numberParam(params, 'message_id', 0));
    if (!message) throw badRequest(`message to ${purpose} not found`);
    if (purpose === 'edit' && message.from !== 'bot') throw badRequest("message can't be edited");
    return { chat, message };
  }

  return {
    sendMessage: (params) => send(params, { ...messageText(params), media: null }),
    sendPhoto: sendMedia('photo'),
    sendVideo: sendMedia('video'),
    sendDocument: sendMedia('document'),

    editMessageText: (params) =>
      edit(params, (message) => {
        if (message.media) throw badRequest('there is no text in the message to edit');
        return messageText(params);
      }),
    editMessageCaption: (params) =>
      edit(params, (message) => {
        if (!message.media) throw badRequest('there is no caption in the message to edit');
        return caption(params);
      }),
    editMessageReplyMarkup: (params) => edit(params, () => ({})),

    deleteMessage: (params) => {
      const { chat, message } = ownMessage(params, 'delete');
      return chats.delete(chat, message.id);
    },

    answerCallbackQuery: (params) => {
      const text = textParam(params, 'text') ?? '';
      if (text.length > MAX_NOTICE) throw badRequest('MESSAGE_TOO_LONG');
      const callback = callbacks.answerable(textParam(params, 'callback_query_id') ?? '');
      if (!callback) {
        throw badRequest('query is too old and response timeout expired or query ID is invalid');
      }
      if (text !== '') chats.toast(callback.chat, text, flagParam(params, 'show_alert'));
      return true;
    },
  };
}

function refusal(why: Refusal): TelegramError {
  return why === 'blocked'
    ? new TelegramError(403, 'Forbidden: bot was blocked by the user')
    : badRequest('chat not found');
}

function messageText(params: Params): Formatted {
  const formatted = format(params, 'text');
  if (formatted.text === '') throw badRequest('message text is empty');
  if (formatted.text.length > MAX_TEXT) throw badRequest('message is too long');
  return formatted;
}

function caption(params: Params): Formatted {
  const formatted = format(params, 'caption');
  if (formatted.text.length > MAX_CAPTION) throw badRequest('message caption is too long');
  return formatted;
}

function format(params: Params, field: 'text' | 'caption'): Formatted {
  try {
    return parseTelegramText(textParam(params, field) ?? '', textParam(params, 'parse_mode'));
  } catch (error) {
    if (error instanceof MarkupError) throw badRequest(`can't parse entities: ${error.message}`);
    throw error;
  }
}
