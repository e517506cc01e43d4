import type { BotIdentity } from './channel-state';
import type { Chat, ChatButton, ChatMessage } from './chats';
import type { Entity } from './formatted';
import type { SimUser } from './users';

/** An error in MAX's format. */
export class MaxError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

export function badPayload(what: string): MaxError {
  return new MaxError(400, 'proto.payload', what);
}

type Shape = Record<string, unknown>;

export function botShape(bot: BotIdentity): Shape {
  return {
    user_id: bot.id,
    name: bot.username,
    first_name: bot.username,
    username: bot.username,
    is_bot: true,
    last_activity_time: Date.now(),
  };
}

export function userShape(user: SimUser): Shape {
  return {
    user_id: user.id,
    name: user.firstName,
    first_name: user.firstName,
    last_name: '',
    username: user.username,
    is_bot: false,
    last_activity_time: Date.now(),
  };
}

/** Dialog updates include the user's language, if known. */
export function localeOf(user: SimUser): Shape {
  return user.languageCode === null ? {} : { user_locale: user.languageCode };
}

export function messageShape(bot: BotIdentity, chat: Chat, message: ChatMessage): Shape {
  const { replyTo } = message;
  return {
    sender: senderShape(bot, message),
    recipient: recipientShape(bot, chat, message.from),
    timestamp: message.at,
    ...(message.forwarded && {
      link: { type: 'forward', chat_id: 0, message: { ...bodyShape(message), mid: `${message.id}-source` } },
    }),
    ...(replyTo && {
      link: {
        type: 'reply',
        sender: senderShape(bot, replyTo),
        chat_id: chat.id,
        message: bodyShape(replyTo),
      },
    }),
    // What was forwarded is in the link alone.
    body: message.forwarded ? { mid: message.id, seq: message.at, text: '' } : bodyShape(message),
  };
}

function senderShape(bot: BotIdentity, { sender }: ChatMessage): Shape {
  return sender ? userShape(sender) : botShape(bot);
}

function bodyShape(message: ChatMessage): Shape {
  const attachments = [
    ...mediaAttachment(message),
    ...fileAttachment(message),
    ...keyboardAttachment(message.buttons),
  ];
  const markup = message.entities.map(markupShape);
  return {
    mid: message.id,
    seq: message.at,
    text: message.text,
    ...(attachments.length > 0 && { attachments }),
    ...(markup.length > 0 && { markup }),
  };
}

/** A message that is not in the chat: only its id is known. */
export function bareMessageShape(bot: BotIdentity, chat: Chat, mid: string): Shape {
  return {
    sender: botShape(bot),
    recipient: recipientShape(bot, chat, 'bot'),
    timestamp: 0,
    body: { mid, seq: 0, text: null },
  };
}

function recipientShape(bot: BotIdentity, chat: Chat, from: 'bot' | 'user'): Shape {
  if (!chat.user) return { chat_id: chat.id, chat_type: 'chat' };
  return { chat_id: chat.id, chat_type: 'dialog', user_id: from === 'bot' ? chat.user.id : bot.id };
}

function keyboardAttachment(buttons: ChatButton[][]): Shape[] {
  if (buttons.length === 0) return [];
  const shape = ({ text, data, url }: ChatButton) =>
    url !== undefined
      ? { type: 'link', text, url }
      : { type: 'callback', text, payload: data, intent: 'default' };
  return [{ type: 'inline_keyboard', payload: { buttons: buttons.map((row) => row.map(shape)) } }];
}

function mediaAttachment({ media }: ChatMessage): Shape[] {
  if (!media) return [];
  const type = { photo: 'image', video: 'video', document: 'file' }[media.type];
  return [{ type, payload: { url: media.url, token: media.id } }];
}

function fileAttachment({ file }: ChatMessage): Shape[] {
  if (!file) return [];
  const type = { photo: 'image', video: 'video', voice: 'audio', document: 'file', sticker: 'sticker' }[
    file.type
  ];
  const named = file.type === 'document' ? { filename: file.name ?? '', size: file.bytes } : {};
  return [{ type, payload: { url: file.url, token: file.id }, ...named }];
}

const MARKUP_TYPES: Record<string, string> = {
  bold: 'strong',
  italic: 'emphasized',
  code: 'monospaced',
  pre: 'monospaced',
  text_link: 'link',
  blockquote: 'quote',
};

function markupShape({ type, offset, length, url }: Entity): Shape {
  return { type: MARKUP_TYPES[type] ?? type, from: offset, length, ...(url !== undefined && { url }) };
}
