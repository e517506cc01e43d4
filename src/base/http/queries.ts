import { limits } from '../contract/limits';
import type { Db } from '../db/pool';
import { change, row, rows } from '../db/query';
import { uuidv7 } from '../lib/uuid';
import type { Retention } from '../db/retention';

export interface KeyScope {
  projectId: string;
  key: string;
}

/**
 * Claims a key if it is new, has expired, or its holder's lease has expired. `taken_over` unless it is new: an earlier
 * holder may have begun the work of this request id.
 */
export async function claimKey(
  db: Db,
  { projectId, key }: KeyScope,
  claim: { requestHash: Buffer; owner: string; leaseSeconds: number },
): Promise<{ request_id: string; taken_over: boolean } | null> {
  const isExpired = `k.created_at < now() - interval '${limits.idempotencyHours} hours'`;
  const isAbandoned = 'k.request_hash = excluded.request_hash AND k.leased_until < clock_timestamp()';
  return row<{ request_id: string; taken_over: boolean }>(
    db,
    'claim_idempotency_key',
    `INSERT INTO idempotency_keys AS k (project_id, key, request_hash, owner, leased_until, request_id)
     VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5), $6)
     ON CONFLICT (project_id, key) DO UPDATE SET
       request_hash = excluded.request_hash, owner = excluded.owner,
       leased_until = clock_timestamp() + make_interval(secs => $5),
       response_sealed = NULL, error_code = NULL, error_text = NULL,
       request_id = CASE WHEN ${isExpired} THEN excluded.request_id ELSE k.request_id END,
       created_at = CASE WHEN ${isExpired} THEN excluded.created_at ELSE k.created_at END
     WHERE (${isExpired} AND k.leased_until < clock_timestamp() IS NOT FALSE) OR (${isAbandoned})
     RETURNING request_id, xmax::text <> '0' AS taken_over`,
    [projectId, key, claim.requestHash, claim.owner, claim.leaseSeconds, uuidv7()],
  );
}

export interface StoredKey {
  request_id: string;
  request_hash: Buffer;
  running: boolean;
  response_sealed: string | null;
  error_code: string | null;
  error_text: string | null;
}

export function findKey(db: Db, { projectId, key }: KeyScope): Promise<StoredKey | null> {
  return row<StoredKey>(
    db,
    'find_idempotency_key',
    `SELECT request_id, request_hash, leased_until IS NOT NULL AS running, response_sealed, error_code, error_text
     FROM idempotency_keys WHERE project_id = $1 AND key = $2`,
    [projectId, key],
  );
}

export function extendKeyLease(
  db: Db,
  scope: KeyScope,
  owner: string,
  leaseSeconds: number,
): Promise<number> {
  return change(
    db,
    'extend_idempotency_lease',
    `UPDATE idempotency_keys SET leased_until = clock_timestamp() + make_interval(secs => $4)
     WHERE project_id = $1 AND key = $2 AND owner = $3`,
    [scope.projectId, scope.key, owner, leaseSeconds],
  );
}

export type KeyOutcome = { sealedResponse: string } | { errorCode: string; errorText: string };

/** Fenced by `owner`: a holder whose lease another request has taken over writes nothing. */
export function recordKeyOutcome(
  db: Db,
  scope: KeyScope,
  owner: string,
  outcome: KeyOutcome,
): Promise<number> {
  const isError = 'errorCode' in outcome;
  return change(
    db,
    'record_idempotency_outcome',
    `UPDATE idempotency_keys SET owner = NULL, leased_until = NULL, response_sealed = $4, error_code = $5, error_text = $6
     WHERE project_id = $1 AND key = $2 AND owner = $3`,
    [
      scope.projectId,
      scope.key,
      owner,
      isError ? null : outcome.sealedResponse,
      isError ? outcome.errorCode : null,
      isError ? outcome.errorText : null,
    ],
  );
}

/** Forgets a key whose request was refused and did nothing. */
export function deleteKey(db: Db, scope: KeyScope, owner: string): Promise<number> {
  return change(
    db,
    'delete_idempotency_key',
    'DELETE FROM idempotency_keys WHERE project_id = $1 AND key = $2 AND owner = $3',
    [scope.projectId, scope.key, owner],
  );
}

/** Ends the lease of a key whose request may have done its work: a retry resumes it under the same request id. */
export function endKeyLease(db: Db, scope: KeyScope, owner: string): Promise<number> {
  return change(
    db,
    'release_idempotency_key',
    `UPDATE idempotency_keys SET leased_until = clock_timestamp()
     WHERE project_id = $1 AND key = $2 AND owner = $3`,
    [scope.projectId, scope.key, owner],
  );
}

export interface RecordedResponse {
  request_id: string;
  response_sealed: string;
}

export function findRecordedResponses(db: Db, requestIds: string[]): Promise<RecordedResponse[]> {
  return rows<RecordedResponse>(
    db,
    'find_recorded_responses',
    `SELECT request_id, response_sealed FROM idempotency_keys
     WHERE request_id = ANY ($1::uuid[]) AND response_sealed IS NOT NULL ORDER BY request_id`,
    [requestIds],
  );
}

export function replaceRecordedResponse(db: Db, response: RecordedResponse): Promise<number> {
  return change(
    db,
    'replace_recorded_response',
    'UPDATE idempotency_keys SET response_sealed = $2 WHERE request_id = $1 AND response_sealed IS NOT NULL',
    [response.request_id, response.response_sealed],
  );
}

export interface Counter {
  key: string;
  /** Including the amount that was added. */
  points: number;
  /** Until the window ends. */
  ms_left: number;
}

/** Adds to the counter of each key. A counter whose window has ended begins a new one. */
export async function addToCounters(
  db: Db,
  amounts: ReadonlyMap<string, number>,
  seconds: number,
): Promise<Counter[]> {
  if (amounts.size === 0) return [];
  const nowMs = 'floor(extract(epoch FROM clock_timestamp()) * 1000)';
  const hasEnded = 'c.expire <= excluded.expire - $3 * 1000';
  return rows<Counter>(
    db,
    'add_to_request_counters',
    `INSERT INTO request_counters AS c (key, points, expire)
     SELECT key, amount, ${nowMs} + $3 * 1000
     FROM unnest($1::text[], $2::int[]) AS given (key, amount) ORDER BY key
     ON CONFLICT (key) DO UPDATE SET
       points = excluded.points + CASE WHEN ${hasEnded} THEN 0 ELSE c.points END,
       expire = CASE WHEN ${hasEnded} THEN excluded.expire ELSE c.expire END
     RETURNING key, points, (expire - ${nowMs})::float8 AS ms_left`,
    [[...amounts.keys()], [...amounts.values()], seconds],
  );
}

export const retention = (): Retention => ({
  idempotency_keys: {
    age: 'created_at',
    after: `${limits.idempotencyHours} hours`,
    where: 'leased_until IS NULL OR leased_until < now()',
  },
  // In milliseconds.
  request_counters: { age: 'to_timestamp(expire / 1000)', after: '1 hour', by: 'key' },
});
