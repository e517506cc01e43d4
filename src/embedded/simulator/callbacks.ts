import type { Chat, MessageId } from './chats';

export interface Callback {
  id: string;
  chat: Chat;
  messageId: MessageId;
  /** milliseconds after which the platform no longer takes an answer */
  answerableUntil: number;
}

/** How long after a tap it can still be answered. */
const ANSWER_WITHIN_MS = 60_000;
const KEPT = 10_000;

/** Taps that wait for an answer. */
export class Callbacks {
  private readonly open = new Map<string, Callback>();

  add(id: string, chat: Chat, messageId: MessageId, stale: boolean): void {
    const answerableUntil = stale ? 0 : Date.now() + ANSWER_WITHIN_MS;
    this.open.set(id, { id, chat, messageId, answerableUntil });
    if (this.open.size > KEPT) this.forgetOldest();
  }

  /** The tap, unless it is unknown or too old: the platforms do not tell the two apart. */
  answerable(id: string): Callback | undefined {
    const callback = this.open.get(id);
    return callback && callback.answerableUntil > Date.now() ? callback : undefined;
  }

  private forgetOldest(): void {
    const oldest = this.open.keys().next().value;
    if (oldest !== undefined) this.open.delete(oldest);
  }
}
