import type { Command } from 'commander';
import type { Channel } from '../../base/contract/common';
import type { Finding } from '../operations/doctor/check';
import {
  databaseUrlOf,
  encryptionKeysOf,
  findInstallation,
  temporalSettingsOf,
  UsageError,
  type Installation,
} from './context';
import { createPool } from '../../base/db/pool';
import { print } from './output';

const marks: Record<Finding['status'], string> = {
  ok: 'ok',
  warning: 'WARNING',
  problem: 'PROBLEM',
  not_checked: '–',
};

/** Loads all checks before the first one runs: loading takes long enough to distort a latency check. */
async function loadChecks() {
  const [check, settings, database, bots, temporal, connection, within, names, webhooks, botKey, sealed] =
    await Promise.all([
      import('../operations/doctor/check.js'),
      import('../operations/doctor/settings.js'),
      import('../operations/doctor/database.js'),
      import('../operations/doctor/bots.js'),
      import('../operations/doctor/temporal.js'),
      import('../../base/temporal/connection.js'),
      import('../../base/temporal/within.js'),
      import('../../base/temporal/names.js'),
      import('../../domains/bots/queries/webhooks.js'),
      import('../../domains/bots/bot-key.js'),
      import('../roles/sealed-columns.js'),
    ]);
  return {
    ...check,
    ...settings,
    ...database,
    ...bots,
    ...temporal,
    ...connection,
    ...within,
    ...names,
    ...webhooks,
    ...botKey,
    ...sealed,
  };
}

type Checks = Awaited<ReturnType<typeof loadChecks>>;

async function examine(): Promise<Finding[]> {
  const checks = await loadChecks();
  const installation = await findInstallation();
  const { settings, runtime } = installation;
  const development = settings.DATABASE_URL === undefined && settings.NODE_ENV !== 'production';
  const start = 'Set DATABASE_URL, TEMPORAL_ADDRESS or HERALD_DATA_DIR.';
  // A usage error says itself what to do.
  const notThere = (check: string) => (error: unknown) => [
    checks.problem(check, messageOf(error), error instanceof UsageError ? null : start),
  ];
  const [inTemporal, inDatabase, ofBots] = await Promise.all([
    examineTemporal(checks, installation).catch(notThere('temporal')),
    examineDatabase(checks, installation).catch(notThere('database')),
    checks.checkBots({
      settings,
      simulated: runtime ? typeof runtime['simulator_url'] === 'string' : development ? null : false,
      updates: settings.HERALD_BOT_UPDATES ?? (development ? 'polling' : 'webhook'),
      registration: (channel) => registrationOf(checks, installation, channel),
    }),
  ]);
  return [...checks.checkSettings(settings, development), ...inTemporal, ...inDatabase, ...ofBots];
}

async function examineDatabase(checks: Checks, installation: Installation): Promise<Finding[]> {
  const pool = createPool({ url: databaseUrlOf(installation), max: 2, applicationName: 'herald doctor' });
  try {
    const findings = await checks.checkDatabase(pool);
    if (findings.some(({ check, status }) => check === 'migrations' && status !== 'ok')) {
      return [...findings, checks.notChecked('encryption key', 'fix the database first')];
    }
    const encryption = await checks.guarded('encryption key', 'Set HERALD_ENCRYPTION_KEY.', async () =>
      checks.checkEncryption(pool, await encryptionKeysOf(installation), checks.sealedColumns),
    );
    return [...findings, ...encryption];
  } finally {
    await pool.end();
  }
}

async function registrationOf(checks: Checks, installation: Installation, channel: Channel) {
  const pool = createPool({ url: databaseUrlOf(installation), max: 1, applicationName: 'herald doctor' });
  try {
    return await checks.findWebhookRegistration(pool, checks.sharedBotKey(channel));
  } finally {
    await pool.end();
  }
}

async function examineTemporal(checks: Checks, installation: Installation): Promise<Finding[]> {
  const settings = temporalSettingsOf(installation);
  const client = await checks.createLazyClient(settings);
  try {
    return await checks.checkTemporal({
      client,
      address: settings.address,
      namespace: settings.TEMPORAL_NAMESPACE,
      queues: checks.taskQueues(installation.settings.HERALD_TASK_QUEUE_PREFIX),
    });
  } finally {
    await checks.closeClient(client);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function report(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length)) + 2;
  return findings
    .map(({ check, status, message, advice }) => {
      const line = `${marks[status].padEnd(9)}${check.padEnd(width)}${message}`;
      return advice === null ? line : `${line}\n${' '.repeat(9 + width)}→ ${advice}`;
    })
    .join('\n');
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the installation; exits with 1 if there is a problem')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = await examine();
      const healthy = findings.every(({ status }) => status !== 'problem');
      print({ healthy, checks: findings }, json, () => report(findings));
      if (!healthy) process.exitCode = 1;
    });
}
