import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { dueAgain, nothingDue, reportNext, unschedule, type Advanced } from '../../base/agenda';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import type { StoredContent } from '../messages';
import { lockProject, parkUntilActive } from '../projects';
import {
  type AudienceCount,
  type BroadcastEndHook,
  insertAudienceJob,
  prepare,
  TooManyJobs,
} from '../broadcasts';
import type { RecurringStatus } from './contract';
import { localName } from './cron';
import { dueOccurrences, openOccurrence } from './occurrences';
import {
  claimedAhead,
  countRun,
  endRecurring,
  endRun,
  findRecurringById,
  insertMissedRuns,
  insertRun,
  isRunOpen,
  lockRecurring,
  recordNext,
  RECURRING,
  type LockedRecurring,
  type RecurringRow,
  type Writer,
} from './queries/recurring';

export type RunDeps = Pick<Core, 'pool' | 'config' | 'log'>;

/** `parked`: the project is inactive, and the message waits without a workflow. */
export type RunDueResult = Advanced<RecurringStatus | 'parked'>;

/** Runs the occurrence that is due, if there is one, and finds the next. Repeatable: an occurrence is claimed once. */
export async function runDue(deps: RunDeps, id: string): Promise<RunDueResult> {
  const found = await findRecurringById(deps.pool, id);
  const isParked = found && (await withTransaction(deps.pool, (db) => parkUntilActive(db, RECURRING, found)));
  if (isParked) return nothingDue('parked');
  if (found?.next_at && found.next_at <= found.now) {
    await run(deps, id, { runId: randomUUID(), isManual: false });
  }
  return withTransaction(deps.pool, async (db) => {
    const row = await lockRecurring(db, id);
    if (!row) {
      await unschedule(db, RECURRING, [id]);
      return nothingDue('ended');
    }
    const { status, next_at: nextAt } = await advance(db, row, 'workflow');
    await reportNext(db, RECURRING, row, nextAt);
    return nextAt ? dueAgain(status, nextAt, row.now) : nothingDue(status);
  });
}

/** Runs it now, also while it is paused. Returns false if it has ended. */
export function runNow(deps: RunDeps, id: string, runId: string): Promise<boolean> {
  return run(deps, id, { runId, isManual: true });
}

/**
 * Records the occurrences that were missed and the time of the next one. A message that has none left ends, so that it no
 * longer counts as open. The caller holds the row's lock.
 */
export async function advance(
  db: pg.PoolClient,
  row: LockedRecurring,
  writer: Writer,
): Promise<RecurringRow> {
  if (row.status === 'ended') return row;
  await recordMissed(db, row);
  const next = openOccurrence(row, row.now, await claimedAhead(db, row.id));
  if (!next) return endRecurring(db, row.id, writer);
  return recordNext(db, row.id, row.status === 'paused' ? row.end_at : next, writer);
}

/** The caller holds the row's lock. */
export async function recordMissed(db: pg.PoolClient, row: LockedRecurring): Promise<void> {
  const { missed } = dueOccurrences(row, row.now);
  if (missed.length === 0) return;
  const runs = missed.map((at) => ({ at, localTime: localName(at, row.timezone) }));
  await insertMissedRuns(db, row.id, runs);
}

interface Wanted {
  runId: string;
  /** A request for a run now; otherwise the occurrence that is due runs. */
  isManual: boolean;
}

/** Returns false if there was nothing to run. */
async function run(deps: RunDeps, recurringId: string, wanted: Wanted): Promise<boolean> {
  let reason: string | null = null;
  for (;;) {
    try {
      await attempt(deps, recurringId, wanted, reason);
      return true;
    } catch (error) {
      // The transaction is rolled back; the claim says why nothing was sent.
      if (error instanceof TooManyJobs) reason = 'too_many_jobs';
      // Its content, or the audience that gave the reason, was read before the change.
      else if (error instanceof Changed) reason = null;
      else if (error instanceof NothingToRun) return false;
      else throw error;
    }
  }
}

/** `reason`: why nothing can be sent, if that is known. */
async function attempt(
  deps: RunDeps,
  recurringId: string,
  { runId, isManual }: Wanted,
  reason: string | null,
): Promise<void> {
  const { pool } = deps;
  const before = await findRecurringById(pool, recurringId);
  if (!before) throw new NothingToRun();
  const prepared = await prepare(deps, before);
  await withTransaction(pool, async (db) => {
    // Before the message, as everywhere.
    await lockProject(db, before.project_id);
    const row = await lockRecurring(db, recurringId);
    if (!row || row.status === 'ended') throw new NothingToRun();
    const open = openOccurrence(row, row.now, await claimedAhead(db, recurringId));
    const isDue = open !== null && open <= row.now;
    if (isManual ? !open : !isDue) throw new NothingToRun();
    if (row.revision !== before.revision) throw new Changed();
    const at = isManual ? null : open;
    const why = reason ?? (await overlap(db, row)) ?? prepared.reason;
    const jobId = why === null ? randomUUID() : null;
    const claimed = await insertRun(db, {
      id: runId,
      recurringId,
      scheduledFor: at ?? row.now,
      localTime: at && localName(at, row.timezone),
      status: why === null ? 'started' : why === 'invalid_message' ? 'failed' : 'skipped',
      reason: why,
      jobId,
    });
    if (!claimed) throw new NothingToRun();
    if (jobId && prepared.reason === null) {
      await startJob(db, row, { ...prepared, jobId, runId, at: at ?? row.now });
    }
    await advance(db, { ...row, runs: row.runs + (jobId ? 1 : 0) }, isManual ? 'request' : 'workflow');
  });
}

/** Thrown, so that the transaction rolls back and a refused request has no entry in the audit log. */
class NothingToRun extends Error {}

/** The broadcast was changed while its run was prepared. */
class Changed extends Error {}

async function overlap(db: pg.PoolClient, { id }: LockedRecurring): Promise<string | null> {
  return (await isRunOpen(db, id)) ? 'overlap' : null;
}

async function startJob(
  db: pg.PoolClient,
  row: LockedRecurring,
  given: { jobId: string; runId: string; content: StoredContent; counted: AudienceCount; at: Date },
): Promise<void> {
  const job = {
    id: given.jobId,
    content: given.content,
    audience: row.audience,
    messages_per_minute: null,
    scheduled_id: null,
    run_id: given.runId,
    recurring_id: row.id,
  };
  await insertAudienceJob(db, row.project_id, job, given.counted);
  await countRun(db, row.id, given.at);
}

/** With the end of a run's broadcast, in the same transaction. */
export const endRunWithJob: BroadcastEndHook = async (db, job) => {
  if (job.run_id === null) return;
  const end = job.isCancelled
    ? { status: 'failed' as const, reason: 'cancelled' }
    : { status: 'completed' as const, reason: null };
  const ended = await endRun(db, job.run_id, end);
  if (!ended || job.isCancelled) return;
  await emitEvent(db, job.project_id, 'recurring.sent', {
    recurring_id: ended.recurring_id,
    name: ended.name,
    run_id: ended.run_id,
    job_id: job.id,
    scheduled_for: isoTime(ended.scheduled_for),
    ...job.counts,
    occurred_at: isoTime(job.ended_at),
  });
};
