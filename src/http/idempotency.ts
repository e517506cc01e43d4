import { createHash, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { AppError, isErrorCode } from '../contract/errors';
import type { Logger } from '../lib/log';
import {
  extendKeyLease,
  findKey,
  releaseKey,
  recordKeyOutcome,
  claimKey,
  type StoredKey,
  type KeyScope,
} from './queries';

/** A dead holder's lease expires after this time; a live holder keeps extending it. */
const LEASE_SECONDS = 30;
const EXTEND_MS = 10_000;
const IN_PROGRESS_RETRY_SECONDS = 1;
/** The key may be released between a failed claim and reading its holder; then the claim is repeated. */
const MAX_CLAIM_ATTEMPTS = 5;

/** Errors that depend on more than the request, so the same request may be retried under the same key. */
const unrecordedStatuses = new Set([400, 401, 402, 425, 429]);

export interface IdempotentResult<T> {
  response: T;
  /** True for the recorded response of an earlier request. */
  replayed: boolean;
}

/**
 * Runs a request at most once per key and replays its response, or error, until the key expires. `run` gets the request
 * id: after a crash the next request with the key gets the same id and resumes the work.
 */
export async function runOnce<T>(
  { pool, log }: { pool: pg.Pool; log: Logger },
  scope: KeyScope,
  request: unknown,
  run: (requestId: string) => Promise<T>,
): Promise<IdempotentResult<T>> {
  const requestHash = hashOf(request);
  const owner = randomUUID();
  const claimed = await claimOrFind(pool, scope, requestHash, owner);
  if ('held' in claimed) return replay<T>(claimed.held);

  const renewal = setInterval(() => {
    extendKeyLease(pool, scope, owner, LEASE_SECONDS).catch((err: unknown) =>
      log.warn({ err }, 'could not extend the lease of an idempotency key'),
    );
  }, EXTEND_MS);
  try {
    const response = await run(claimed.requestId);
    await recordKeyOutcome(pool, scope, owner, { response });
    return { response, replayed: false };
  } catch (error) {
    await recordOrRelease(pool, scope, owner, error);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

async function claimOrFind(
  pool: pg.Pool,
  scope: KeyScope,
  requestHash: Buffer,
  owner: string,
): Promise<{ requestId: string } | { held: StoredKey }> {
  for (let attempt = 1; attempt <= MAX_CLAIM_ATTEMPTS; attempt += 1) {
    const claimed = await claimKey(pool, scope, { requestHash, owner, leaseSeconds: LEASE_SECONDS });
    if (claimed) return { requestId: claimed.request_id };
    const held = await findKey(pool, scope);
    if (!held) continue;
    if (!held.request_hash.equals(requestHash)) throw new AppError('idempotency_conflict');
    if (!held.running) return { held };
    break;
  }
  throw new AppError('request_in_progress', undefined, { retryAfter: IN_PROGRESS_RETRY_SECONDS });
}

function replay<T>({ answer, error_code, error_text }: StoredKey): IdempotentResult<T> {
  if (error_code === null) return { response: answer as T, replayed: true };
  throw new AppError(isErrorCode(error_code) ? error_code : 'internal_error', error_text ?? undefined);
}

async function recordOrRelease(pool: pg.Pool, scope: KeyScope, owner: string, error: unknown): Promise<void> {
  const isRecorded = error instanceof AppError && error.status < 500 && !unrecordedStatuses.has(error.status);
  const settled = isRecorded
    ? recordKeyOutcome(pool, scope, owner, { errorCode: error.code, errorText: error.message })
    : releaseKey(pool, scope, owner);
  // The caller gets the original error; if the database is unavailable, the lease expires by itself.
  await settled.catch(() => undefined);
}

/** Independent of the order of fields. */
function hashOf(request: unknown): Buffer {
  return createHash('sha256').update(canonical(request)).digest();
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}
