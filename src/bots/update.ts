import type { Channel, Language } from '../contract/common';

export interface BotUser {
  id: string;
  /** As the platform sends it. */
  firstName: string;
  username: string | null;
  lang: Language;
}

export type Incoming =
  /** The bot was opened by a link, by START or by a typed `/start`. */
  | { kind: 'open'; start: string | null }
  | { kind: 'tap'; data: string; callbackId: string; messageId: string | null }
  | { kind: 'stop' }
  | { kind: 'text'; text: string }
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
