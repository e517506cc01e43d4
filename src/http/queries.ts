import { limits } from '../contract/limits';
import type { Db } from '../db/pool';
import { change, row } from '../db/query';

export interface KeyScope {
  projectId: string;
  key: string;
}

/** Takes a key that is free: a new one, one that is over, or one whose holder has died. */
export async function takeKey(
  db: Db,
  { projectId, key }: KeyScope,
  take: { requestHash: Buffer; owner: string; leaseSeconds: number },
): Promise<{ request_id: string } | null> {
  const isOver = `k.created_at < now() - interval '${limits.idempotencyHours} hours'`;
  const isAbandoned = 'k.request_hash = excluded.request_hash AND k.leased_until < clock_timestamp()';
  return row<{ request_id: string }>(
    db,
    'take_idempotency_key',
    `INSERT INTO idempotency_keys AS k (project_id, key, request_hash, owner, leased_until)
     VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5))
     ON CONFLICT (project_id, key) DO UPDATE SET
       request_hash = excluded.request_hash, owner = excluded.owner, leased_until = excluded.leased_until,
       answer = NULL, error_code = NULL, error_text = NULL,
       request_id = CASE WHEN ${isOver} THEN excluded.request_id ELSE k.request_id END,
       created_at = CASE WHEN ${isOver} THEN excluded.created_at ELSE k.created_at END
     WHERE (${isOver} AND k.leased_until < clock_timestamp() IS NOT FALSE) OR (${isAbandoned})
     RETURNING request_id`,
    [projectId, key, take.requestHash, take.owner, take.leaseSeconds],
  );
}

export interface HeldKey {
  request_hash: Buffer;
  running: boolean;
  answer: unknown;
  error_code: string | null;
  error_text: string | null;
}

export function findKey(db: Db, { projectId, key }: KeyScope): Promise<HeldKey | null> {
  return row<HeldKey>(
    db,
    'find_idempotency_key',
    `SELECT request_hash, leased_until IS NOT NULL AS running, answer, error_code, error_text
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

export type KeyOutcome = { answer: unknown } | { errorCode: string; errorText: string };

/** Only the holder may write the answer: one that was thought dead finds that it is not the holder any more. */
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
    `UPDATE idempotency_keys SET owner = NULL, leased_until = NULL, answer = $4, error_code = $5, error_text = $6
     WHERE project_id = $1 AND key = $2 AND owner = $3`,
    [
      scope.projectId,
      scope.key,
      owner,
      isError ? null : JSON.stringify(outcome.answer),
      isError ? outcome.errorCode : null,
      isError ? outcome.errorText : null,
    ],
  );
}

/** Nothing is recorded: the key is forgotten, or, where messages were begun, free to be taken up again at once. */
export async function giveKeyBack(db: Db, scope: KeyScope, owner: string): Promise<void> {
  const values = [scope.projectId, scope.key, owner];
  const forgotten = await change(
    db,
    'forget_idempotency_key',
    `DELETE FROM idempotency_keys k WHERE project_id = $1 AND key = $2 AND owner = $3
       AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.request_id = k.request_id)`,
    values,
  );
  if (forgotten > 0) return;
  await change(
    db,
    'release_idempotency_key',
    `UPDATE idempotency_keys SET leased_until = clock_timestamp()
     WHERE project_id = $1 AND key = $2 AND owner = $3`,
    values,
  );
}
