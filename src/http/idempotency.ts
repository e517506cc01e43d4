import { createHash, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { AppError, isErrorCode } from '../contract/errors';
import {
  extendKeyLease,
  findKey,
  giveKeyBack,
  recordKeyOutcome,
  takeKey,
  type HeldKey,
  type KeyScope,
} from './queries';
import type { Logger } from '../lib/log';

/** A holder that dies is missed after this; a living one keeps extending it. */
const LEASE_SECONDS = 30;
const EXTEND_MS = 10_000;
const IN_PROGRESS_RETRY_SECONDS = 1;
/** Between a failed take and the look at its holder, the key may have been given back: it is taken then. */
const TAKES = 5;

/** Their cause lies outside the request and passes: the same request may be tried again under the same key. */
const unrecordedStatuses = new Set([400, 401, 402, 425, 429]);

export interface Once<T> {
  answer: T;
  /** It is the recorded answer of an earlier request. */
  replayed: boolean;
}

/**
 * Runs a request at most once under its key. The first answer, or error, is given again until the key expires.
 * `run` gets the id of the request: after a crash the next request with the key gets the same id and takes up what is left.
 */
export async function once<T>(
  { pool, log }: { pool: pg.Pool; log: Logger },
  scope: KeyScope,
  request: unknown,
  run: (requestId: string) => Promise<T>,
): Promise<Once<T>> {
  const requestHash = hashOf(request);
  const owner = randomUUID();
  const taken = await take(pool, scope, requestHash, owner);
  if ('held' in taken) return replay<T>(taken.held);

  const extending = setInterval(() => {
    extendKeyLease(pool, scope, owner, LEASE_SECONDS).catch((err: unknown) =>
      log.warn({ err }, 'the lease of an idempotency key could not be extended'),
    );
  }, EXTEND_MS);
  try {
    const answer = await run(taken.requestId);
    await recordKeyOutcome(pool, scope, owner, { answer });
    return { answer, replayed: false };
  } catch (error) {
    await settleFailure(pool, scope, owner, error);
    throw error;
  } finally {
    clearInterval(extending);
  }
}

async function take(
  pool: pg.Pool,
  scope: KeyScope,
  requestHash: Buffer,
  owner: string,
): Promise<{ requestId: string } | { held: HeldKey }> {
  for (let attempt = 1; attempt <= TAKES; attempt += 1) {
    const taken = await takeKey(pool, scope, { requestHash, owner, leaseSeconds: LEASE_SECONDS });
    if (taken) return { requestId: taken.request_id };
    const held = await findKey(pool, scope);
    if (!held) continue;
    if (!held.request_hash.equals(requestHash)) throw new AppError('idempotency_conflict');
    if (!held.running) return { held };
    break;
  }
  throw new AppError('request_in_progress', undefined, { retryAfter: IN_PROGRESS_RETRY_SECONDS });
}

function replay<T>({ answer, error_code, error_text }: HeldKey): Once<T> {
  if (error_code === null) return { answer: answer as T, replayed: true };
  throw new AppError(isErrorCode(error_code) ? error_code : 'internal_error', error_text ?? undefined);
}

async function settleFailure(pool: pg.Pool, scope: KeyScope, owner: string, error: unknown): Promise<void> {
  const isRecorded = error instanceof AppError && error.status < 500 && !unrecordedStatuses.has(error.status);
  const settled = isRecorded
    ? recordKeyOutcome(pool, scope, owner, { errorCode: error.code, errorText: error.message })
    : giveKeyBack(pool, scope, owner);
  // The caller hears of the first fault; without the database the lease frees the key.
  await settled.catch(() => undefined);
}

/** The same for the same request, in whatever order its fields come. */
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
