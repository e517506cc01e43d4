import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { findRecurringById, listSyncable, type RecurringRow } from '../broadcasts/recurring/queries';
import {
  deleteSchedule,
  describeOrNull,
  differences,
  type SyncResult,
} from '../broadcasts/recurring/schedule';
import { syncRow, type SyncDeps } from '../broadcasts/recurring/sync';
import { isUuid } from '../contract/ids';
import { inParallel } from '../lib/in-parallel';
import { workflowIds, type TaskQueues } from '../temporal/names';

interface ScheduleDeps {
  pool: pg.Pool;
  client: Client;
  queues: TaskQueues;
}

const CONCURRENCY = 8;
/** A row that changed a moment ago may not have been written yet. */
const SETTLED_MS = 60_000;
const PREFIX = workflowIds.recurring('');

export interface ScheduleSync extends Record<SyncResult, number> {
  rows: number;
  orphans_deleted: number;
}

/** Makes every schedule a copy of its row and deletes those without a row. Safe beside running workers. */
export async function syncSchedules(deps: SyncDeps): Promise<ScheduleSync> {
  const rows = await listSyncable(deps.pool);
  const result: ScheduleSync = {
    rows: rows.length,
    same: 0,
    created: 0,
    changed: 0,
    repaired: 0,
    deleted: 0,
    orphans_deleted: 0,
  };
  await inParallel(rows, CONCURRENCY, async (row) => {
    result[await syncRow(deps, row)] += 1;
  });
  for (const id of await findOrphans(deps, rows)) {
    await deleteSchedule(deps.client, id);
    result.orphans_deleted += 1;
  }
  return result;
}

export interface ScheduleComparison {
  compared: number;
  different: { id: string; fields: string[] }[];
  orphans: string[];
}

/** Compares every schedule with its row, field by field, and changes nothing. */
export async function compareSchedules(deps: ScheduleDeps): Promise<ScheduleComparison> {
  const { pool, client, queues } = deps;
  const rows = await listSyncable(pool);
  const settled = rows.filter(
    ({ status, updated_at }) => status !== 'ended' && Date.now() - updated_at.getTime() > SETTLED_MS,
  );
  const different: ScheduleComparison['different'] = [];
  await inParallel(settled, CONCURRENCY, async (row) => {
    const id = workflowIds.recurring(row.id);
    const found = await describeOrNull(() => client.schedule.getHandle(id).describe());
    const fields = found ? differences(found, row, queues) : ['is missing'];
    if (fields.length > 0) different.push({ id, fields });
  });
  return { compared: settled.length, different, orphans: await findOrphans(deps, rows) };
}

/** Schedules of this installation whose row has ended or is gone. */
async function findOrphans({ pool, client, queues }: ScheduleDeps, rows: RecurringRow[]): Promise<string[]> {
  const known = new Set(rows.map(({ id }) => workflowIds.recurring(id)));
  const orphans: string[] = [];
  for await (const { scheduleId } of client.schedule.list()) {
    const id = scheduleId.slice(PREFIX.length);
    if (!scheduleId.startsWith(PREFIX) || !isUuid(id) || known.has(scheduleId)) continue;
    const found = await describeOrNull(() => client.schedule.getHandle(scheduleId).describe());
    // Several installations can share a namespace.
    if (!found || found.action.taskQueue !== queues.broadcasts) continue;
    const row = await findRecurringById(pool, id);
    if (!row || row.status === 'ended') orphans.push(scheduleId);
  }
  return orphans;
}
