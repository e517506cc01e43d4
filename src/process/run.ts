import { ConfigError, unknownSettings, type Config } from '../base/config';
import { describeDatabaseError } from '../base/db/describe-error';
import { SchemaMismatch } from '../base/db/migrate';
import { isDiskFull } from '../local/disk-full';
import { killChildren, type EnvironmentOptions } from '../local/environment';
import { portInUse } from '../local/ports';
import { exitCodes, SetupError } from '../local/setup-error';
import { createLogger, type Logger } from '../base/lib/log';
import { watchProcessEnd, type ProcessEnd } from '../base/lib/process-end';
import { loadConfig } from './settings';
import { settingWarnings } from '../base/config/unsafe-settings';

/** The context of a long-running process. */
export interface Run {
  config: Config;
  log: Logger;
  end: ProcessEnd;
  /** Filled during the start; run in reverse order at the end. */
  stops: (() => Promise<unknown>)[];
}

/** How long workers and embedded servers may take to stop, in addition to the API's own limit. */
const SERVERS_STOP_SECONDS = 60;

/** Runs `start`, waits for a signal or a failure, and stops what was started. Returns the exit code. */
export async function runUntilEnd(
  { roles, verbose }: { roles?: string | undefined; verbose?: boolean | undefined },
  start: (run: Run) => Promise<void>,
): Promise<number> {
  let config: Config;
  try {
    config = loadConfig(process.env, roles);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    return exitCodes.badSetting;
  }
  const log = createLogger(config, { verbose: verbose ?? false });
  for (const name of unknownSettings(process.env)) log.warn(`${name} is not a setting of Herald`);
  if (!config.development) for (const warning of settingWarnings(config)) log.warn(warning);
  const end = watchProcessEnd(log, () => killChildren(config.HERALD_DATA_DIR));
  const stops: Run['stops'] = [];
  try {
    await start({ config, log, end, stops });
    return await end.exitCode;
  } catch (error) {
    // An aborted start fails somewhere along the way; that error needs no report.
    return end.signal.aborted ? await end.exitCode : reportStartFailure(error, { config, log });
  } finally {
    await stopAll(config, log, stops);
  }
}

export function environmentOptions({ config, log, end }: Run): EnvironmentOptions {
  return {
    config,
    signal: end.signal,
    onProgress: (message) => log.info(message),
    onExit: (exit) => {
      log.fatal({ child: exit }, 'an embedded server stopped unexpectedly');
      end.fail();
    },
  };
}

async function stopAll(config: Config, log: Logger, stops: Run['stops']): Promise<void> {
  if (stops.length === 0) return;
  log.info('stopping');
  const watchdog = setTimeout(
    () => {
      log.error('the service did not stop in time');
      killChildren(config.HERALD_DATA_DIR);
      process.exit(1);
    },
    (config.HERALD_SHUTDOWN_SECONDS + SERVERS_STOP_SECONDS) * 1000,
  );
  for (const stop of stops.toReversed()) {
    await stop().catch((err: unknown) => log.error({ err }, 'the service did not stop cleanly'));
  }
  clearTimeout(watchdog);
}

function reportStartFailure(error: unknown, { config, log }: Pick<Run, 'config' | 'log'>): number {
  const explained = explainStartFailure(error, config);
  if (!explained) {
    log.fatal({ err: error }, 'the service could not start');
    return 1;
  }
  process.stderr.write(`${explained.message}\n`);
  return explained.exitCode;
}

/** One sentence that says what to do; null for a fault of Herald's own. */
export function explainStartFailure(
  error: unknown,
  config: Pick<Config, 'DATABASE_URL' | 'HERALD_DATA_DIR'>,
): SetupError | null {
  if (isDiskFull(error)) return diskFull(error, config);
  const listening = error as { code?: string; syscall?: string; port?: number };
  if (listening.code === 'EADDRINUSE' && listening.syscall === 'listen') {
    return portInUse(listening.port ?? 0, 'PORT', 'the API');
  }
  if (error instanceof SchemaMismatch) return otherBuild(config);
  if (error instanceof SetupError) return error;
  const reason = describeDatabaseError(error);
  if (!reason) return null;
  if (config.DATABASE_URL) return new SetupError(`${reason} Check DATABASE_URL.`);
  return new SetupError(
    `The embedded database cannot be used (${(error as Error).message}); restore ${config.HERALD_DATA_DIR} from a backup ` +
      'or delete it with `npx herald reset`.',
  );
}

function diskFull(
  error: unknown,
  { DATABASE_URL, HERALD_DATA_DIR }: Pick<Config, 'DATABASE_URL' | 'HERALD_DATA_DIR'>,
): SetupError {
  const isServers = DATABASE_URL && (error as { code?: unknown }).code === '53100';
  return new SetupError(
    isServers
      ? 'The disk of the database server is full: free some space there, and start again.'
      : `The disk with the data directory ${HERALD_DATA_DIR} is full: free some space, or set HERALD_DATA_DIR to a directory ` +
          'on another disk.',
  );
}

function otherBuild({
  DATABASE_URL,
  HERALD_DATA_DIR,
}: Pick<Config, 'DATABASE_URL' | 'HERALD_DATA_DIR'>): SetupError {
  return new SetupError(
    DATABASE_URL
      ? 'The database was made by another build of Herald, whose data this one cannot read: set DATABASE_URL to an empty database.'
      : `The data directory ${HERALD_DATA_DIR} was made by another build of Herald, whose data this one cannot read: ` +
          'delete it with `npx herald reset` and start again.',
    exitCodes.badSetting,
  );
}
