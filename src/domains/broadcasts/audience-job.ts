import type pg from 'pg';
import { limits } from '../../base/contract/limits';
import { BATCH_ROWS } from '../../base/db/batches';
import { withTransaction, type Db } from '../../base/db/pool';
import { createSlot } from '../../base/lib/registry';
import { lockProject } from '../projects';
import {
  copyRecipients,
  countOpenBroadcasts,
  endCopy,
  insertBroadcast,
  lockCopy,
  nextOfAudience,
  recordCopied,
  type AudienceCopy,
  type AudienceCount,
  type CopiedSubscriber,
  type NewBroadcastRow,
} from './queries/broadcasts';
import { copyFailed } from './queries/retries';

/** When a scheduled broadcast is due for recipients of a time zone; null if all get it at the same time. */
export type FindRecipientTimes = (
  db: Db,
  scheduledId: string,
) => Promise<((timezone: string | null) => Date) | null>;

export const recipientTimes = createSlot<FindRecipientTimes>('recipientTimes');

/** Rolls the broadcast back. */
export class TooManyRecipients extends Error {}

/** Rolls the broadcast back: as many are open as a project may have. */
export class TooManyJobs extends Error {}

/**
 * Inserts a broadcast, whose workflow copies the audience. Takes the project's row lock, under which
 * open broadcasts are counted; the audience was counted before it.
 */
export async function insertAudienceJob(
  db: pg.PoolClient,
  projectId: string,
  job: NewBroadcastRow,
  { active, inactive }: AudienceCount,
): Promise<void> {
  if (active > limits.broadcastRecipients) throw new TooManyRecipients();
  await lockProject(db, projectId);
  if ((await countOpenBroadcasts(db, projectId)) >= limits.openBroadcasts) throw new TooManyJobs();
  await insertBroadcast(db, projectId, job, active + inactive);
}

/**
 * Copies the next of a broadcast's audience into recipients, in one transaction: a crash neither loses one nor copies it twice.
 * Returns false when nothing is left, or the broadcast has been cancelled.
 */
export function copyNext(pool: pg.Pool, id: string): Promise<boolean> {
  return withTransaction(pool, async (db) => {
    const copy = await lockCopy(db, id);
    if (!copy) return false;
    const page = copy.retry_of === null ? await copyAudience(db, copy) : await copyFailed(db, copy);
    const last = page.at(-1);
    if (!last || page.length < BATCH_ROWS) await endCopy(db, id);
    else await recordCopied(db, id, last);
    return page.length === BATCH_ROWS;
  });
}

async function copyAudience(db: pg.PoolClient, copy: AudienceCopy): Promise<CopiedSubscriber[]> {
  const dueAt = copy.scheduled_id === null ? null : await recipientTimes.get()(db, copy.scheduled_id);
  const page = await nextOfAudience(db, copy);
  await copyRecipients(
    db,
    copy.id,
    page.map((each) => ({ ...each, due_at: dueAt && dueAt(each.timezone) })),
  );
  return page;
}
