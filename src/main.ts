import path from 'node:path';
import { ConfigError, loadConfig, unknownSettings, type Config } from './config';
import { describeDatabaseError } from './db/describe-error';
import { seedDemoProject, type Demo } from './embedded/demo';
import { clearRuntime, writeRuntime } from './embedded/data-dir';
import { killChildren, startEnvironment, type Environment } from './embedded/environment';
import { portInUse } from './embedded/ports';
import { exitCodes, SetupError } from './embedded/setup-error';
import { createLogger, type Logger } from './lib/log';
import { packageRoot } from './lib/package-root';
import { watchProcessEnd, type ProcessEnd } from './lib/process-end';
import { startService, type Service } from './service';
import { bundleName } from './temporal/data-converter';
import { registerSearchAttributes } from './temporal/search-attributes';
import { endTracing, startTracing } from './lib/tracing';

export interface StartOptions {
  /** Print one line of JSON to standard output once ready, instead of the summary. */
  json: boolean;
  roles?: string;
}

/** Printed by `--json` and stored in the data directory for the CLI. */
export interface Runtime {
  api_url: string | null;
  dashboard_url: string | null;
  docs_url: string | null;
  simulator_url: string | null;
  temporal_address: string;
  temporal_ui_url: string | null;
  database_url: string;
  demo: Demo | null;
}

/** How long workers and embedded servers may take to stop, in addition to the API's own limit. */
const WORKERS_STOP_SECONDS = 60;

interface Running {
  environment?: Environment;
  service?: Service;
}

/** Runs the service until a signal or a failure ends it. Returns the exit code. */
export async function runService(options: StartOptions): Promise<number> {
  let config: Config;
  try {
    config = loadConfig(process.env, options.roles);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problem}\n`);
    return exitCodes.badSetting;
  }
  const log = createLogger(config);
  for (const name of unknownSettings(process.env)) log.warn(`${name} is not a setting of Herald`);
  const end = watchProcessEnd(log, () => killChildren(config.HERALD_DATA_DIR));
  const running: Running = {};
  try {
    await startTracing(process.env, () => import('./lib/tracing-sdk.js'));
    const runtime = await start(config, log, running, end);
    process.stdout.write(options.json ? `${JSON.stringify(runtime)}\n` : summary(runtime));
    return await end.exitCode;
  } catch (error) {
    // An aborted start fails somewhere along the way; that error needs no report.
    return end.signal.aborted ? await end.exitCode : reportStartFailure(error, log);
  } finally {
    await stopAll(config, log, running);
    await endTracing().catch((err: unknown) => log.warn({ err }, 'could not flush the last traces'));
  }
}

async function start(config: Config, log: Logger, running: Running, end: ProcessEnd): Promise<Runtime> {
  const environment = await startEnvironment({
    config,
    signal: end.signal,
    onProgress: (message) => log.info(message),
    onExit: (exit) => {
      log.fatal({ child: exit }, 'an embedded server stopped unexpectedly');
      end.fail();
    },
  });
  running.environment = environment;
  end.signal.throwIfAborted();
  const service = await startService({
    config,
    log,
    ...environment,
    bundlePath: path.join(
      packageRoot,
      'dist',
      bundleName({ sealed: config.HERALD_PAYLOAD_KEYS !== undefined }),
    ),
    signal: end.signal,
    onFailure: (err) => {
      log.fatal({ err }, 'a worker stopped unexpectedly');
      end.fail();
    },
  });
  running.service = service;
  end.signal.throwIfAborted();
  if (config.TEMPORAL_ADDRESS && config.roles.includes('worker')) await registerAttributes(service, log);
  const { core, apiUrl } = service;
  const publicUrl = core.publicUrl();
  const runtime: Runtime = {
    api_url: apiUrl && publicUrl,
    dashboard_url: apiUrl && `${publicUrl}/dashboard`,
    docs_url: apiUrl && `${publicUrl}/docs`,
    simulator_url: environment.simulator?.url ?? null,
    temporal_address: environment.temporalAddress,
    temporal_ui_url: environment.temporalUiUrl,
    database_url: environment.databaseUrl,
    demo:
      config.development && environment.dataDir
        ? await seedDemoProject(core.pool, environment.dataDir.file('demo-api-key'), publicUrl)
        : null,
  };
  if (environment.dataDir) {
    // The CLI must know which key this process encrypts with.
    const encryption_key_id = environment.encryptionKeys[0]?.id;
    writeRuntime(environment.dataDir.path, { ...runtime, encryption_key_id });
  }
  return runtime;
}

/** Temporal Cloud refuses this call: there the operator creates the attributes in its console. */
async function registerAttributes({ core }: Service, log: Logger): Promise<void> {
  try {
    await registerSearchAttributes(core.client, core.config.TEMPORAL_NAMESPACE);
  } catch (err) {
    log.warn({ err }, 'could not register search attributes; see docs/operations.md');
  }
}

async function stopAll(config: Config, log: Logger, { environment, service }: Running): Promise<void> {
  if (!environment) return;
  log.info('stopping');
  const watchdog = setTimeout(
    () => {
      log.error('the service did not stop in time');
      killChildren(config.HERALD_DATA_DIR);
      process.exit(1);
    },
    (config.HERALD_SHUTDOWN_SECONDS + WORKERS_STOP_SECONDS) * 1000,
  );
  try {
    await service?.stop();
    if (environment.dataDir) await clearRuntime(config.HERALD_DATA_DIR);
  } catch (err) {
    log.error({ err }, 'the service did not stop cleanly');
  } finally {
    await environment.stop();
    clearTimeout(watchdog);
  }
}

function reportStartFailure(error: unknown, log: Logger): number {
  const listening = error as { code?: string; syscall?: string; port?: number };
  if (listening.code === 'EADDRINUSE' && listening.syscall === 'listen') {
    return reportStartFailure(portInUse(listening.port ?? 0, 'PORT', 'the API'), log);
  }
  const reason = describeDatabaseError(error);
  if (reason) return reportStartFailure(new SetupError(`${reason} Check DATABASE_URL.`), log);
  if (error instanceof SetupError) {
    process.stderr.write(`${error.message}\n`);
    return error.exitCode;
  }
  log.fatal({ err: error }, 'the service could not start');
  return 1;
}

function summary(runtime: Runtime): string {
  const lines = [
    ['API', runtime.api_url],
    ['Dashboard', runtime.dashboard_url],
    ['API docs', runtime.docs_url],
    ['Demo login', runtime.demo && runtime.api_url ? `${runtime.api_url}/demo` : null],
    ['Simulator', runtime.simulator_url],
    ['Temporal UI', runtime.temporal_ui_url],
    ['Demo API key', runtime.demo?.api_key],
  ].filter((line): line is [string, string] => typeof line[1] === 'string');
  const table = lines.map(([name, value]) => `  ${name.padEnd(14)}${value}`).join('\n');
  return `\nHerald is ready.\n\n${table}\n\n  Ctrl-C stops it; the data stays.\n\n`;
}
