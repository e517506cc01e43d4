import { createHash, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { AppError, isErrorCode } from '../contract/errors';
import type { Db } from '../db/pool';
import { outsideProject } from '../db/project-share';
import type { Cipher } from '../lib/cipher';
import type { Logger } from '../lib/log';
import {
  claimKey,
  deleteKey,
  endKeyLease,
  extendKeyLease,
  findKey,
  findRecordedResponses,
  recordKeyOutcome,
  replaceRecordedResponse,
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
const unrecordedStatuses = new Set([400, 401, 402, 403, 425, 429]);

/** What a recorded response is sealed for, together with its request id. */
export const recordedResponsePurpose = 'recorded_response';

/** Identifies the work of a request, so that a retry under the same Idempotency-Key finds what a crash left. */
export interface Work {
  /** The id of what the request creates. */
  id: string;
  /** An earlier request with this id may have done the work. */
  resumed: boolean;
}

interface IdempotentResult {
  response: unknown;
  /** True for the recorded response of an earlier request. */
  replayed: boolean;
}

export interface IdempotentRequest {
  scope: KeyScope;
  /** Everything that must be equal for the key to mean the same request. */
  request: unknown;
  run: (work: Work) => Promise<unknown>;
  /** The response as it is recorded: without what is shown only once. */
  toRecord: (response: unknown) => unknown;
}

export type RunOnce = (request: IdempotentRequest) => Promise<IdempotentResult>;

interface Deps {
  pool: pg.Pool;
  log: Logger;
  cipher: Cipher;
}

/**
 * Runs a request at most once per key and replays its response, or error, until the key expires. After a crash the next
 * request with the key gets the same work id and resumes.
 */
export function createRunOnce(deps: Deps): RunOnce {
  return (request) => runOnce(deps, request);
}

async function runOnce(
  { pool, log, cipher }: Deps,
  { scope, request, run, toRecord }: IdempotentRequest,
): Promise<IdempotentResult> {
  const requestHash = hashOf(request);
  const owner = randomUUID();
  const claimed = await claimOrFind(pool, scope, requestHash, owner);
  if ('held' in claimed) return replay(cipher, claimed.held);

  const renewal = setInterval(() => {
    // These do not wait for other requests of the project: what was done must be recorded.
    outsideProject(() => extendKeyLease(pool, scope, owner, LEASE_SECONDS)).catch((err: unknown) =>
      log.warn({ err }, 'could not extend the lease of an idempotency key'),
    );
  }, EXTEND_MS);
  try {
    const response = await run(claimed);
    const text = JSON.stringify(toRecord(response));
    const sealedResponse = cipher.encrypt(text, recordedResponsePurpose, claimed.id);
    const recorded = await outsideProject(() => recordKeyOutcome(pool, scope, owner, { sealedResponse }));
    // Another request has taken over the expired lease, and its response is the one that counts.
    if (recorded === 0) throw inProgress();
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
): Promise<Work | { held: StoredKey }> {
  for (let attempt = 1; attempt <= MAX_CLAIM_ATTEMPTS; attempt += 1) {
    const claimed = await claimKey(pool, scope, { requestHash, owner, leaseSeconds: LEASE_SECONDS });
    if (claimed) return { id: claimed.request_id, resumed: claimed.taken_over };
    const held = await findKey(pool, scope);
    if (!held) continue;
    if (!held.request_hash.equals(requestHash)) throw new AppError('idempotency_conflict');
    if (!held.running) return { held };
    break;
  }
  throw inProgress();
}

function inProgress(): AppError {
  return new AppError('request_in_progress', undefined, { retryAfter: IN_PROGRESS_RETRY_SECONDS });
}

function replay(cipher: Cipher, held: StoredKey): IdempotentResult {
  const { error_code, error_text, response_sealed } = held;
  if (response_sealed !== null) {
    const text = cipher.decrypt(response_sealed, recordedResponsePurpose, held.request_id);
    return { response: JSON.parse(text) as unknown, replayed: true };
  }
  throw new AppError(
    error_code !== null && isErrorCode(error_code) ? error_code : 'internal_error',
    error_text ?? undefined,
  );
}

async function recordOrRelease(pool: pg.Pool, scope: KeyScope, owner: string, error: unknown): Promise<void> {
  // The caller gets the original error; if the database is unavailable, the lease expires by itself.
  await outsideProject(() => settle(pool, scope, owner, error)).catch(() => undefined);
}

function settle(pool: pg.Pool, scope: KeyScope, owner: string, error: unknown): Promise<number> {
  // A fault can come after the work was committed; an AppError is a refusal that left nothing to resume.
  if (!(error instanceof AppError)) return endKeyLease(pool, scope, owner);
  if (error.status >= 500 || unrecordedStatuses.has(error.status)) return deleteKey(pool, scope, owner);
  return recordKeyOutcome(pool, scope, owner, { errorCode: error.code, errorText: error.message });
}

/** Rewrites the recorded responses of requests, for example when a person whom they name is removed. */
export async function rewriteRecordedResponses(
  db: Db,
  cipher: Cipher,
  requestIds: string[],
  rewrite: (text: string) => string,
): Promise<void> {
  for (const { request_id, response_sealed } of await findRecordedResponses(db, requestIds)) {
    const text = decryptOrNull(cipher, response_sealed, request_id);
    // Its key was taken away, so no request can read it.
    if (text === null) continue;
    const sealed = cipher.encrypt(rewrite(text), recordedResponsePurpose, request_id);
    await replaceRecordedResponse(db, { request_id, response_sealed: sealed });
  }
}

function decryptOrNull(cipher: Cipher, sealed: string, requestId: string): string | null {
  try {
    return cipher.decrypt(sealed, recordedResponsePurpose, requestId);
  } catch {
    return null;
  }
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
