import type pg from 'pg';
import { notifyChannels, type Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { metrics } from '../lib/metrics';
import { startSweep } from '../lib/sweep';
import {
  claimEntries,
  findDueKinds,
  finishEntry,
  type Asked,
  type Busy,
  type Entry,
  type Next,
} from './queries';

/** What a domain does when something about its rows is due. */
export interface Kind {
  name: string;
  /** Entries in flight at once in each process. */
  concurrency: number;
  /** Of them, those of one project: if its work hangs, slots are left for the others. */
  perProject: number;
  /** A process that dies holds its entries for this long. Longer than the work takes. Default: 30 seconds. */
  leaseMs?: number;
  /**
   * Does what is due for one row and returns when it is due next. Short, and idempotent: after a crash, or a result that could
   * not be written, it runs again. A failure is logged and repeated.
   */
  advance(row: Pick<Entry, 'id' | 'project_id'>): Promise<Next>;
}

export interface Agenda {
  /** Kinds whose dependencies are available later, such as those that start workflows. */
  add(kinds: readonly Kind[]): void;
  /** Claims nothing more and waits for what is in flight. */
  stop(): Promise<void>;
}

/** Finds what becomes due later, and what was changed by a process that died before its NOTIFY. */
const SWEEP_MS = 1_000;
const RETRY_MS = 10_000;
const LEASE_MS = 30_000;

/** Claims what is due, and passes each entry to its kind. Safe in several processes. */
export function startAgenda(
  { pool, notifications, log }: { pool: pg.Pool; notifications: Notifications; log: Logger },
  kinds: readonly Kind[],
): Agenda {
  const slots = new Map<string, Slots>();
  const inFlight = new Set<Promise<void>>();
  let stopped = false;
  let isClaiming = false;
  let claimAgain = false;
  let idle: Promise<void> = Promise.resolve();

  async function advance(entry: Entry, { kind }: Slots): Promise<boolean> {
    let next: Next = { inMs: RETRY_MS };
    let outcome = 'failed';
    try {
      next = await kind.advance(entry);
      outcome = 'started';
    } catch (err) {
      log.warn({ err, kind: kind.name, id: entry.id }, 'what was due failed and will be retried');
    }
    metrics.relayed.inc({ relay: kind.name, outcome });
    return finishEntry(pool, entry, next);
  }

  function launch(entry: Entry, taken: Slots): void {
    metrics.relayInFlight.inc({ relay: entry.kind });
    const run = advance(entry, taken)
      .catch((err: unknown) => {
        log.warn({ err, kind: entry.kind, id: entry.id }, 'an entry is due again when its lease ends');
        return false;
      })
      .then((isDueAgain) => {
        inFlight.delete(run);
        metrics.relayInFlight.dec({ relay: entry.kind });
        const mayFindMore = taken.release(entry.project_id);
        if (isDueAgain || mayFindMore) wake();
      });
    inFlight.add(run);
  }

  /** Returns whether another claim may find more. */
  async function claimOnce(): Promise<boolean> {
    const free = [...slots.values()].filter(({ room }) => room > 0);
    if (free.length === 0) return false;
    const due = await findDueKinds(
      pool,
      free.map(({ kind }) => kind.name),
    );
    const asked = free.filter(({ kind }) => due.includes(kind.name));
    if (asked.length === 0) return false;
    const entries = await claimEntries(
      pool,
      asked.map((each) => each.asks()),
      asked.flatMap((each) => each.busy()),
    );
    const ends = asked.map((each) => {
      const own = entries.filter(({ kind }) => kind === each.kind.name);
      const isCircleOpen = each.take(own);
      for (const entry of own) launch(entry, each);
      return isCircleOpen;
    });
    return ends.includes(true);
  }

  async function claim(): Promise<void> {
    do {
      claimAgain = false;
      if (await claimOnce()) claimAgain = true;
    } while (claimAgain && !stopped);
  }

  function wake(): void {
    if (stopped) return;
    if (isClaiming) {
      claimAgain = true;
      return;
    }
    isClaiming = true;
    idle = claim()
      .catch((err: unknown) => log.warn({ err }, 'the agenda could not be read'))
      .finally(() => {
        isClaiming = false;
        if (claimAgain) wake();
      });
  }

  function add(more: readonly Kind[]): void {
    for (const kind of more) slots.set(kind.name, new Slots(kind));
    wake();
  }

  const unsubscribe = notifications.on(notifyChannels.agenda, wake);
  const sweep = startSweep(SWEEP_MS, wake);
  add(kinds);

  return {
    add,
    async stop() {
      stopped = true;
      unsubscribe();
      sweep.stop();
      await idle;
      await Promise.all(inFlight);
    },
  };
}

/** Before the first project. */
const FIRST = '00000000-0000-0000-0000-000000000000';

/** What this process has in flight of one kind, and whose turn it is. */
class Slots {
  private readonly taken = new Map<string, number>();
  private after = FIRST;
  /** As the last claim was sent: entries that end while it runs do not make it look as if it had found few. */
  private asked = { limit: 0, taken: new Map<string, number>() };
  /** The last claim may have left entries, for lack of slots. */
  private isLimited = false;

  constructor(readonly kind: Kind) {}

  get room(): number {
    return this.kind.concurrency - sumOf(this.taken);
  }

  asks(): Asked {
    const { name, perProject, leaseMs = LEASE_MS } = this.kind;
    this.asked = { limit: this.room, taken: new Map(this.taken) };
    return { kind: name, limit: this.room, perProject, leaseMs, after: this.after };
  }

  busy(): Busy[] {
    return [...this.taken].map(([project_id, count]) => ({ kind: this.kind.name, project_id, count }));
  }

  /**
   * The next claim begins after the last project of this one, or with the first project if this one reached the end. Returns
   * whether there are projects before the one with which this claim began.
   */
  take(claimed: readonly Entry[]): boolean {
    const began = this.after;
    const { limit, taken } = this.asked;
    const isFull = claimed.length === limit;
    const projects = claimed.map(({ project_id }) => project_id).sort();
    this.after = (isFull && projects.at(-1)) || FIRST;
    for (const id of projects) {
      for (const counts of [taken, this.taken]) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    this.isLimited = isFull || [...taken.values()].some((count) => count >= this.kind.perProject);
    return !isFull && began !== FIRST;
  }

  /** Returns whether a claim may find more. True for half of the slots at once, not for each, so that claims are few. */
  release(projectId: string): boolean {
    const left = (this.taken.get(projectId) ?? 1) - 1;
    if (left > 0) this.taken.set(projectId, left);
    else this.taken.delete(projectId);
    const { concurrency, perProject } = this.kind;
    return this.isLimited && (sumOf(this.taken) <= concurrency / 2 || left <= perProject / 2);
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
