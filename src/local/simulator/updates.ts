import type { FaultPlan } from './faults';

export interface Update {
  /** `update_id` on Telegram, the sequence number on MAX. */
  id: number;
  type: string;
  chatId: number;
  body: Record<string, unknown>;
}

interface PollOptions {
  limit: number;
  timeoutMs: number;
  accepts: (update: Update) => boolean;
  signal: AbortSignal;
}

/** Updates held for reordering are released after this time even if no other update arrives. */
const MAX_HOLD_MS = 30_000;

/** Unacknowledged updates, in delivery order. */
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
    this.holdTimer ??= setTimeout(() => this.release(), MAX_HOLD_MS);
  }

  /** Removes the updates before the id. */
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

  unacknowledged(): readonly Update[] {
    return this.pending;
  }

  onPush(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves as soon as there are updates, or with none at the timeout or when the client disconnects. */
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
    // Queue both copies before notifying, or a poll could acknowledge the second together with the first.
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
