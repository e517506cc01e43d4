import type { EndpointDisabledReason } from '../../../base/contract/common';
import { limits } from '../../../base/contract/limits';
import type { RetryPolicyName } from '../../projects/contract';
import type { EndpointStatus, Filter, LaneSetting } from '../contract';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { wakeLane } from '../wake-lanes';
import { SUBSCRIBES } from './fan-out';

export interface Endpoint {
  id: string;
  project_id: string;
  url: string;
  events: string[];
  filter: Filter | null;
  description: string | null;
  retry_policy: RetryPolicyName;
  delivery_lane: LaneSetting | null;
  status: EndpointStatus;
  disabled_reason: EndpointDisabledReason | null;
  headers_sealed: string | null;
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `id, project_id, url, events, filter, description, retry_policy, delivery_lane, status, disabled_reason,
  headers_sealed, failing_since, created_at, updated_at`;

export interface NewEndpoint {
  /** Also the id of the request that creates it. */
  id: string;
  project_id: string;
  url: string;
  events: string[];
  filter: Filter | null;
  description: string | null;
  retry_policy: RetryPolicyName;
  delivery_lane: LaneSetting | null;
  headers_sealed: string | null;
  sealed_secret: string;
}

export async function insertEndpoint(db: Db, endpoint: NewEndpoint): Promise<Endpoint> {
  const inserted = await row<Endpoint>(
    db,
    'insert_endpoint',
    `WITH endpoint AS (
       INSERT INTO endpoints (id, project_id, url, events, description, retry_policy, delivery_lane, headers_sealed, filter)
       VALUES ($8, $1, $2, $3, $4, $5, $7, $9, $10) RETURNING ${COLUMNS}
     ), secret AS (
       INSERT INTO endpoint_secrets (endpoint_id, sealed, request_id) SELECT id, $6, id FROM endpoint
     )
     SELECT ${COLUMNS} FROM endpoint`,
    [
      endpoint.project_id,
      endpoint.url,
      endpoint.events,
      endpoint.description,
      endpoint.retry_policy,
      endpoint.sealed_secret,
      endpoint.delivery_lane,
      endpoint.id,
      endpoint.headers_sealed,
      endpoint.filter,
    ],
  );
  if (!inserted) throw new Error('the endpoint was not inserted');
  return inserted;
}

export async function countEndpoints(db: Db, projectId: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_endpoints',
    'SELECT count(*) FROM endpoints WHERE project_id = $1 AND deleted_at IS NULL',
    [projectId],
  );
  return counted?.count ?? 0;
}

export function listEndpoints(db: Db, projectId: string): Promise<Endpoint[]> {
  return rows<Endpoint>(
    db,
    'list_endpoints',
    `SELECT ${COLUMNS} FROM endpoints WHERE project_id = $1 AND deleted_at IS NULL
     ORDER BY created_at DESC, id DESC`,
    [projectId],
  );
}

export function findEndpoint(db: Db, projectId: string, id: string): Promise<Endpoint | null> {
  return row<Endpoint>(
    db,
    'find_endpoint',
    `SELECT ${COLUMNS} FROM endpoints WHERE id = $2 AND project_id = $1 AND deleted_at IS NULL`,
    [projectId, id],
  );
}

/** For operators, who see every project. */
export function findAnyEndpoint(db: Db, id: string): Promise<Endpoint | null> {
  return row<Endpoint>(
    db,
    'find_any_endpoint',
    `SELECT ${COLUMNS} FROM endpoints WHERE id = $1 AND deleted_at IS NULL`,
    [id],
  );
}

/** For a request that is resumed after a crash: also an endpoint that was deleted since. */
export function findCreatedEndpoint(db: Db, projectId: string, id: string): Promise<Endpoint | null> {
  return row<Endpoint>(
    db,
    'find_created_endpoint',
    `SELECT ${COLUMNS} FROM endpoints WHERE id = $2 AND project_id = $1`,
    [projectId, id],
  );
}

/** NO KEY: the foreign keys of secrets need not wait for this lock. */
export function lockEndpoint(db: Db, projectId: string, id: string): Promise<Endpoint | null> {
  return row<Endpoint>(
    db,
    'lock_endpoint',
    `SELECT ${COLUMNS} FROM endpoints WHERE id = $2 AND project_id = $1 AND deleted_at IS NULL
     FOR NO KEY UPDATE`,
    [projectId, id],
  );
}

/** Another URL or status is a new start: earlier failures and the adapted concurrency no longer count. */
export function updateEndpoint(db: Db, before: Endpoint, after: Endpoint): Promise<Endpoint | null> {
  const isNewStart = after.url !== before.url || after.status !== before.status;
  return row<Endpoint>(
    db,
    'update_endpoint',
    `UPDATE endpoints SET
       url = $2, events = $3, description = $4, retry_policy = $5, status = $6, delivery_lane = $8, headers_sealed = $10,
       filter = $11,
       version = version + 1,
       disabled_reason = CASE WHEN $6 = 'active' THEN NULL ELSE disabled_reason END,
       disabled_at = CASE WHEN $6 = 'active' THEN NULL ELSE coalesce(disabled_at, now()) END,
       failing_since = CASE WHEN $7 THEN NULL ELSE failing_since END,
       concurrency = CASE WHEN $7 THEN $9 ELSE concurrency END,
       updated_at = now()
     WHERE id = $1 RETURNING ${COLUMNS}`,
    [
      after.id,
      after.url,
      after.events,
      after.description,
      after.retry_policy,
      after.status,
      isNewStart,
      after.delivery_lane,
      limits.webhookConcurrencyPerEndpoint,
      after.headers_sealed,
      after.filter,
    ],
  );
}

export interface FilteredEvent {
  id: string;
  name: string;
  created_at: Date;
  matches: boolean;
}

/** The newest events of a project, and whether an endpoint with these settings would get them. */
export function judgeRecentEvents(
  db: Db,
  projectId: string,
  { events, filter, limit }: { events: string[]; filter: Filter | null; limit: number },
): Promise<FilteredEvent[]> {
  return rows<FilteredEvent>(
    db,
    'judge_recent_events',
    `SELECT v.id, v.name, v.created_at, ${SUBSCRIBES} AS matches
     FROM (SELECT id, name, created_at, test, body::jsonb -> 'data' AS data FROM events
           WHERE project_id = $1 AND NOT test ORDER BY created_at DESC LIMIT $4) v
     CROSS JOIN (SELECT $2::text[] AS events, $3::jsonb AS filter) e ORDER BY v.created_at DESC`,
    [projectId, events, filter, limit],
  );
}

/** Deletes the secrets; the row stays for the log of its deliveries. */
export function deleteEndpoint(db: Db, id: string): Promise<number> {
  return change(
    db,
    'delete_endpoint',
    `WITH gone AS (DELETE FROM endpoint_secrets WHERE endpoint_id = $1)
     UPDATE endpoints SET deleted_at = now(), headers_sealed = NULL, updated_at = now(), version = version + 1 WHERE id = $1`,
    [id],
  );
}

export interface LiveSecret {
  endpoint_id: string;
  created_at: Date;
  expires_at: Date | null;
}

/** When the secrets that sign now were made and end, newest first. */
export function listLiveSecrets(db: Db, endpointIds: string[]): Promise<LiveSecret[]> {
  return rows<LiveSecret>(
    db,
    'list_live_secrets',
    `SELECT endpoint_id, created_at, expires_at FROM endpoint_secrets
     WHERE endpoint_id = ANY ($1::uuid[]) AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
    [endpointIds],
  );
}

/** How often the secret was rotated in the last hour, and the seconds until the oldest of these is an hour old. */
export async function countRotations(db: Db, id: string): Promise<{ count: number; retryAfter: number }> {
  const counted = await row<{ count: number; retry_after: number | null }>(
    db,
    'count_rotations',
    // A replaced secret expires a fixed time after its rotation, so its expiry tells when that was.
    // The clock, not now(): the transaction may have waited for the lock longer than the rotation is old.
    `SELECT count(*),
       extract(epoch FROM min(expires_at) - make_interval(hours => $2 - 1) - clock_timestamp())::float AS retry_after
     FROM endpoint_secrets WHERE endpoint_id = $1 AND expires_at > clock_timestamp() + make_interval(hours => $2 - 1)`,
    [id, limits.webhookSecretGraceHours],
  );
  return { count: counted?.count ?? 0, retryAfter: Math.max(1, counted?.retry_after ?? 1) };
}

export function rotateSecret(db: Db, id: string, sealed: string, requestId: string): Promise<number> {
  return change(
    db,
    'rotate_secret',
    `WITH replaced AS (
       UPDATE endpoint_secrets SET expires_at = clock_timestamp() + make_interval(hours => $3)
       WHERE endpoint_id = $1 AND expires_at IS NULL
     ), touched AS (
       UPDATE endpoints SET updated_at = now() WHERE id = $1
     )
     INSERT INTO endpoint_secrets (endpoint_id, sealed, request_id) VALUES ($1, $2, $4)`,
    [id, sealed, limits.webhookSecretGraceHours, requestId],
  );
}

/** The sealed secret that a request has created; null if it has not. */
export async function findSecretOfRequest(db: Db, id: string, requestId: string): Promise<string | null> {
  const found = await row<{ sealed: string }>(
    db,
    'find_secret_of_request',
    'SELECT sealed FROM endpoint_secrets WHERE endpoint_id = $1 AND request_id = $2',
    [id, requestId],
  );
  return found?.sealed ?? null;
}

/**
 * Adapts how many attempts may be in flight: half after a timeout, twice as many after a fast success. `seen` is what
 * the claim read, so that attempts of one generation change it once. Losing this write is harmless. What waited for a slot
 * can have one of the new ones.
 */
export async function adaptConcurrency(
  db: Db,
  id: string,
  seen: number,
  direction: 'halve' | 'double',
): Promise<void> {
  const next = direction === 'halve' ? 'greatest(1, concurrency / 2)' : 'least($3, concurrency * 2)';
  const adapted = await row<{ lane: LaneSetting | null }>(
    db,
    `${direction}_concurrency`,
    `UPDATE endpoints SET concurrency = ${next} WHERE id = $1 AND concurrency = $2 AND $3 > 0
     RETURNING delivery_lane AS lane`,
    [id, seen, limits.webhookConcurrencyPerEndpoint],
  );
  if (!adapted || direction === 'halve') return;
  // A retry belongs to a workflow in every lane.
  for (const lane of new Set([adapted.lane, 'workflow' as const])) wakeLane(db, lane);
}
