import type { Chat, MessageId } from './chats';

interface Callback {
  id: string;
  chat: Chat;
  messageId: MessageId;
  /** Time in milliseconds until which the platform accepts an answer. */
  answerableUntil: number;
}

/** How long a tap can be answered. */
const ANSWER_TIMEOUT_MS = 60_000;
const MAX_OPEN = 10_000;

/** Taps that have not been answered yet. */
export class Callbacks {
  private readonly open = new Map<string, Callback>();

  add(id: string, chat: Chat, messageId: MessageId, stale: boolean): void {
    const answerableUntil = stale ? 0 : Date.now() + ANSWER_TIMEOUT_MS;
    this.open.set(id, { id, chat, messageId, answerableUntil });
    if (this.open.size > MAX_OPEN) this.dropOldest();
  }

  /** Returns undefined for an unknown or expired tap: the platforms do not distinguish the two. */
  answerable(id: string): Callback | undefined {
    const callback = this.open.get(id);
    return callback && callback.answerableUntil > Date.now() ? callback : undefined;
  }

  private dropOldest(): void {
    const oldest = this.open.keys().next().value;
    if (oldest !== undefined) this.open.delete(oldest);
  }
}
