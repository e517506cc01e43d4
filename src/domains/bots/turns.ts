import type pg from 'pg';
import { withTransaction } from '../../base/db/pool';
import { outsideProject } from '../../base/db/project-share';
import type { Logger } from '../../base/lib/log';
import { CHAT_SECONDS_PER_CALL, countUnpacedCalls } from './queries/pace';
import { claimTurns, type ClaimedTurns, type TurnCandidate } from './queries/turns';

interface TurnRequest extends TurnCandidate {
  bot: string;
  /** By `performance.now()`. */
  deadline: number;
}

/** The turns of this process's single messages. Broadcasts claim theirs together with their recipients. */
export interface Turns {
  /** Resolves when the message may be sent; false if its turn does not come before the deadline. */
  wait(request: TurnRequest): Promise<boolean>;
  /** Counts a call that did not wait, such as a login question, so that others make room for it. */
  count(bot: string, calls: number): void;
}

interface Entry extends TurnRequest {
  /** When the chat is free, as far as known. */
  notBefore: number;
  settle(hasTurn: boolean): void;
  fail(error: unknown): void;
}

/** Candidates of one project in a claim: more than a claim can grant. */
const CANDIDATES_PER_PROJECT = 50;
const MIN_PAUSE_MS = 10;
/** Calls that did not wait are counted together. */
const COUNT_MS = 100;

/** One loop for each bot claims for all messages of this process, so that many waiting messages cost one claim. */
export function createTurns({
  pool,
  perSecond,
  log,
}: {
  pool: pg.Pool;
  perSecond: number;
  log: Logger;
}): Turns {
  const queues = new Map<string, BotQueue>();
  const uncounted = new Map<string, number>();

  function claim(bot: string, candidates: TurnCandidate[]): Promise<ClaimedTurns> {
    // The candidates are of several projects.
    return outsideProject(() =>
      withTransaction(pool, (db) => claimTurns(db, { bot, perSecond, urgent: true, candidates })),
    );
  }

  function writeCount(bot: string): void {
    const calls = uncounted.get(bot) ?? 0;
    uncounted.delete(bot);
    countUnpacedCalls(pool, bot, calls, perSecond).catch((err: unknown) =>
      log.debug({ err, bot }, 'calls of a bot could not be counted'),
    );
  }

  return {
    wait(request) {
      const { bot } = request;
      const queue = queues.get(bot) ?? new BotQueue((candidates) => claim(bot, candidates));
      queues.set(bot, queue);
      return queue.wait(request);
    },
    count(bot, calls) {
      if (!uncounted.has(bot)) setTimeout(() => writeCount(bot), COUNT_MS).unref();
      uncounted.set(bot, (uncounted.get(bot) ?? 0) + calls);
    },
  };
}

class BotQueue {
  private entries: Entry[] = [];
  private isRunning = false;
  /** Until then the bot has no turn; null while that is not known. */
  private busyUntil: number | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly claim: (candidates: TurnCandidate[]) => Promise<ClaimedTurns>) {}

  wait(request: TurnRequest): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.entries.push({ ...request, notBefore: 0, settle: resolve, fail: reject });
      if (!this.isRunning) void this.run();
      else if (this.busyUntil === null) this.wake?.();
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.entries.length > 0) {
      this.busyUntil = null;
      const ready = this.ready();
      if (ready.length > 0) await this.claimFor(ready);
      this.giveUpLate();
      if (this.entries.length > 0) await this.pause();
    }
    this.isRunning = false;
  }

  /** The first messages of each project whose chat may be free. */
  private ready(): Entry[] {
    const now = performance.now();
    const taken = new Map<string, number>();
    return this.entries.filter(({ notBefore, projectId }) => {
      const count = taken.get(projectId) ?? 0;
      if (notBefore > now || count >= CANDIDATES_PER_PROJECT) return false;
      taken.set(projectId, count + 1);
      return true;
    });
  }

  private async claimFor(ready: Entry[]): Promise<void> {
    let claimed: ClaimedTurns;
    try {
      claimed = await this.claim(ready);
    } catch (error) {
      this.remove(new Set(ready));
      for (const entry of ready) entry.fail(error);
      return;
    }
    const now = performance.now();
    const served = new Set(ready.filter((_, index) => claimed.granted.has(index)));
    this.remove(served);
    for (const entry of served) entry.settle(true);
    for (const [index, waitMs] of claimed.chatWaitMs) {
      const entry = ready[index];
      if (entry) entry.notBefore = now + waitMs;
    }
    const chats = new Map([...served].map(({ chatId, calls }) => [chatId, calls]));
    for (const entry of this.entries) {
      const calls = chats.get(entry.chatId);
      if (calls !== undefined) entry.notBefore = now + calls * CHAT_SECONDS_PER_CALL * 1000;
    }
    const refused = ready.filter((entry) => !served.has(entry) && entry.notBefore <= now);
    if (refused.length > 0) this.busyUntil = now + claimed.waitMs;
  }

  /** Messages whose turn cannot come in time need not wait until then. */
  private giveUpLate(): void {
    const now = performance.now();
    const late = new Set(
      this.entries.filter(
        ({ deadline, notBefore }) => Math.max(now, notBefore, this.busyUntil ?? 0) >= deadline,
      ),
    );
    this.remove(late);
    for (const entry of late) entry.settle(false);
  }

  private remove(entries: Set<Entry>): void {
    this.entries = this.entries.filter((entry) => !entries.has(entry));
  }

  /** Until the bot or a chat is free. A message that arrives in between wakes it, unless the bot is known to be busy. */
  private async pause(): Promise<void> {
    const now = performance.now();
    const nextChat = Math.min(...this.entries.map(({ notBefore }) => notBefore));
    const until = Math.min(this.busyUntil ?? nextChat, ...this.entries.map(({ deadline }) => deadline));
    // A message that arrived during the claim.
    if (until <= now) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(until - now, MIN_PAUSE_MS));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = null;
  }
}
