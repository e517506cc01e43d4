import { lateBroadcasts } from '../../domains/broadcasts/queries/operators';
import type { Late } from '../../base/db/counts';
import type { Db } from '../../base/db/pool';
import { lateEnrolments } from '../../domains/drip/queries/operators';
import { lateSubmissions } from '../../domains/forms/queries/operators';
import { lateRecurring } from '../../domains/recurring/queries/operators';
import { lateScheduled } from '../../domains/scheduled/queries/operators';

/** Scheduled and recurring messages, broadcasts, batches, enrolments in chains and submissions of forms that are late, by kind. */
export async function lateCampaigns(db: Db): Promise<Late[]> {
  return [
    ...(await lateScheduled(db)),
    ...(await lateRecurring(db)),
    ...(await lateBroadcasts(db)),
    ...(await lateEnrolments(db)),
    ...(await lateSubmissions(db)),
  ];
}
