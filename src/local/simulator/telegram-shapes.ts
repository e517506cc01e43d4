import type { BotIdentity } from './channel-state';
import type { Chat, ChatButton, ChatMessage, UserFile } from './chats';
import type { SimUser } from './users';

/** An error in the Bot API's format. */
export class TelegramError extends Error {
  constructor(
    readonly status: number,
    readonly description: string,
    readonly retryAfter?: number,
  ) {
    super(description);
  }
}

export function badRequest(what: string): TelegramError {
  return new TelegramError(400, `Bad Request: ${what}`);
}

type Shape = Record<string, unknown>;

export function botShape(bot: BotIdentity): Shape {
  return { id: bot.id, is_bot: true, first_name: bot.username, username: bot.username };
}

export function userShape(user: SimUser): Shape {
  return {
    id: user.id,
    is_bot: false,
    first_name: user.firstName,
    ...(user.username !== null && { username: user.username }),
    ...(user.languageCode !== null && { language_code: user.languageCode }),
  };
}

export function chatShape({ id, user }: Chat): Shape {
  if (!user) return { id, title: 'Group', type: 'supergroup' };
  return {
    id,
    first_name: user.firstName,
    ...(user.username !== null && { username: user.username }),
    type: 'private',
  };
}

export function messageShape(bot: BotIdentity, chat: Chat, message: ChatMessage): Shape {
  const hasFile = message.media !== null || message.file !== undefined;
  const content = hasFile
    ? { ...mediaShape(message), ...(message.text !== '' && { caption: message.text }) }
    : { text: message.text };
  const entities = [...commandEntity(message), ...message.entities];
  return {
    message_id: message.id,
    from: message.sender ? userShape(message.sender) : botShape(bot),
    chat: chatShape(chat),
    date: Math.floor(message.at / 1000),
    ...(message.editedAt !== null && { edit_date: Math.floor(message.editedAt / 1000) }),
    ...content,
    ...(message.forwarded && {
      forward_origin: {
        type: 'hidden_user',
        sender_user_name: 'Someone',
        date: Math.floor(message.at / 1000),
      },
    }),
    // The Bot API shows one level: the quoted message has no reply_to_message of its own.
    ...(message.replyTo && {
      reply_to_message: messageShape(bot, chat, { ...message.replyTo, replyTo: undefined }),
    }),
    ...(entities.length > 0 && { [hasFile ? 'caption_entities' : 'entities']: entities }),
    ...(message.buttons.length > 0 && { reply_markup: { inline_keyboard: message.buttons.map(rowShape) } }),
  };
}

function rowShape(row: ChatButton[]): Shape[] {
  return row.map(({ text, data, url }) =>
    url !== undefined ? { text, url } : { text, callback_data: data },
  );
}

/** Marks a typed command as an entity, by which bot frameworks recognise commands. */
function commandEntity({ from, text }: ChatMessage): Shape[] {
  const command = from === 'user' ? /^\/[a-z0-9_]{1,32}(@\w+)?/i.exec(text) : null;
  return command ? [{ type: 'bot_command', offset: 0, length: command[0].length }] : [];
}

function mediaShape({ media, file: given }: ChatMessage): Shape {
  if (given) return givenFileShape(given);
  const file = { file_id: media?.id, file_unique_id: media?.id };
  if (media?.type === 'photo') return { photo: [{ ...file, width: 1, height: 1 }] };
  if (media?.type === 'video') return { video: { ...file, width: 1, height: 1, duration: 0 } };
  return { document: file };
}

function givenFileShape({ id, type, name, mime, bytes }: UserFile): Shape {
  const file = { file_id: id, file_unique_id: id, file_size: bytes };
  const described = { ...file, ...(mime !== null && { mime_type: mime }) };
  const named = { ...described, ...(name !== null && { file_name: name }) };
  switch (type) {
    case 'photo':
      return { photo: [{ ...file, width: 1, height: 1 }] };
    case 'video':
      return { video: { ...named, width: 1, height: 1, duration: 0 } };
    case 'voice':
      return { voice: { ...described, duration: 0 } };
    case 'document':
      return { document: named };
    case 'sticker':
      return { sticker: { ...file, type: 'regular', width: 1, height: 1, emoji: '👍' } };
  }
}
