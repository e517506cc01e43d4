import { setTimeout as sleep } from 'node:timers/promises';
import { outsideProject, ShareExceeded } from './project-share';

/** Rows of one transaction: others wait for what it locks. */
export const BATCH_ROWS = 1_000;

/** A batch that waited for a lock cost others nothing. */
const MAX_REST_MS = 500;

/** Repeats a statement that changes `BATCH_ROWS` rows at most, each time in a transaction of its own, until no more are left. */
export async function inBatches(changeNext: () => Promise<number>): Promise<void> {
  while ((await changeNext()) === BATCH_ROWS);
}

/** The last batch in the queue of the process, and in that of each project. */
let last: Promise<void> = Promise.resolve();
const lastOf = new Map<string, Promise<void>>();

/**
 * Runs one batch of work that has many, and then leaves the database alone for as long as it took: several such works take half
 * of a core together. Each of the short statements of a login would wait for a core behind them. A project waits for its own
 * batches and then takes turns with others, so that many works of one cost another no more than one. Throws
 * `ShareExceeded` if the batch has not begun after `waitMs`.
 */
export function inTurn<T>(
  projectId: string,
  batch: () => Promise<T>,
  { waitMs = Infinity }: { waitMs?: number } = {},
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
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
      await outsideProject(batch).then(resolve, reject);
    });
  });
}

/** After the batches of the project, and then after those of others that wait. */
function enqueue(projectId: string, work: () => Promise<void>): void {
  const ended = (lastOf.get(projectId) ?? Promise.resolve()).then(() => afterOthers(work));
  lastOf.set(projectId, ended);
  void ended.then(() => {
    if (lastOf.get(projectId) === ended) lastOf.delete(projectId);
  });
}

function afterOthers(work: () => Promise<void>): Promise<void> {
  let startedAt = 0;
  const ended = last.then(() => {
    startedAt = performance.now();
    return work();
  });
  last = ended.then(() =>
    sleep(Math.min(performance.now() - startedAt, MAX_REST_MS), undefined, { ref: false }),
  );
  return ended;
}
