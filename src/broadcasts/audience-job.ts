import type pg from 'pg';
import { limits } from '../contract/limits';
import { allowBulk } from '../db/pool';
import {
  countAudience,
  insertBroadcast,
  releaseBroadcast,
  snapshotAudience,
  type DueTimes,
  type NewBroadcastRow,
} from './queries/broadcasts';

/** Rolls the broadcast back. */
export class TooManyRecipients extends Error {}

/** Inserts a broadcast and its recipients, and wakes the relay. With `due`, each recipient has its own time. */
export async function insertAudienceJob(
  db: pg.PoolClient,
  projectId: string,
  job: NewBroadcastRow,
  due: DueTimes | null = null,
): Promise<{ active: number; inactive: number }> {
  await insertBroadcast(db, projectId, job);
  await allowBulk(db);
  const active = await snapshotAudience(
    db,
    projectId,
    { id: job.id, audience: job.audience, due },
    limits.broadcastRecipients,
  );
  if (active > limits.broadcastRecipients) throw new TooManyRecipients();
  const { inactive } = await countAudience(db, projectId, job.audience);
  await releaseBroadcast(db, job.id, active, inactive);
  return { active, inactive };
}
