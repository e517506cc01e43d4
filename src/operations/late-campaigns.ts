import { lateBroadcasts } from '../broadcasts/queries/operators';
import type { Late } from '../db/counts';
import type { Db } from '../db/pool';
import { lateEnrolments } from '../drip/queries/operators';
import { lateSubmissions } from '../forms/queries/operators';

/** Scheduled and recurring messages, broadcasts, batches, enrolments in chains and submissions of forms that are late, by kind. */
export async function lateCampaigns(db: Db): Promise<Late[]> {
  return [...(await lateBroadcasts(db)), ...(await lateEnrolments(db)), ...(await lateSubmissions(db))];
}
