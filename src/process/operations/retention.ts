import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Config } from '../../base/config';
import { limits } from '../../base/contract/limits';
import { BATCH_ROWS } from '../../base/db/batches';
import { removalsOf, repeated, retentions, type Removal } from '../../base/db/retention';
import type { Logger } from '../../base/lib/log';
import { startPeriodicJob, type PeriodicJob } from '../../base/lib/periodic-job';
import { failAbandonedMessages } from '../../domains/messages/abandoned';
import { cancelAbandoned } from '../../domains/webhooks/queries/deliveries';

export interface RetentionDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_RETENTION_DAYS' | 'HERALD_SUBSCRIBER_ID_FORMAT'>;
  log: Logger;
  signal?: AbortSignal;
}

const INTERVAL_MS = 10 * 60_000;

/** Everything that ends after a time, in this order: what is ended here is deleted by a later run. */
function tasksOf({ pool, config }: RetentionDeps): Removal[] {
  return [
    repeated('paused deliveries', () => cancelAbandoned(pool, limits.webhookPausedDays, BATCH_ROWS)),
    {
      name: 'abandoned messages',
      next: async () => ({ affected: await failAbandonedMessages(pool, config), more: false }),
    },
    ...retentions.entries().flatMap(({ tables }) => removalsOf(pool, tables(config.HERALD_RETENTION_DAYS))),
  ];
}

/**
 * Cancels deliveries that were paused for too long, fails abandoned messages, and deletes rows past their retention. The
 * tasks take turns, a batch each, so that none waits for a long one, and after each batch the run pauses for as long as
 * the batch took: requests and deliveries keep half of the database at least. A task that fails ends for this run.
 */
export async function runRetention(deps: RetentionDeps): Promise<Record<string, number>> {
  const affected: Record<string, number> = {};
  let tasks = tasksOf(deps);
  while (tasks.length > 0 && !deps.signal?.aborted) {
    const unfinished: Removal[] = [];
    for (const task of tasks) {
      if (deps.signal?.aborted) break;
      const started = performance.now();
      const batch = await task.next().catch((err: unknown) => {
        deps.log.warn({ err, task: task.name }, 'a retention task failed; the next run repeats it');
        return { affected: 0, more: false };
      });
      if (batch.affected > 0) affected[task.name] = (affected[task.name] ?? 0) + batch.affected;
      if (!batch.more) continue;
      unfinished.push(task);
      await sleep(performance.now() - started);
    }
    tasks = unfinished;
  }
  if (Object.keys(affected).length > 0) deps.log.info({ affected }, 'retention run');
  return affected;
}

/** Safe to run in several processes at once: each batch leaves rows that another process has locked to it. */
export function startRetention(deps: Omit<RetentionDeps, 'signal'>): PeriodicJob {
  return startPeriodicJob({
    everyMs: INTERVAL_MS,
    run: (signal) => runRetention({ ...deps, signal }),
    log: deps.log,
    failure: 'a retention run failed and will be retried',
  });
}
