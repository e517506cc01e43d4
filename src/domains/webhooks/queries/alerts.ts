import type { EndpointDisabledReason } from '../../../base/contract/common';
import { limits } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';

/*
 * Changes of an endpoint that become events for its project. A result that causes one notes it in the endpoint's
 * row, in its own transaction; the event is emitted in the transaction that removes the note, so each is emitted once.
 */

/** An endpoint `e` whose state a success changes. */
export const ENDS_FAILURES = `(e.failing_since IS NOT NULL OR (e.alert IS NOT NULL AND e.status = 'active'))`;

/** SQL: what a success sets. One that arrives after the endpoint was disabled is no recovery. */
export const END_FAILURES = `failing_since = NULL,
         alert = CASE WHEN e.status = 'active' THEN NULL ELSE e.alert END,
         unannounced = CASE WHEN e.status = 'active' AND e.alert IS NOT NULL
           THEN e.unannounced || jsonb_build_object('event', 'endpoint.recovered', 'at', now()) ELSE e.unannounced END`;

export type Change =
  | { event: 'endpoint.recovered'; at: string }
  | { event: 'endpoint.disabled'; at: string; reason: EndpointDisabledReason };

export interface AlertedEndpoint {
  id: string;
  project_id: string;
  url: string;
  failing_since: Date | null;
  unannounced: Change[];
  /** It has had no success for the time that makes it failing, and the event is yet to be emitted. */
  is_failing: boolean;
  now: Date;
}

const HAS_FAILED_LONG = `e.failing_since <= now() - interval '${limits.webhookFailingMinutes} minutes'
  AND e.status = 'active' AND e.deleted_at IS NULL AND e.alert IS DISTINCT FROM 'failing'`;

/** SQL: an endpoint `e` of which an event is to be emitted. */
export const HAS_NEWS = `(e.unannounced <> '[]' OR (e.failing_since IS NOT NULL AND ${HAS_FAILED_LONG}))`;

/** In id order, like every statement that locks several rows. */
export function lockAlerted(db: Db, limit: number): Promise<AlertedEndpoint[]> {
  return rows<AlertedEndpoint>(
    db,
    'lock_alerted_endpoints',
    `SELECT e.id, e.project_id, e.url, e.failing_since, e.unannounced, coalesce(${HAS_FAILED_LONG}, false) AS is_failing,
       now() AS now
     FROM endpoints e WHERE ${HAS_NEWS}
     ORDER BY e.id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED`,
    [limit],
  );
}

/** The events of these endpoints are emitted. */
export function markAnnounced(
  db: Db,
  endpoints: Pick<AlertedEndpoint, 'id' | 'is_failing'>[],
): Promise<number> {
  return change(
    db,
    'mark_announced',
    `UPDATE endpoints e SET unannounced = '[]', alert = CASE WHEN a.is_failing THEN 'failing' ELSE e.alert END
     FROM unnest($1::uuid[], $2::boolean[]) AS a (id, is_failing) WHERE e.id = a.id`,
    [endpoints.map(({ id }) => id), endpoints.map(({ is_failing }) => is_failing)],
  );
}
