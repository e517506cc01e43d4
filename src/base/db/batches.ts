import { setTimeout as sleep } from 'node:timers/promises';
import { hasCompany, outsideProject, ShareExceeded } from './project-share';

/** Rows of one transaction: others wait for what it locks. */
export const BATCH_ROWS = 1_000;

/** A batch that waited for a lock cost others nothing. */
const MAX_REST_MS = 500;

/** Repeats a statement that changes `BATCH_ROWS` rows at most, each time in a transaction of its own, until no more are left. */
export async function inBatches(changeNext: () => Promise<number>): Promise<void> {
  while ((await changeNext()) === BATCH_ROWS);
}

/** Runs the work of a project after what it was given before. Throws `ShareExceeded` if it has not begun after `waitMs`. */
export type Turns = <T>(
  projectId: string,
  work: () => Promise<T>,
  options?: { waitMs?: number },
) => Promise<T>;

/** A queue for each project; `begin` runs what is first in one. */
export function createTurns(begin: (work: () => Promise<void>, projectId: string) => Promise<void>): Turns {
  const lastOf = new Map<string, Promise<void>>();

  function enqueue(projectId: string, work: () => Promise<void>): void {
    const ended = (lastOf.get(projectId) ?? Promise.resolve()).then(() => begin(work, projectId));
    lastOf.set(projectId, ended);
    void ended.then(() => {
      if (lastOf.get(projectId) === ended) lastOf.delete(projectId);
    });
  }

  return (projectId, work, { waitMs = Infinity } = {}) =>
    new Promise((resolve, reject) => {
      let isGivenUp = false;
      const giveUp = () => {
        isGivenUp = true;
        reject(new ShareExceeded());
      };
      const timer = waitMs === Infinity ? undefined : setTimeout(giveUp, waitMs);
      enqueue(projectId, async () => {
        if (isGivenUp) return;
        clearTimeout(timer);
        // It takes one connection, and must not wait for others of its project while the turn is its own.
        await outsideProject(work).then(resolve, reject);
      });
    });
}

/**
 * For the large requests of a project: one at a time, and after each the project waits for as long as it took if the process
 * serves others as well. Several at once would take both the event loop and the database from the short requests of a login.
 */
export const inRequestTurn = createTurns(async (work, projectId) => {
  const startedAt = performance.now();
  await work();
  if (hasCompany(projectId)) await rest(startedAt);
});

function rest(startedAt: number): Promise<void> {
  return sleep(Math.min(performance.now() - startedAt, MAX_REST_MS), undefined, { ref: false });
}

interface LaneOptions {
  /** Whether the lane rests after work of this project. */
  restsAfter?: (projectId: string) => boolean;
  /** The next work begins after this time, even if the one before it has not ended. */
  maxHoldMs: number;
}

/** A queue for the process, with what is first in the queue of each project. After each work it rests for as long as that took. */
function createLane({ restsAfter = () => true, maxHoldMs }: LaneOptions): Parameters<typeof createTurns>[0] {
  let last: Promise<void> = Promise.resolve();
  return (work, projectId) => {
    const begun = last.then(() => ({ startedAt: performance.now(), ended: work() }));
    last = begun.then(async ({ startedAt, ended }) => {
      await endedOrHeld(ended, maxHoldMs);
      if (restsAfter(projectId)) await rest(startedAt);
    });
    return begun.then(({ ended }) => ended);
  };
}

async function endedOrHeld(ended: Promise<void>, maxHoldMs: number): Promise<void> {
  const over = new AbortController();
  const held = sleep(maxHoldMs, undefined, { ref: false, signal: over.signal }).catch(() => {});
  await Promise.race([ended, held]);
  over.abort();
}

/** A batch that takes longer mostly waits for a lock. */
const MAX_BATCH_HOLD_MS = 2_000;

/**
 * Runs one batch of work that has many, and then leaves the database alone for as long as it took: several such works take half
 * of a core together. Each of the short statements of a login would wait for a core behind them. A project waits for its own
 * batches and then takes turns with others, so that many works of one cost another no more than one, and a batch that does not
 * end holds up others only for a moment.
 */
export const inTurn = createTurns(createLane({ maxHoldMs: MAX_BATCH_HOLD_MS }));

/** A read that takes longer mostly waits in the database, for a disk or a lock. */
const MAX_READ_HOLD_MS = 500;

/**
 * The same for reads of many rows: a page of an export, a search in bodies. A rest follows only if the process serves other
 * projects as well. A slow read holds up the further ones of its project, and others only for a moment.
 */
export const inReadTurn = createTurns(createLane({ restsAfter: hasCompany, maxHoldMs: MAX_READ_HOLD_MS }));
