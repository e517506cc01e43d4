import type { Channel, Language } from '../../base/contract/common';

export interface BotUser {
  id: string;
  /** As the platform sends it. */
  firstName: string;
  username: string | null;
  lang: Language;
}

/** A file that a user has sent. Only its reference is kept: the messenger stores the file. */
export interface IncomingFile {
  type: 'photo' | 'video' | 'document' | 'voice';
  /** By which the bot that received it asks the messenger for the file. */
  reference: string;
  name: string | null;
  mime: string | null;
  bytes: number | null;
}

/** What a user has written or sent. Without text and files it is something that the bot cannot pass on, such as a sticker. */
export interface IncomingMessage {
  /** The platform's id of it, by which later messages quote it. */
  messageId: string;
  /** Typed, or the caption of the files. */
  text: string;
  files: IncomingFile[];
  /** The message of the chat that it quotes. */
  quotes: string | null;
  /** Whether it replaces an earlier message with the same id. */
  edited: boolean;
}

/** Commands that work in every state of the conversation; `/start` and `/stop` are kinds of their own. */
export type Command = 'cancel' | 'tickets';

export type Incoming =
  /** The bot was opened by a link, by START or by a typed `/start`. */
  | { kind: 'open'; start: string | null }
  | { kind: 'tap'; data: string; callbackId: string; messageId: string | null }
  | { kind: 'stop' }
  | { kind: 'command'; command: Command }
  | ({ kind: 'message' } & IncomingMessage)
  | { kind: 'blocked' }
  | { kind: 'unblocked' }
  | { kind: 'other' };

export interface ParsedUpdate {
  channel: Channel;
  /** Where to reply; on MAX `user:<id>` if the update does not name its chat. */
  chatId: string;
  private: boolean;
  user: BotUser | null;
  incoming: Incoming;
  /** The platform's timestamp, if the update has one. */
  at?: Date;
}

export interface ReceivedUpdate {
  /** Identical each time the platform sends the same update. */
  dedupeKey: string;
  /**
   * Updates of one chat queue are handled one at a time. The key is `user:<id>` for a private chat, because some MAX
   * taps omit the chat and would end up in a second queue; otherwise it is the chat id.
   */
  chatQueue: string;
  /** The order within one received batch; not comparable between batches. */
  sequence: number;
  parsed: ParsedUpdate;
}
