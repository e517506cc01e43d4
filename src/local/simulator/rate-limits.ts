import type { CallFault } from './faults';

/** An invalid limits request. */
export class LimitError extends Error {}

/** Delays on the way: messages that were sent a second apart may arrive closer together. */
const TOLERANCE_MS = 300;

/**
 * The platform's rate limits for sent messages, per bot and per chat. Off by default, so that tests and benchmarks are
 * not slowed down; `POST /control/{channel}/limits` sets them.
 */
export class RateLimits {
  private perSecond: number | null = null;
  private chatPerSecond: number | null = null;
  private recent: number[] = [];
  private readonly chatFreeAt = new Map<number, number>();
  /** Messages refused so far. */
  refused = 0;

  /** Reads the body of `POST /control/{channel}/limits`; an absent limit is off. */
  set(body: Record<string, unknown>): void {
    this.perSecond = limitIn(body, 'per_second');
    this.chatPerSecond = limitIn(body, 'chat_per_second');
    this.recent = [];
    this.chatFreeAt.clear();
    this.refused = 0;
  }

  /** Counts a message, or returns the refusal of one that comes too early. */
  refusalOf(method: string, chatId: number | null, now = Date.now()): CallFault | undefined {
    if (!method.startsWith('send') || chatId === null) return undefined;
    const waitMs = Math.max(this.botWaitMs(now), this.chatWaitMs(chatId, now));
    if (waitMs > 0) {
      this.refused += 1;
      return { method, times: 1, status: 429, retry_after: Math.ceil(waitMs / 1000) };
    }
    this.recent.push(now);
    if (this.chatPerSecond !== null) {
      const from = Math.max(now, this.chatFreeAt.get(chatId) ?? 0);
      this.chatFreeAt.set(chatId, from + 1000 / this.chatPerSecond);
    }
    return undefined;
  }

  private botWaitMs(now: number): number {
    this.recent = this.recent.filter((at) => at > now - 1000);
    if (this.perSecond === null || this.recent.length < this.perSecond) return 0;
    return (this.recent[0] ?? now) + 1000 - now;
  }

  private chatWaitMs(chatId: number, now: number): number {
    return (this.chatFreeAt.get(chatId) ?? 0) - TOLERANCE_MS - now;
  }
}

function limitIn(body: Record<string, unknown>, field: string): number | null {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !(value > 0)) throw new LimitError(`${field} must be a positive number`);
  return value;
}
