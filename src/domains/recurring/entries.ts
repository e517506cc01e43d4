import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { AppError, orNotFound } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { lockProject } from '../projects';
import {
  checkContentNow,
  checkTemplate,
  type ContentCheckDeps,
  readProject,
  requireRoomForEntry,
} from '../broadcasts';
import type { NewRecurring, RecurringChanges, RecurringView, RunView } from './contract';
import { CronFault, localName, parseCron } from './cron';
import { nextRunAfter, occursAt, openOccurrence } from './occurrences';
import {
  changeRecurring,
  claimedAhead,
  endRecurring,
  findRecurring,
  findRun,
  insertRecurring,
  insertRun,
  lockRecurring,
  type LockedRecurring,
  type RecurringRow,
  type RecurringValues,
  type RunRow,
} from './queries/recurring';
import { advance, recordMissed, runNow, type RunDeps } from './runs';

export type RecurringDeps = Pick<Core, 'pool' | 'config' | 'log'>;

export async function createRecurring(
  deps: RecurringDeps,
  projectId: string,
  request: NewRecurring,
  work: Work,
): Promise<RecurringRow> {
  const { pool } = deps;
  const earlier = work.resumed ? await findRecurring(pool, projectId, work.id) : null;
  if (earlier) return earlier;
  const project = await readProject(pool, projectId);
  const values: RecurringValues = {
    name: request.name,
    content: request.content,
    audience: request.audience,
    cron: request.cron.trim(),
    timezone: request.timezone ?? project.timezone,
    start_at: timeOrNull(request.start_at),
    end_at: timeOrNull(request.end_at),
    max_runs: request.max_runs ?? null,
  };
  checkTimes(values);
  await checkContentNow(deps, project.id, request.content);
  return withTransaction(pool, async (db) => {
    await requireRoomForEntry(db, project.id);
    await checkTemplate(db, project.id, request.content);
    return advance(db, await insertRecurring(db, project.id, work.id, values), 'request');
  });
}

export async function patchRecurring(
  deps: ContentCheckDeps,
  projectId: string,
  id: string,
  changes: RecurringChanges,
): Promise<RecurringRow> {
  const { pool } = deps;
  const found = orNotFound(await findRecurring(pool, projectId, id));
  if (found.status === 'ended') throw ended();
  if (changes.content) await checkContentNow(deps, projectId, changes.content);
  return withTransaction(pool, async (db) => {
    // Templates, tags and permissions that the broadcast names are not removed under this lock.
    await lockProject(db, projectId);
    if (changes.content) await checkTemplate(db, projectId, changes.content);
    const before = await requireOpen(db, id);
    const values = {
      name: changes.name ?? before.name,
      content: changes.content ?? before.content,
      audience: changes.audience ?? before.audience,
      cron: changes.cron?.trim() ?? before.cron,
      timezone: changes.timezone ?? before.timezone,
      start_at: changes.start_at === undefined ? before.start_at : timeOrNull(changes.start_at),
      end_at: changes.end_at === undefined ? before.end_at : timeOrNull(changes.end_at),
      max_runs: changes.max_runs === undefined ? before.max_runs : changes.max_runs,
      status: changes.status ?? before.status,
    };
    checkTimes(values, before);
    const isSame = hasTimesOf(before, values) && values.status === before.status;
    if (!isSame) await skipDue(db, before);
    const changed = await changeRecurring(db, id, { ...values, next_at: isSame ? before.next_at : null });
    return advance(db, { ...changed, now: before.now }, 'request');
  });
}

/** The broadcast of a run that has started goes on; it can be cancelled by its job_id. */
export async function removeRecurring(
  { pool }: Pick<RecurringDeps, 'pool'>,
  projectId: string,
  id: string,
): Promise<void> {
  orNotFound(await findRecurring(pool, projectId, id));
  await withTransaction(pool, async (db) => {
    orNotFound(await lockRecurring(db, id));
    await endRecurring(db, id, 'request', { deleted: true });
  });
}

export async function startRunNow(
  deps: RunDeps,
  projectId: string,
  id: string,
  work: Work,
): Promise<{ run_id: string }> {
  if (work.resumed && (await findRun(deps.pool, work.id))) return { run_id: work.id };
  orNotFound(await findRecurring(deps.pool, projectId, id));
  const isStarted = await runNow(deps, id, work.id);
  // Another request of the same work may have started it meanwhile.
  if (!isStarted && !(await findRun(deps.pool, work.id))) throw ended();
  return { run_id: work.id };
}

/** Claims the occurrence, so that no run can. */
export async function skipOccurrence(
  { pool }: RecurringDeps,
  projectId: string,
  id: string,
  { at, work }: { at: string | undefined; work: Work },
): Promise<RecurringRow> {
  orNotFound(await findRecurring(pool, projectId, id));
  return withTransaction(pool, async (db) => {
    const earlier =
      work.resumed && (await findRun(db, work.id)) ? await findRecurring(db, projectId, id) : null;
    if (earlier) return earlier;
    const row = await requireOpen(db, id);
    const wanted = at === undefined ? nextRunAfter(row, row.now, await claimedAhead(db, id)) : new Date(at);
    if (!wanted) throw new AppError('conflict', 'There is no occurrence left to skip.');
    if (wanted <= row.now || !occursAt(row, wanted)) {
      throw new AppError('validation_failed', 'at: is not an occurrence to come');
    }
    const claimed = await insertRun(db, {
      id: work.id,
      recurringId: id,
      scheduledFor: wanted,
      localTime: localName(wanted, row.timezone),
      status: 'skipped',
      reason: 'by_request',
      jobId: null,
    });
    if (!claimed) throw new AppError('conflict', 'This occurrence is skipped already.');
    return advance(db, row, 'request');
  });
}

/** Occurrences of the old times that are due do not run: they leave skipped runs. The caller holds the row's lock. */
async function skipDue(db: pg.PoolClient, row: LockedRecurring): Promise<void> {
  await recordMissed(db, row);
  const due = openOccurrence(row, row.now, await claimedAhead(db, row.id));
  if (!due || due > row.now) return;
  await insertRun(db, {
    id: randomUUID(),
    recurringId: row.id,
    scheduledFor: due,
    // No claim: in another time zone the same local time is still to come.
    localTime: null,
    status: 'skipped',
    reason: 'by_request',
    jobId: null,
  });
}

async function requireOpen(db: Db, id: string): Promise<LockedRecurring> {
  const row = orNotFound(await lockRecurring(db, id));
  if (row.status === 'ended' || !openOccurrence(row, row.now, await claimedAhead(db, id))) throw ended();
  return row;
}

const ended = () => new AppError('conflict', 'The recurring message has ended.');

function timeOrNull(text: string | null | undefined): Date | null {
  return text === undefined || text === null ? null : new Date(text);
}

/** Refuses a cron expression that is malformed, and times that leave no occurrence. */
function checkTimes(values: RecurringValues, before: LockedRecurring | null = null): void {
  const runs = before?.runs ?? 0;
  try {
    parseCron(values.cron);
  } catch (error) {
    if (error instanceof CronFault) throw new AppError('validation_failed', `cron: ${error.message}`);
    throw error;
  }
  if (values.start_at && values.end_at && values.end_at <= values.start_at) {
    throw new AppError('validation_failed', 'end_at: must be after start_at');
  }
  if (values.max_runs !== null && runs >= values.max_runs) {
    throw new AppError('validation_failed', `max_runs: must be more than the ${runs} runs so far`);
  }
  // With unchanged times, an occurrence that is already due still runs.
  if (before && hasTimesOf(before, values)) return;
  if (nextRunAfter({ ...values, runs }, new Date()) === null) {
    const field = values.end_at ? 'end_at' : values.start_at ? 'start_at' : 'cron';
    throw new AppError('validation_failed', `${field}: leaves no occurrence`);
  }
}

function hasTimesOf(before: RecurringValues, values: RecurringValues): boolean {
  return (
    values.cron === before.cron &&
    values.timezone === before.timezone &&
    values.start_at?.getTime() === before.start_at?.getTime() &&
    values.end_at?.getTime() === before.end_at?.getTime()
  );
}

export function presentRecurring(row: RecurringRow): RecurringView {
  return {
    recurring_id: row.id,
    name: row.name,
    content: row.content,
    audience: row.audience,
    cron: row.cron,
    timezone: row.timezone,
    start_at: isoTimeOrNull(row.start_at),
    end_at: isoTimeOrNull(row.end_at),
    max_runs: row.max_runs,
    status: row.status,
    next_run_at: row.status === 'active' ? isoTimeOrNull(row.next_at) : null,
    last_run_at: isoTimeOrNull(row.last_run_at),
    runs: row.runs,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export function presentRun({ id, scheduled_for, status, reason, job_id }: RunRow): RunView {
  return { run_id: id, scheduled_for: isoTime(scheduled_for), status, reason, job_id };
}
