import type pg from 'pg';
import { botUpdateLag, troubledOwnBots } from '../../../domains/bots/queries/operators';
import { pendingMigrations } from '../../../base/db/migrate';
import {
  countSealedByKey,
  sampleSealed,
  type SealedColumn,
  type SealedValue,
} from '../../../base/db/sealed-values';
import { Cipher, type EncryptionKey } from '../../../base/lib/cipher';
import { isoTime } from '../../../base/lib/iso-time';
import { overdueSessions, sessionLag } from '../../../domains/login/queries/operators';
import { findProject } from '../../../domains/projects';
import { claimableLag } from '../../../domains/webhooks/queries/lag';
import {
  overdueDeliveries,
  slowEndpoints,
  type SlowEndpoint,
} from '../../../domains/webhooks/queries/operators';
import { lateCampaigns } from '../late-campaigns';
import { serverTime, serverVersion } from '../queries/server';
import { guarded, ok, problem, type Finding } from './check';

const MIN_SERVER_VERSION = 150_000;
/** Sessions, codes and schedules compare database times; only logs and signatures use a process's own clock. */
const CLOCK_TOLERANCE_MS = 2_000;
const LAG_TOLERANCE_SECONDS = 60;

const CHECK_LOG = 'Check the log of the database and DATABASE_URL.';
const CHECK_WORKER = 'Check that a worker runs (task queues, above) and read its log.';

/** Checks of Postgres; a problem in one often explains the next. */
export async function checkDatabase(pool: pg.Pool): Promise<Finding[]> {
  const findings = [
    ...(await guarded('database', CHECK_LOG, () => checkServer(pool))),
    ...(await guarded('migrations', 'Start the service once to migrate the database.', () =>
      checkMigrations(pool),
    )),
  ];
  // Without the newest schema the queries below would fail.
  if (findings.some(({ status }) => status === 'problem')) return findings;
  return [
    ...findings,
    ...(await guarded('clock', CHECK_LOG, () => checkClock(pool))),
    ...(await guarded('bot updates', CHECK_LOG, () => checkBotUpdates(pool))),
    ...(await guarded('own bots', CHECK_LOG, () => checkOwnBots(pool))),
    ...(await guarded('sessions', CHECK_LOG, () => checkSessions(pool))),
    ...(await guarded('deliveries', CHECK_LOG, () => checkDeliveries(pool))),
    ...(await guarded('campaigns', CHECK_LOG, () => checkCampaigns(pool))),
  ];
}

async function checkCampaigns(pool: pg.Pool): Promise<Finding> {
  const late = (await lateCampaigns(pool)).filter((kind) => kind.late > 0);
  if (late.length === 0) return ok('campaigns', 'none is late');
  const list = late.map(
    ({ kind, late: count, seconds, ids }) =>
      `${kind}: ${count} late, the oldest by ${Math.round(seconds / 60)} min (${ids.join(', ')})`,
  );
  return problem(
    'campaigns',
    list.join('; '),
    `${CHECK_WORKER} The Temporal UI shows each as scheduled/<id>, recurring/<id>, drip/<id>, broadcast/<id> or batch/<id>; see docs/operations.md.`,
  );
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
    'Start this version of the service once to migrate the database.',
  );
}

async function checkClock(pool: pg.Pool): Promise<Finding> {
  const before = Date.now();
  const database = await serverTime(pool);
  const after = Date.now();
  // The database read its clock at some moment between the two.
  const offMs = Math.max(0, before - database, database - after);
  const message = `this machine and the database differ by ${Math.round(offMs)} ms`;
  if (offMs <= CLOCK_TOLERANCE_MS) return ok('clock', message);
  return problem('clock', message, 'Synchronize both clocks with NTP.');
}

const LISTED_BOTS = 10;

/** The owner sees it in the dashboard; an operator is asked about it. */
async function checkOwnBots(pool: pg.Pool): Promise<Finding> {
  const troubled = await troubledOwnBots(pool, LISTED_BOTS);
  if (troubled.length === 0) return ok('own bots', 'all connected');
  const list = await Promise.all(
    troubled.map(async ({ project_id, username, channel, status, error, status_at }) => {
      const project = await findProject(pool, project_id);
      return `@${username} (${channel}) of ${project?.slug}: ${status} since ${isoTime(status_at)}${error ? `, ${error}` : ''}`;
    }),
  );
  return problem(
    'own bots',
    list.join('; '),
    'If the error says that the token is refused, the project must connect its bot again with a new token. Otherwise check the connection to the platform.',
  );
}

async function checkBotUpdates(pool: pg.Pool): Promise<Finding> {
  const { lag, setAside } = await botUpdateLag(pool);
  if (setAside > 0) {
    return problem(
      'bot updates',
      `${setAside} set aside after repeated failures`,
      'See bot_updates.last_error and the log of the bots role. To retry an update, clear its set_aside_at and failures.',
    );
  }
  if (lag > LAG_TOLERANCE_SECONDS) {
    return problem(
      'bot updates',
      `the oldest has waited for ${Math.round(lag)} s`,
      'Check that a bots role runs and read its log.',
    );
  }
  return ok('bot updates', 'none set aside, none overdue');
}

async function checkSessions(pool: pg.Pool): Promise<Finding> {
  const lag = await sessionLag(pool);
  if (lag > LAG_TOLERANCE_SECONDS) {
    return problem('sessions', `the oldest has waited ${Math.round(lag)} s for its workflow`, CHECK_WORKER);
  }
  const overdue = await overdueSessions(pool);
  if (overdue === 0) return ok('sessions', 'none overdue');
  return problem(
    'sessions',
    `${overdue} overdue`,
    `${CHECK_WORKER} If Temporal has lost its data, run "herald recover".`,
  );
}

async function checkDeliveries(pool: pg.Pool): Promise<Finding> {
  const lag = await claimableLag(pool);
  if (lag > LAG_TOLERANCE_SECONDS) {
    return problem('deliveries', `the oldest has waited ${Math.round(lag)} s to start`, CHECK_WORKER);
  }
  const overdue = await overdueDeliveries(pool);
  if (overdue === 0) return ok('deliveries', describeSlow(await slowEndpoints(pool)));
  return problem(
    'deliveries',
    `${overdue} overdue`,
    `${CHECK_WORKER} If Temporal has lost its data, run "herald recover".`,
  );
}

/** A slow receiver is not a problem of Herald, so it is only mentioned. */
function describeSlow(endpoints: SlowEndpoint[]): string {
  const slow = endpoints.map(
    ({ id, url, waiting }) =>
      `endpoint ${id} (${new URL(url).host}) is slow, ${waiting} deliveries are waiting`,
  );
  return ['none overdue', ...slow].join('; ');
}

/** Every key id in the stored secrets must be configured and decrypt a sample. */
export async function checkEncryption(
  pool: pg.Pool,
  keys: EncryptionKey[],
  columns: readonly SealedColumn[],
): Promise<Finding> {
  const cipher = new Cipher(keys);
  const used = new Map<string, number>();
  for (const column of columns) {
    for (const [keyId, count] of await countSealedByKey(pool, column)) {
      used.set(keyId, (used.get(keyId) ?? 0) + count);
      const sample = await sampleSealed(pool, column, keyId);
      if (sample === null || canDecrypt(cipher, sample, column.purpose)) continue;
      const known = keys.some(({ id }) => id === keyId);
      return problem(
        'encryption key',
        known
          ? `key ${keyId} cannot decrypt ${column.table}.${column.column}`
          : `${count} values in ${column.table}.${column.column} are encrypted with key ${keyId}, which is missing`,
        'Add the correct key to HERALD_ENCRYPTION_KEY, after the newest one.',
      );
    }
  }
  const old = [...used.keys()].filter((keyId) => keyId !== cipher.currentKeyId);
  if (old.length === 0) return ok('encryption key', `${cipher.currentKeyId} decrypts every sample`);
  const left = old.reduce((sum, keyId) => sum + (used.get(keyId) ?? 0), 0);
  return ok(
    'encryption key',
    `${left} values are still encrypted with ${old.join(', ')}; "herald keys rotate-encryption" re-encrypts them with ${cipher.currentKeyId}`,
  );
}

function canDecrypt(cipher: Cipher, { sealed, row_id }: SealedValue, purpose: string): boolean {
  try {
    cipher.decrypt(sealed, purpose, row_id);
    return true;
  } catch {
    return false;
  }
}
