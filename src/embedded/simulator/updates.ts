import type { FaultPlan } from './faults';

export interface Update {
  /** `update_id` on Telegram, the place in the stream on MAX */
  id: number;
  type: string;
  chatId: number;
  body: Record<string, unknown>;
}

export interface PollOptions {
  limit: number;
  timeoutMs: number;
  accepts: (update: Update) => boolean;
  signal: AbortSignal;
}

/** Held-back updates go out at last, even when the one they wait for never comes. */
const HOLD_AT_MOST_MS = 3_000;

/** Updates nobody has acknowledged yet, in the order in which they are handed out. */
export class UpdateQueue {
  private pending: Update[] = [];
  private held: Update[] = [];
  private holdTimer: NodeJS.Timeout | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly faults: FaultPlan) {
    faults.whenCleared(() => this.release());
  }

  push(update: Update): void {
    if (!this.faults.takeForUpdate('reorder')) return this.enqueue(update);
    this.held.push(update);
    if (this.faults.remaining('reorder') === 0) return this.release();
    this.holdTimer ??= setTimeout(() => this.release(), HOLD_AT_MOST_MS);
  }

  /** Everything before the id is delivered for good. */
  acknowledgeBefore(id: number): void {
    this.pending = this.pending.filter((update) => update.id >= id);
  }

  keepLast(count: number): void {
    this.pending = this.pending.slice(-count);
  }

  remove(update: Update): void {
    const index = this.pending.indexOf(update);
    if (index >= 0) this.pending.splice(index, 1);
  }

  dropAll(): void {
    this.pending = [];
  }

  waiting(): readonly Update[] {
    return this.pending;
  }

  onPush(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Answers as soon as there is something, with nothing at the time limit or when the caller has gone. */
  async poll({ limit, timeoutMs, accepts, signal }: PollOptions): Promise<Update[]> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const batch = this.pending.filter(accepts).slice(0, limit);
      const left = deadline - Date.now();
      if (batch.length > 0 || left <= 0 || signal.aborted) return batch;
      await this.nextPush(left, signal);
    }
  }

  stop(): void {
    clearTimeout(this.holdTimer);
  }

  private nextPush(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        unsubscribe();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      const unsubscribe = this.onPush(done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  private enqueue(...updates: Update[]): void {
    // Both copies join before anyone wakes: a poll would otherwise acknowledge the second with the first.
    for (const update of updates) {
      this.pending.push(update);
      if (this.faults.takeForUpdate('duplicate')) this.pending.push({ ...update });
    }
    for (const listener of [...this.listeners]) listener();
  }

  private release(): void {
    clearTimeout(this.holdTimer);
    this.holdTimer = undefined;
    const updates = this.held.reverse();
    this.held = [];
    if (updates.length > 0) this.enqueue(...updates);
  }
}
