import { z } from 'zod';
import { chatQueueOf, incomingMessage, languageOf } from '../incoming';
import { storableText } from '../storable';
import type { BotUser, Incoming, IncomingFile, ParsedUpdate, ReceivedUpdate } from '../update';

const text = z.string().transform(storableText);
const id = z.number().int().transform(String);

const userSchema = z.object({
  id,
  first_name: text.catch(''),
  username: text.nullish(),
  language_code: z.string().nullish(),
});

const chatSchema = z.object({ id, type: z.string().optional() });

const fileSchema = z.object({
  file_id: text,
  file_name: text.nullish(),
  mime_type: text.nullish(),
  file_size: z.number().int().nonnegative().nullish().catch(null),
});
/** One that cannot be read is left out; the message still counts. */
const file = fileSchema.nullish().catch(null);

/** What a person sends besides text and files. Everything else without text is a message of the service itself. */
const otherContent = [
  'sticker',
  'contact',
  'location',
  'venue',
  'poll',
  'dice',
  'game',
  'story',
  'checklist',
  'paid_media',
] as const;

const messageSchema = z.object({
  message_id: id,
  from: userSchema.nullish(),
  chat: chatSchema,
  date: z.number().nullish(),
  text: text.nullish(),
  caption: text.nullish(),
  // The sizes of one picture, the largest last.
  photo: z.array(fileSchema).nullish().catch(null),
  video: file,
  video_note: file,
  voice: file,
  audio: file,
  // An animation has it too.
  document: file,
  reply_to_message: z.object({ message_id: id }).nullish().catch(null),
  ...Object.fromEntries(otherContent.map((name) => [name, z.unknown().optional()])),
});
type TelegramMessage = z.output<typeof messageSchema>;

const updateSchema = z.object({
  update_id: z.number().int(),
  message: messageSchema.nullish(),
  edited_message: messageSchema.nullish(),
  callback_query: z
    .object({
      id: text,
      from: userSchema,
      // An inaccessible message has only its chat and id; a message sent in inline mode is absent.
      message: z.object({ message_id: id, chat: chatSchema }).nullish(),
      data: text.nullish(),
    })
    .nullish(),
  my_chat_member: z
    .object({
      chat: chatSchema,
      from: userSchema,
      date: z.number().nullish(),
      old_chat_member: z.object({ status: z.string() }),
      new_chat_member: z.object({ status: z.string() }),
    })
    .nullish(),
});

type TelegramUpdate = z.output<typeof updateSchema>;

/** Null if the update has no id. */
export function parseTelegramUpdate(raw: unknown): ReceivedUpdate | null {
  const whole = updateSchema.safeParse(raw);
  if (whole.success) return received(whole.data);
  const bare = updateSchema.pick({ update_id: true }).safeParse(raw);
  return bare.success ? received({ update_id: bare.data.update_id }) : null;
}

function received(update: TelegramUpdate): ReceivedUpdate {
  const parsed = domainShape(update);
  return {
    dedupeKey: String(update.update_id),
    chatQueue: chatQueueOf(parsed),
    sequence: update.update_id,
    parsed,
  };
}

function domainShape({
  message,
  edited_message: edited,
  callback_query: tap,
  my_chat_member: membership,
}: TelegramUpdate): ParsedUpdate {
  if (message) {
    return shape(message.chat, message.from, incomingOf(message, false), message.date);
  }
  if (edited) return shape(edited.chat, edited.from, incomingOf(edited, true), edited.date);
  if (tap) {
    // In a private chat the chat id is the user id.
    const chat = tap.message?.chat ?? { id: tap.from.id, type: 'private' };
    const messageId = tap.message?.message_id ?? null;
    return shape(chat, tap.from, { kind: 'tap', data: tap.data ?? '', callbackId: tap.id, messageId });
  }
  if (membership) {
    const { chat, from, date, old_chat_member: before, new_chat_member: after } = membership;
    return shape(chat, from, membershipChange(chat.type, before.status, after.status), date);
  }
  return shape({ id: 'none' }, null, { kind: 'other' });
}

function incomingOf(message: TelegramMessage, edited: boolean): Incoming {
  const text = message.text ?? message.caption ?? '';
  const files = filesOf(message);
  const isPersons = text !== '' || files.length > 0 || otherContent.some((name) => name in message);
  if (!isPersons) return { kind: 'other' };
  const quotes = message.reply_to_message?.message_id ?? null;
  return incomingMessage({ messageId: message.message_id, text, files, quotes, edited });
}

function filesOf({ photo, video, video_note, voice, audio, document }: TelegramMessage): IncomingFile[] {
  const given: [IncomingFile['type'], z.output<typeof file>][] = [
    ['photo', photo?.at(-1)],
    ['video', video ?? video_note],
    ['voice', voice],
    ['document', audio ?? document],
  ];
  return given.flatMap(([type, found]) =>
    found
      ? [
          {
            type,
            reference: found.file_id,
            name: found.file_name || null,
            mime: found.mime_type || null,
            bytes: found.file_size ?? null,
          },
        ]
      : [],
  );
}

function membershipChange(chatType: string | undefined, before: string, after: string): Incoming {
  // In a group this means that the bot was added or removed, which says nothing about a user's consent.
  if (chatType !== 'private') return { kind: 'other' };
  if (after === 'kicked') return { kind: 'blocked' };
  return before === 'kicked' ? { kind: 'unblocked' } : { kind: 'other' };
}

function shape(
  chat: { id: string; type?: string | undefined },
  from: z.output<typeof userSchema> | null | undefined,
  incoming: Incoming,
  date?: number | null,
): ParsedUpdate {
  return {
    channel: 'telegram',
    chatId: chat.id,
    private: chat.type === 'private',
    user: from ? botUser(from) : null,
    incoming,
    ...(date && { at: new Date(date * 1000) }),
  };
}

function botUser({ id, first_name, username, language_code }: z.output<typeof userSchema>): BotUser {
  return { id, firstName: first_name, username: username || null, lang: languageOf(language_code) };
}
