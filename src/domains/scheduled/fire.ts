import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { dueAgain, nothingDue, reportNext, unschedule, type Advanced } from '../../base/agenda';
import { normalContent } from '../../base/contract/content';
import { AppError, type ErrorCode } from '../../base/contract/errors';
import { formatSubscriberId } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { emitEvent } from '../events';
import { isoTime } from '../../base/lib/iso-time';
import {
  attemptedRecipients,
  notSent,
  sendResultOf,
  sendTo,
  skipLateMessages,
  type SendResult,
} from '../messages';
import { findProject, isBillingBlocked, lockProject, parkUntilActive, projectMaySend } from '../projects';
import type { Project } from '../projects/contract';
import type { SubscriberRecord } from '../subscribers';
import {
  type BroadcastEndHook,
  hasTooLate,
  insertAudienceJob,
  mostFrequentFailure,
  prepare,
  TooManyJobs,
  zonesOfAudience,
} from '../broadcasts';
import { RECIPIENT, type ScheduledStatus } from './contract';
import { recipientsOf } from './entries';
import {
  attachJob,
  beginSending,
  endScheduled,
  findResults,
  insertResults,
  lockScheduled,
  recordWait,
  SCHEDULED,
  type LockedScheduled,
  type ScheduledRow,
} from './queries/scheduled';
import { dueAt, earliestOf, nextCheckAt } from './when';

export type FireDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log'>;

/** `parked`: the project is inactive, and the entry waits without a workflow. */
export type FireResult = Advanced<ScheduledStatus | 'parked'>;

const LATE_MS = limits.scheduledLateHours * 3_600_000;
/** A messenger that is not connected is asked again after this time. */
const BUSY_MS = 30_000;

/**
 * Sends what is due of an entry. Each step is repeatable: after a crash the rows say what was done, and a message whose
 * call may have been made is not sent again.
 */
export async function fireScheduled(deps: FireDeps, id: string): Promise<FireResult> {
  const begun = await begin(deps, id);
  if ('status' in begun) return begun;
  const { entry, project, maySend } = begun;
  if (!maySend) return park(deps.pool, entry);
  try {
    return entry.audience
      ? await fireAudience(deps, entry, project)
      : await fireSubscribers(deps, entry, project);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'project_inactive') return park(deps.pool, entry);
    if (error.code !== 'platform_busy') throw error;
    return unlessChanged(deps.pool, entry, async (db, { now }) => {
      const nextAt = new Date(now.getTime() + BUSY_MS);
      await recordWait(db, entry, nextAt);
      return dueAgain('sending', nextAt, now);
    });
  }
}

/** In a transaction of its own, because the project is locked before the entry. */
async function park(pool: pg.Pool, entry: LockedScheduled): Promise<FireResult> {
  const isParked = await withTransaction(pool, (db) => parkUntilActive(db, SCHEDULED, entry));
  return isParked ? nothingDue('parked') : checkAgain(entry);
}

/** A request or a broadcast has ended the entry, or it was removed: its workflow ends. */
async function endedBefore(db: Db, id: string, entry: ScheduledRow | null): Promise<FireResult> {
  await unschedule(db, SCHEDULED, [id]);
  return nothingDue(entry?.status ?? 'cancelled');
}

/** Claims an entry that is due: from here on it cannot be changed or cancelled. */
function begin(
  { pool }: FireDeps,
  id: string,
): Promise<FireResult | { entry: LockedScheduled; project: Project; maySend: boolean }> {
  return withTransaction(pool, async (db) => {
    const entry = await lockScheduled(db, id);
    if (!entry || entry.ended_at || entry.job_id) return endedBefore(db, id, entry);
    const project = await findProject(db, entry.project_id);
    if (!project) return endedBefore(db, id, null);
    if (!(await projectMaySend(db, project.id))) return { entry, project, maySend: false };
    const due = entry.timezone === RECIPIENT ? await recipientDue(db, entry, project) : entry.next_at;
    if (due && due > entry.now) {
      await recordWait(db, entry, due);
      return dueAgain(entry.status, nextCheckAt(entry, due, entry.now), entry.now);
    }
    // Also if it is due earlier than was recorded: its agenda entry then replaces a workflow that is lost from here on.
    await reportNext(db, SCHEDULED, entry, entry.now);
    // A broadcast becomes `sending` in the transaction that inserts it.
    if (entry.status === 'scheduled' && !entry.audience) await beginSending(db, id);
    return { entry, project, maySend: true };
  });
}

/** The first local time of the recipients as they are now; null if none of them is left. */
async function recipientDue(
  db: pg.PoolClient,
  entry: LockedScheduled,
  project: Project,
): Promise<Date | null> {
  if (entry.audience) {
    return earliestOf(entry, await zonesOfAudience(db, project.id, entry.audience), project.timezone);
  }
  const known = new Set((await findResults(db, entry.id)).map(({ subscriber_id }) => subscriber_id));
  const open = (await recipientsOf(db, project.id, entry)).filter(({ id }) => !known.has(id));
  if (open.length === 0 && entry.status === 'sending') return null;
  return earliestOf(
    entry,
    open.map(({ timezone }) => timezone),
    project.timezone,
  );
}

function isTooLate(due: Date, now: Date): boolean {
  return now.getTime() - due.getTime() > LATE_MS;
}

async function fireSubscribers(
  deps: FireDeps,
  entry: LockedScheduled,
  project: Project,
): Promise<FireResult> {
  const { pool, config } = deps;
  const recipients = await recipientsOf(pool, project.id, entry);
  const known = new Map((await findResults(pool, entry.id)).map((each) => [each.subscriber_id, each.status]));
  const open = recipients.filter(({ id }) => !known.has(id));
  const dueOf = ({ timezone }: SubscriberRecord) => dueAt(entry, timezone ?? project.timezone);
  // The workflow runs this activity again immediately for the rest.
  const due = open.filter((each) => dueOf(each) <= entry.now).slice(0, limits.sendRecipients);
  // After a crash some messages may have been sent: they have the outcome of their message, however late it is now.
  const attempted = await attemptedRecipients(pool, entry.id);
  const fresh = due.filter(({ id }) => !attempted.has(id));
  const outcomes = new Map<string, SendResult>();
  const tooLate = fresh.filter((each) => isTooLate(dueOf(each), entry.now)).map(({ id }) => id);
  for (const id of tooLate) outcomes.set(id, notSent('skipped', 'too_late'));
  // Their messages were queued before the project became inactive.
  if (tooLate.length > 0) await skipLateMessages(pool, entry.id, tooLate);
  const inTime = fresh.filter(({ id }) => !outcomes.has(id));
  if (inTime.length > 0 && (await isBillingBlocked(pool, project.id, config.HERALD_GRACE_HOURS))) {
    for (const { id } of inTime) {
      outcomes.set(id, notSent('failed', 'billing_blocked'));
    }
  }
  const sendable = due.filter(({ id }) => !outcomes.has(id));
  if (sendable.length > 0) {
    const results = await send(deps, entry, sendable);
    sendable.forEach(({ id }, index) => outcomes.set(id, results[index] ?? UNSENDABLE));
  }
  return withTransaction(pool, async (db): Promise<FireResult> => {
    const locked = await lockScheduled(db, entry.id);
    if (!locked || locked.ended_at) return endedBefore(db, entry.id, locked);
    await recordOutcomes(deps, db, locked, due, outcomes);
    const rest = open.filter(({ id }) => !outcomes.has(id));
    if (rest.length > 0) {
      const nextAt = new Date(Math.min(...rest.map((each) => dueOf(each).getTime())));
      await recordWait(db, entry, nextAt);
      return dueAgain('sending', nextCheckAt(entry, nextAt, locked.now), locked.now);
    }
    return endWithResults(db, locked, [...outcomes.values()]);
  });
}

/** The entry is the request: a repeated call finds its messages. */
async function send(
  deps: FireDeps,
  entry: ScheduledRow,
  recipients: SubscriberRecord[],
): Promise<SendResult[]> {
  try {
    const request = {
      source: 'scheduled' as const,
      sourceId: entry.id,
      content: normalContent(entry.content),
      permission: entry.permission ?? undefined,
    };
    const details = await sendTo(deps, entry.project_id, request, recipients, entry.id);
    return details.map((detail) => (detail ? sendResultOf(detail) : UNSENDABLE));
  } catch (error) {
    if (!(error instanceof AppError) || WAITS.has(error.code)) throw error;
    // Its media or template has changed since it was accepted.
    deps.log.warn({ err: error, scheduled_id: entry.id }, 'a scheduled message can no longer be sent');
    return recipients.map(() => UNSENDABLE);
  }
}

const UNSENDABLE = notSent('failed', 'invalid_message');
/** Codes with which the message is sent later. */
const WAITS: ReadonlySet<ErrorCode> = new Set(['platform_busy', 'project_inactive']);

/** Each subscriber's result and event, once. */
async function recordOutcomes(
  { config }: FireDeps,
  db: pg.PoolClient,
  entry: LockedScheduled,
  recipients: SubscriberRecord[],
  outcomes: Map<string, SendResult>,
): Promise<void> {
  const results = [...outcomes].map(([subscriberId, { status }]) => ({ subscriberId, status }));
  const isNew = await insertResults(db, entry.id, results);
  for (const { id, channel, external_id } of recipients) {
    const outcome = outcomes.get(id);
    if (!outcome || !isNew.has(id)) continue;
    const subscriber_id = formatSubscriberId(id, config.HERALD_SUBSCRIBER_ID_FORMAT);
    await emitOutcome(db, entry, { subscriber_id, channel, external_id }, outcome, entry.now);
  }
}

type Who = {
  subscriber_id: string | null;
  channel: SubscriberRecord['channel'] | null;
  external_id: string | null;
};
const NO_ONE: Who = { subscriber_id: null, channel: null, external_id: null };

async function emitOutcome(
  db: pg.PoolClient,
  { id, project_id, name }: ScheduledRow,
  who: Who,
  { status, reason, deliveryId }: SendResult,
  at: Date,
  jobId: string | null = null,
): Promise<void> {
  const data = {
    scheduled_id: id,
    name,
    ...who,
    delivery_id: deliveryId,
    job_id: jobId,
    occurred_at: isoTime(at),
  };
  if (status === 'sent') await emitEvent(db, project_id, 'scheduled.sent', data);
  else await emitEvent(db, project_id, `scheduled.${status}`, { ...data, reason: reason ?? 'unknown' });
}

/** One sent makes it `sent`; else one failed makes it `failed`. The last round's reason is the entry's. */
async function endWithResults(
  db: pg.PoolClient,
  entry: LockedScheduled,
  last: SendResult[],
): Promise<FireResult> {
  const statuses = new Set((await findResults(db, entry.id)).map(({ status }) => status));
  if (statuses.size === 0) {
    const outcome: SendResult = isTooLate(entry.next_at ?? entry.now, entry.now)
      ? notSent('skipped', 'too_late')
      : notSent('failed', 'subscriber_not_found');
    const who = { ...NO_ONE, external_id: entry.external_id };
    await emitOutcome(db, entry, who, outcome, entry.now);
    await endScheduled(db, entry.id, outcome);
    return nothingDue(outcome.status);
  }
  const status = (['sent', 'failed', 'skipped'] as const).find((each) => statuses.has(each)) ?? 'failed';
  const reason = status === 'sent' ? null : (last.find((each) => each.status === status)?.reason ?? null);
  await endScheduled(db, entry.id, { status, reason });
  return nothingDue(status);
}

/** The audience is taken now and becomes one broadcast, which ends the entry. */
async function fireAudience(deps: FireDeps, entry: LockedScheduled, project: Project): Promise<FireResult> {
  const { pool } = deps;
  const { audience } = entry;
  if (!audience) throw new Error('the entry has no audience');
  const zones = entry.timezone === RECIPIENT ? await zonesOfAudience(pool, project.id, audience) : [null];
  const distinct = [...new Set(zones.map((zone) => zone ?? project.timezone))];
  const latest = new Date(Math.max(...distinct.map((zone) => dueAt(entry, zone).getTime())));
  if (isTooLate(distinct.length > 0 ? latest : earliestOf(entry, [], project.timezone), entry.now)) {
    return endAudience(deps, entry, 'too_late');
  }
  const prepared = await prepare(deps, { ...entry, audience });
  if (prepared.reason !== null) return endAudience(deps, entry, prepared.reason);
  const { content, counted } = prepared;
  try {
    return await withTransaction(pool, async (db): Promise<FireResult> => {
      // Before the entry, as everywhere.
      await lockProject(db, project.id);
      const locked = await lockScheduled(db, entry.id);
      if (!locked || locked.status !== 'scheduled') return endedBefore(db, entry.id, locked);
      if (locked.revision !== entry.revision) return checkAgain(locked);
      const jobId = randomUUID();
      const job = { id: jobId, content, audience, messages_per_minute: null, scheduled_id: entry.id };
      await insertAudienceJob(db, project.id, job, counted);
      await attachJob(db, entry.id, jobId);
      return nothingDue('sending');
    });
  } catch (error) {
    if (error instanceof TooManyJobs) return endAudience(deps, entry, 'too_many_jobs');
    throw error;
  }
}

/** The entry was changed after it was read: what was prepared for it is dropped, and its workflow reads it again. */
function checkAgain({ status, now }: LockedScheduled): FireResult {
  return dueAgain(status, now, now);
}

/** Under the entry's lock, unless it has ended or was changed meanwhile. */
function unlessChanged(
  pool: pg.Pool,
  entry: LockedScheduled,
  then: (db: pg.PoolClient, locked: LockedScheduled) => Promise<FireResult>,
): Promise<FireResult> {
  return withTransaction(pool, async (db) => {
    const locked = await lockScheduled(db, entry.id);
    if (!locked || locked.ended_at || locked.job_id) return endedBefore(db, entry.id, locked);
    return locked.revision === entry.revision ? then(db, locked) : checkAgain(locked);
  });
}

/** Nothing was sent and nothing will be: one of the reasons for which the broadcast fails, or it is skipped. */
function endAudience({ pool }: FireDeps, entry: LockedScheduled, reason: string): Promise<FireResult> {
  const status = FAILURES.has(reason) ? 'failed' : 'skipped';
  return unlessChanged(pool, entry, async (db, { now }) => {
    await endScheduled(db, entry.id, { status, reason });
    await emitOutcome(db, entry, NO_ONE, notSent(status, reason), now);
    return nothingDue(status);
  });
}

const FAILURES: ReadonlySet<string> = new Set(['billing_blocked', 'invalid_message']);

/** With the end of its broadcast, in the same transaction. */
export const endWithJob: BroadcastEndHook = async (db, job) => {
  if (job.scheduled_id === null) return;
  const end: { status: ScheduledStatus; reason: string | null } = job.isCancelled
    ? { status: 'cancelled', reason: null }
    : job.counts.sent > 0
      ? { status: 'sent', reason: null }
      : job.counts.failed > 0
        ? { status: 'failed', reason: await mostFrequentFailure(db, job.id) }
        : { status: 'skipped', reason: (await hasTooLate(db, job.id)) ? 'too_late' : 'unsubscribed' };
  const entry = await endScheduled(db, job.scheduled_id, end);
  if (!entry || end.status === 'cancelled') return;
  const outcome = { ...end, deliveryId: null } as SendResult;
  await emitOutcome(db, entry, NO_ONE, outcome, job.ended_at, job.id);
};
