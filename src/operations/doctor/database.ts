import type pg from 'pg';
import { pendingMigrations } from '../../db/migrate';
import { Cipher, type EncryptionKey } from '../../lib/cipher';
import { claimableLag } from '../../webhooks/queries/claim';
import {
  overdueDeliveries,
  overdueSessions,
  serverTime,
  serverVersion,
  slowEndpoints,
  type SlowEndpoint,
} from '../queries/health';
import { botUpdateLag, sessionLag } from '../queries/lag';
import { countSealedByKey, sampleSealed, sealedColumns } from '../queries/sealed-values';
import { guarded, ok, problem, type Finding } from './check';

const MIN_SERVER_VERSION = 150_000;
/** Sessions, codes and schedules use the database clock; a process's own clock matters only for signatures and logs. */
const CLOCK_TOLERANCE_MS = 2_000;
const LAG_TOLERANCE_SECONDS = 60;

const LOOK_AT_LOG = 'Look at the log of the database and at DATABASE_URL.';
const LOOK_AT_WORKER = 'See whether a worker runs (task queues, above) and what its log says.';

/** The checks that need only Postgres, ordered so that a problem explains the ones after it. */
export async function checkDatabase(pool: pg.Pool): Promise<Finding[]> {
  const findings = [
    ...(await guarded('database', LOOK_AT_LOG, () => checkServer(pool))),
    ...(await guarded('migrations', 'Start the service once: it migrates the database.', () =>
      checkMigrations(pool),
    )),
  ];
  // The checks below need the current schema.
  if (findings.some(({ status }) => status === 'problem')) return findings;
  return [
    ...findings,
    ...(await guarded('clock', LOOK_AT_LOG, () => checkClock(pool))),
    ...(await guarded('bot updates', LOOK_AT_LOG, () => checkBotUpdates(pool))),
    ...(await guarded('sessions', LOOK_AT_LOG, () => checkSessions(pool))),
    ...(await guarded('deliveries', LOOK_AT_LOG, () => checkDeliveries(pool))),
  ];
}

async function checkServer(pool: pg.Pool): Promise<Finding> {
  const { version, number } = await serverVersion(pool);
  if (number >= MIN_SERVER_VERSION) return ok('database', `PostgreSQL ${version}`);
  return problem('database', `PostgreSQL ${version} is too old`, 'Use PostgreSQL 15 or newer.');
}

async function checkMigrations(pool: pg.Pool): Promise<Finding> {
  const missing = await pendingMigrations(pool);
  if (missing.length === 0) return ok('migrations', 'all applied');
  return problem(
    'migrations',
    `not applied: ${missing.join(', ')}`,
    'Start the service once with this version: it migrates the database.',
  );
}

async function checkClock(pool: pg.Pool): Promise<Finding> {
  const before = Date.now();
  const database = await serverTime(pool);
  const after = Date.now();
  // The database read its clock between sending and receiving.
  const offMs = Math.max(0, before - database, database - after);
  const message = `this machine and the database differ by ${Math.round(offMs)} ms`;
  if (offMs <= CLOCK_TOLERANCE_MS) return ok('clock', message);
  return problem('clock', message, 'Let both set their clocks by NTP.');
}

async function checkBotUpdates(pool: pg.Pool): Promise<Finding> {
  const { lag, setAside } = await botUpdateLag(pool);
  if (setAside > 0) {
    return problem(
      'bot updates',
      `${setAside} were set aside after failing again and again`,
      'Find the reason in bot_updates.last_error and the log of the bots; to try one again, clear its set_aside_at and failures.',
    );
  }
  if (lag > LAG_TOLERANCE_SECONDS) {
    return problem(
      'bot updates',
      `the oldest waits for ${Math.round(lag)} s`,
      'See whether a bots role runs and what its log says.',
    );
  }
  return ok('bot updates', 'none set aside, none late');
}

async function checkSessions(pool: pg.Pool): Promise<Finding> {
  const lag = await sessionLag(pool);
  if (lag > LAG_TOLERANCE_SECONDS) {
    return problem('sessions', `one waits for its workflow for ${Math.round(lag)} s`, LOOK_AT_WORKER);
  }
  const overdue = await overdueSessions(pool);
  if (overdue === 0) return ok('sessions', 'none late');
  return problem(
    'sessions',
    `${overdue} should have ended and have not`,
    `${LOOK_AT_WORKER} If Temporal has lost its store, run "herald recover".`,
  );
}

async function checkDeliveries(pool: pg.Pool): Promise<Finding> {
  const lag = await claimableLag(pool);
  if (lag > LAG_TOLERANCE_SECONDS) {
    return problem('deliveries', `one waits to be started for ${Math.round(lag)} s`, LOOK_AT_WORKER);
  }
  const overdue = await overdueDeliveries(pool);
  if (overdue === 0) return ok('deliveries', describeSlow(await slowEndpoints(pool)));
  return problem(
    'deliveries',
    `${overdue} are overdue`,
    `${LOOK_AT_WORKER} If Temporal has lost its store, run "herald recover".`,
  );
}

/** A slow receiver is not a problem of Herald, so it does not fail the check. */
function describeSlow(endpoints: SlowEndpoint[]): string {
  const slow = endpoints.map(
    ({ id, url, waiting }) =>
      `endpoint ${id} (${new URL(url).host}) is slow, ${waiting} deliveries wait for it`,
  );
  return ['none late', ...slow].join('; ');
}

/** Every key that stored secrets refer to must be configured and decrypt a sample. */
export async function checkEncryption(pool: pg.Pool, keys: EncryptionKey[]): Promise<Finding> {
  const cipher = new Cipher(keys);
  const used = new Map<string, number>();
  for (const column of sealedColumns) {
    for (const [keyId, count] of await countSealedByKey(pool, column)) {
      used.set(keyId, (used.get(keyId) ?? 0) + count);
      const sample = await sampleSealed(pool, column, keyId);
      if (sample === null || canDecrypt(cipher, sample, column.purpose)) continue;
      const known = keys.some(({ id }) => id === keyId);
      return problem(
        'encryption key',
        known
          ? `the key ${keyId} does not open what it should have sealed (${column.table}.${column.column})`
          : `${count} values of ${column.table}.${column.column} were sealed with the key ${keyId}, which is missing`,
        'Put the right key back into HERALD_ENCRYPTION_KEY, beside the newest.',
      );
    }
  }
  const old = [...used.keys()].filter((keyId) => keyId !== cipher.currentKeyId);
  if (old.length === 0) return ok('encryption key', `${cipher.currentKeyId} opens everything sampled`);
  const left = old.reduce((sum, keyId) => sum + (used.get(keyId) ?? 0), 0);
  return ok(
    'encryption key',
    `${left} values are still sealed with ${old.join(', ')}; "herald keys rotate-encryption" seals them with ${cipher.currentKeyId}`,
  );
}

function canDecrypt(cipher: Cipher, sealed: string, purpose: string): boolean {
  try {
    cipher.decrypt(sealed, purpose);
    return true;
  } catch {
    return false;
  }
}
