import type { Channel, Language } from '../contract/common';

export interface BotUser {
  id: string;
  /** As the platform gave it. */
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
  /** Where an answer goes; on MAX `user:<id>` where the platform did not say which chat it was. */
  chatId: string;
  private: boolean;
  user: BotUser | null;
  incoming: Incoming;
  /** The platform's own time, where it gives one. */
  at?: Date;
}

export interface ReceivedUpdate {
  /** The same for every delivery of the same update. */
  dedupeKey: string;
  /**
   * Updates of one lane are handled one at a time. `user:<id>` for a private chat, because MAX leaves the chat out of
   * some taps and two lanes would serve one chat then; the chat's id for the rest.
   */
  lane: string;
  /** Orders what arrives together; means nothing between batches. */
  sequence: number;
  parsed: ParsedUpdate;
}
