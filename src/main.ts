import path from 'node:path';
import { ConfigError, loadConfig, type Config } from './config';
import { seedDemoProject, type Demo } from './embedded/demo';
import { clearRuntime, writeRuntime } from './embedded/data-dir';
import { startEnvironment, type Environment } from './embedded/environment';
import { portInUse } from './embedded/ports';
import { exitCodes, SetupError } from './embedded/setup-error';
import { createLogger, type Logger } from './log';
import { packageRoot } from './package-root';
import { startService, type Service } from './service';
import { registerSearchAttributes } from './temporal/search-attributes';

export interface StartOptions {
  /** One line of JSON on standard output once ready, instead of the summary for people. */
  json: boolean;
  roles?: string;
}

/** What scripts read from `--json` and the CLI from the data directory. */
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

/** Runs the service until a signal or a fault ends it. Answers the exit code. */
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
  const ending = waitForEnd();
  const running: { environment?: Environment; service?: Service } = {};
  try {
    const runtime = await Promise.race([start(config, log, running, ending.fail), ending.promise]);
    if (typeof runtime !== 'number') {
      process.stdout.write(options.json ? `${JSON.stringify(runtime)}\n` : summary(runtime));
    }
    return await ending.promise;
  } catch (error) {
    return reportStartFailure(error, log);
  } finally {
    await stopAll(config, log, running);
  }
}

async function start(
  config: Config,
  log: Logger,
  running: { environment?: Environment; service?: Service },
  fail: () => void,
): Promise<Runtime> {
  const progress = (message: string) => log.info(message);
  const environment = await startEnvironment({
    config,
    onProgress: progress,
    onExit: (exit) => {
      log.fatal({ child: exit }, 'an embedded server has ended by itself');
      fail();
    },
  });
  running.environment = environment;
  const service = await startService({
    config,
    log,
    ...environment,
    bundlePath: path.join(packageRoot, 'dist', 'workflow-bundle.js'),
    onFailure: (err) => {
      log.fatal({ err }, 'a worker has ended by itself');
      fail();
    },
  });
  running.service = service;
  if (config.TEMPORAL_ADDRESS && config.roles.includes('worker')) await registerOnForeignServer(service, log);
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
  if (environment.dataDir) writeRuntime(environment.dataDir.path, { ...runtime });
  return runtime;
}

/** Temporal Cloud refuses this call: there the attributes are made in its console, and the operator is told so. */
async function registerOnForeignServer({ core }: Service, log: Logger): Promise<void> {
  try {
    await registerSearchAttributes(core.client, core.config.TEMPORAL_NAMESPACE);
  } catch (err) {
    log.warn({ err }, 'search attributes could not be registered; see docs/operations.md');
  }
}

/** Resolves with an exit code at the first signal, at a fault, or when npm above us has gone. */
function waitForEnd(): { promise: Promise<number>; fail: () => void } {
  let end: (code: number) => void = () => {};
  const promise = new Promise<number>((resolve) => (end = resolve));
  let signalled = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // npm and the terminal can both send the first one; a later one means: do not wait any longer.
      if (signalled) return;
      signalled = true;
      end(0);
      setTimeout(() => process.on(signal, () => process.exit(130)), 1_000).unref();
    });
  }
  // npm's shell dies of a SIGTERM without passing it on: without this the service would outlive it.
  if (process.env['npm_lifecycle_event']) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && end(0), 500).unref();
  }
  return { promise, fail: () => end(1) };
}

async function stopAll(
  config: Config,
  log: Logger,
  running: { environment?: Environment; service?: Service },
): Promise<void> {
  try {
    if (running.service || running.environment) log.info('stopping');
    await running.service?.stop();
    if (running.environment?.dataDir) await clearRuntime(config.HERALD_DATA_DIR);
  } catch (err) {
    log.error({ err }, 'the service did not stop cleanly');
  } finally {
    await running.environment?.stop();
  }
}

function reportStartFailure(error: unknown, log: Logger): number {
  const listening = error as { code?: string; syscall?: string; port?: number };
  if (listening.code === 'EADDRINUSE' && listening.syscall === 'listen') {
    return reportStartFailure(portInUse(listening.port ?? 0, 'PORT', 'the API'), log);
  }
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
