import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { change } from '../../db/query';
import { BATCH, inBatches } from './in-batches';

/** Deletes the hourly counts of endpoints that no view shows any more. */
export function removeOldEndpointHours(db: Db): Promise<number> {
  return inBatches(() =>
    change(
      db,
      'remove_old_endpoint_hours',
      `DELETE FROM endpoint_hours WHERE (endpoint_id, hour) IN (
         SELECT endpoint_id, hour FROM endpoint_hours
         WHERE hour < now() - make_interval(days => ${limits.webhookStatsDays}) LIMIT $1)`,
      [BATCH],
    ),
  );
}
