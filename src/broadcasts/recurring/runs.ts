import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { AppError } from '../../contract/errors';
import type { Core } from '../../core';
import { withTransaction } from '../../db/pool';
import { emitEvent } from '../../events';
import { isoTime } from '../../lib/iso-time';
import { storeContent, type StoredContent } from '../../messages';
import { isBillingBlocked } from '../../projects';
import { insertAudienceJob, TooManyRecipients } from '../audience-job';
import { localName } from './cron';
import { isOver, isPlanned, LATE_MS, nextRunAfter } from './occurrences';
import {
  claimedAhead,
  countRun,
  endRun,
  findRecurringById,
  insertRun,
  isRunOpen,
  lockRecurring,
  type LockedRecurring,
} from './queries';
import { settle } from './settle';

export type RunDeps = Pick<Core, 'pool' | 'config' | 'log'>;

export interface RunResult {
  status: 'started' | 'skipped' | 'failed' | 'ignored';
  reason: string | null;
}

const IGNORED: RunResult = { status: 'ignored', reason: null };

/** An occurrence of the schedule. It is claimed once, whatever starts it and how often. */
export function runOccurrence(deps: RunDeps, recurringId: string, at: Date): Promise<RunResult> {
  return run(deps, recurringId, { runId: randomUUID(), at });
}

/** A run by hand, also while the schedule is paused. */
export function runNow(deps: RunDeps, recurringId: string, runId: string): Promise<RunResult> {
  return run(deps, recurringId, { runId, at: null });
}

interface Wanted {
  runId: string;
  /** The occurrence; null for a run by hand. */
  at: Date | null;
}

async function run(deps: RunDeps, recurringId: string, wanted: Wanted): Promise<RunResult> {
  let reason: string | null = null;
  for (;;) {
    try {
      return await attempt(deps, recurringId, wanted, reason);
    } catch (error) {
      // The transaction is rolled back; the claim says why nothing was sent.
      if (error instanceof EmptyAudience) reason = 'empty_audience';
      else if (error instanceof TooManyRecipients) reason = 'invalid_message';
      // Its content, or the audience that gave the reason, was read before the change.
      else if (error instanceof Changed) reason = null;
      else if (error instanceof Ignored) return IGNORED;
      else throw error;
    }
  }
}

/** `reason`: why nothing can be sent, if that is known. */
async function attempt(
  deps: RunDeps,
  recurringId: string,
  { runId, at }: Wanted,
  reason: string | null,
): Promise<RunResult> {
  const { pool, config } = deps;
  const before = await findRecurringById(pool, recurringId);
  if (!before) return IGNORED;
  const content = await contentNow(deps, before);
  const isBlocked = await isBillingBlocked(pool, before.project_id, config.HERALD_GRACE_HOURS);
  return withTransaction(pool, async (db): Promise<RunResult> => {
    const row = await lockRecurring(db, recurringId);
    if (!row || row.status === 'ended') throw new Ignored();
    if (at && (row.status === 'paused' || !isPlanned(row, at))) throw new Ignored();
    if (!at && isOver(row, row.now, await claimedAhead(db, recurringId))) throw new Ignored();
    if (row.revision !== before.revision) throw new Changed();
    const why =
      reason ?? (at && missed(row, at)) ?? (await overlap(db, row)) ?? (isBlocked ? 'billing_blocked' : null);
    const isStarted = why === null && content !== null;
    const jobId = isStarted ? randomUUID() : null;
    const failed = why === null && !content;
    const status = isStarted ? 'started' : failed || why === 'invalid_message' ? 'failed' : 'skipped';
    const claimed = await insertRun(db, {
      id: runId,
      recurringId,
      scheduledFor: at ?? row.now,
      localTime: at && localName(at, row.timezone),
      status,
      reason: failed ? 'invalid_message' : why,
      jobId,
    });
    if (!claimed) throw new Ignored();
    if (jobId && content) await startJob(db, row, { jobId, runId, content, at: at ?? row.now });
    await settle(db, { ...row, runs: row.runs + (isStarted ? 1 : 0) });
    return { status, reason: why };
  });
}

/** There is nothing to run. Thrown, so that the transaction rolls back and a refused request has no entry in the audit log. */
class Ignored extends Error {}

/** The broadcast was changed while its run was prepared. */
class Changed extends Error {}

/** The template and media of the moment; null if they can no longer be sent. */
async function contentNow(
  { pool, config, log }: RunDeps,
  row: { id: string; project_id: string; content: LockedRecurring['content'] },
): Promise<StoredContent | null> {
  try {
    return await storeContent(pool, row.project_id, row.content, { allowLocal: config.allowLocalWebhooks });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ err: error, recurring_id: row.id }, 'a recurring message can no longer be sent');
    return null;
  }
}

function missed(row: LockedRecurring, at: Date): string | null {
  if (row.now.getTime() - at.getTime() > LATE_MS) return 'missed';
  const later = nextRunAfter({ ...row, max_runs: null }, at);
  return later && later <= row.now ? 'missed' : null;
}

async function overlap(db: pg.PoolClient, { id }: LockedRecurring): Promise<string | null> {
  return (await isRunOpen(db, id)) ? 'overlap' : null;
}

class EmptyAudience extends Error {}

async function startJob(
  db: pg.PoolClient,
  row: LockedRecurring,
  { jobId, runId, content, at }: { jobId: string; runId: string; content: StoredContent; at: Date },
): Promise<void> {
  const { active } = await insertAudienceJob(db, row.project_id, {
    id: jobId,
    content,
    audience: row.audience,
    messages_per_minute: null,
    scheduled_id: null,
    run_id: runId,
  });
  if (active === 0) throw new EmptyAudience();
  await countRun(db, row.id, at);
}

/** With the end of a run's broadcast, in the same transaction. */
export async function endRunWithJob(
  db: pg.PoolClient,
  runId: string,
  projectId: string,
  job: {
    id: string;
    isCancelled: boolean;
    counts: { sent: number; failed: number; skipped: number; total: number };
    ended_at: Date;
  },
): Promise<void> {
  const end = job.isCancelled
    ? { status: 'failed' as const, reason: 'cancelled' }
    : { status: 'completed' as const, reason: null };
  const ended = await endRun(db, runId, end);
  if (!ended || job.isCancelled) return;
  await emitEvent(db, projectId, 'recurring.sent', {
    recurring_id: ended.recurring_id,
    name: ended.name,
    run_id: ended.run_id,
    job_id: job.id,
    scheduled_for: isoTime(ended.scheduled_for),
    ...job.counts,
    occurred_at: isoTime(job.ended_at),
  });
}
