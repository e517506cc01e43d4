import { lateBroadcasts } from '../broadcasts/queries/operators';
import type { Late } from '../db/counts';
import type { Db } from '../db/pool';
import { lateEnrolments } from '../drip/queries/operators';

/** Scheduled and recurring messages, broadcasts, batches and enrolments in chains that are late, by kind. */
export async function lateCampaigns(db: Db): Promise<Late[]> {
  return [...(await lateBroadcasts(db)), ...(await lateEnrolments(db))];
}
