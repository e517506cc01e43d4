import { createHash } from 'node:crypto';
import { z } from 'zod';
import { chatQueueOf, incomingMessage, languageOf } from '../incoming';
import { storableText } from '../storable';
import type { BotUser, Incoming, IncomingFile, ParsedUpdate, ReceivedUpdate } from '../update';

const text = z.string().transform(storableText);
const id = z.number().int().transform(String);

const userSchema = z.object({
  user_id: id,
  first_name: text.nullish(),
  name: text.nullish(),
  username: text.nullish(),
});

/** One that cannot be read is left out; the message still counts. */
const attachmentSchema = z
  .object({
    type: z.string(),
    payload: z.object({ url: text.nullish() }).nullish().catch(null),
    filename: text.nullish(),
    size: z.number().int().nonnegative().nullish().catch(null),
  })
  .nullable()
  .catch(null);
type MaxAttachment = z.output<typeof attachmentSchema>;

const bodySchema = z.object({
  mid: text,
  text: text.nullish(),
  attachments: z.array(attachmentSchema).nullish().catch(null),
});

const messageSchema = z.object({
  sender: userSchema.nullish(),
  recipient: z.object({ chat_id: id.nullish(), chat_type: z.string().nullish() }),
  body: bodySchema,
  link: z
    .object({ type: z.string(), message: bodySchema.nullish().catch(null) })
    .nullish()
    .catch(null),
});

const updateSchema = z.object({
  update_type: z.string(),
  timestamp: z.number(),
  user_locale: z.string().nullish(),
  message: messageSchema.nullish(),
  callback: z.object({ callback_id: text, payload: text.nullish(), user: userSchema }).nullish(),
  chat_id: id.nullish(),
  user: userSchema.nullish(),
  payload: text.nullish(),
});

type MaxUpdate = z.output<typeof updateSchema>;
type MaxUser = z.output<typeof userSchema>;
type MaxMessage = z.output<typeof messageSchema>;

/** Null if `raw` is not a MAX update. */
export function parseMaxUpdate(raw: unknown): ReceivedUpdate | null {
  const update = updateSchema.safeParse(raw);
  if (!update.success) return null;
  const parsed = domainShape(update.data);
  return {
    dedupeKey: dedupeKey(update.data),
    chatQueue: chatQueueOf(parsed),
    sequence: update.data.timestamp,
    parsed,
  };
}

function domainShape(update: MaxUpdate): ParsedUpdate {
  const { message, callback, user } = update;
  switch (update.update_type) {
    case 'message_created':
      if (!message) break;
      return inMessage(update, message, message.sender, incomingOf(message, false));
    case 'message_edited':
      if (!message) break;
      return inMessage(update, message, message.sender, incomingOf(message, true));
    case 'message_callback': {
      if (!callback) break;
      const incoming: Incoming = {
        kind: 'tap',
        data: callback.payload ?? '',
        callbackId: callback.callback_id,
        messageId: message?.body.mid ?? null,
      };
      return inMessage(update, message, callback.user, incoming);
    }
    case 'bot_started':
      return inDialog(update, user, { kind: 'open', start: update.payload?.trim() || null });
    case 'bot_stopped':
      return inDialog(update, user, { kind: 'blocked' });
  }
  return inDialog(update, user, { kind: 'other' });
}

function incomingOf({ body, link }: MaxMessage, edited: boolean): Incoming {
  // A forwarded message has its text and files in the link.
  const parts = link?.type === 'forward' && link.message ? [body, link.message] : [body];
  return incomingMessage({
    messageId: body.mid,
    text: parts.map((part) => part.text ?? '').find((part) => part !== '') ?? '',
    files: parts.flatMap((part) => part.attachments ?? []).flatMap(fileOf),
    quotes: (link?.type === 'reply' && link.message?.mid) || null,
    edited,
  });
}

const fileTypes: Record<string, IncomingFile['type']> = {
  image: 'photo',
  video: 'video',
  audio: 'voice',
  file: 'document',
};

function fileOf(attachment: MaxAttachment): IncomingFile[] {
  const type = attachment && fileTypes[attachment.type];
  const url = attachment?.payload?.url;
  if (!type || !url) return [];
  return [
    { type, reference: url, name: attachment.filename || null, mime: null, bytes: attachment.size ?? null },
  ];
}

function inMessage(
  update: MaxUpdate,
  message: MaxMessage | null | undefined,
  user: MaxUser | null | undefined,
  incoming: Incoming,
): ParsedUpdate {
  const isDialog = !message || message.recipient.chat_type === 'dialog';
  return shape(update, message?.recipient.chat_id, isDialog, user, incoming);
}

function inDialog(update: MaxUpdate, user: MaxUser | null | undefined, incoming: Incoming): ParsedUpdate {
  return shape(update, update.chat_id, incoming.kind !== 'other', user, incoming);
}

function shape(
  { timestamp, user_locale }: MaxUpdate,
  chatId: string | null | undefined,
  isPrivate: boolean,
  user: MaxUser | null | undefined,
  incoming: Incoming,
): ParsedUpdate {
  return {
    channel: 'max',
    chatId: chatId ?? (user ? userAddress(user.user_id) : 'none'),
    private: isPrivate,
    user: user ? botUser(user, user_locale) : null,
    incoming,
    at: new Date(timestamp),
  };
}

/** The MAX messenger's `send` resolves this to the dialog with the user. */
export function userAddress(userId: string): string {
  return `user:${userId}`;
}

function botUser(
  { user_id, first_name, name, username }: MaxUser,
  locale: string | null | undefined,
): BotUser {
  return {
    id: user_id,
    firstName: first_name || name || '',
    username: username || null,
    lang: languageOf(locale),
  };
}

/**
 * MAX updates have no id: a tap is identified by its callback id, a message by its mid, any other by its content, which
 * is hashed, because the key outlives the update and must not name the user.
 */
function dedupeKey(update: MaxUpdate): string {
  const { update_type: type, timestamp, callback, message, user, chat_id } = update;
  if (callback) return printable(`callback:${callback.callback_id}`);
  // A message can be changed several times.
  if (message && type === 'message_edited') return printable(`${type}:${message.body.mid}:${timestamp}`);
  if (message) return printable(`${type}:${message.body.mid}`);
  return hashed([type, timestamp, user?.user_id ?? '', chat_id ?? ''].join(':'));
}

function printable(key: string): string {
  return /^[\x21-\x7e]{1,200}$/.test(key) ? key : hashed(key);
}

function hashed(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('base64url')}`;
}
