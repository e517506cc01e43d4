import path from 'node:path';
import { savedQueries, workflowListUrl } from './base/contract/saved-queries';
import type { Core } from './base/core';
import { clearRuntime, writeRuntime } from './local/data-dir';
import type { Demo } from './local/demo';
import { createEnvironment, startEnvironment, type Servers } from './local/environment';
import type { Logger } from './base/lib/log';
import { maskPassword } from './base/lib/mask-password';
import { packageRoot } from './base/lib/package-root';
import { endTracing, startTracing } from './base/lib/tracing';
import { environmentOptions, runUntilEnd, type Run } from './process/run';
import type { Service } from './process/service';

export interface StartOptions {
  roles?: string;
  /** Logs every request and attempt in full. */
  verbose?: boolean;
  /** The demo project of a new data directory gets no examples. */
  empty?: boolean;
  /** Servers run by another process (`npm run dev`); without them this process starts its own. */
  servers?: Servers;
  onReady: (started: Started) => void;
}

/** The output of `--json`. The data directory holds it for the CLI, with the whole URL of the database. */
export interface Runtime {
  api_url: string | null;
  dashboard_url: string | null;
  docs_url: string | null;
  simulator_url: string | null;
  temporal_address: string;
  temporal_ui_url: string | null;
  /** Without the password, unless the database is embedded. */
  database_url: string;
  demo: Demo | null;
  /** The site of the demo project; null without one, or if it could not start. */
  demo_url: string | null;
}

export interface Started {
  runtime: Runtime;
  /** Signs in as the demo project's owner, once; for the terminal only. */
  signInUrl: string | null;
}

/** Runs the service until a signal or a failure ends it. Returns the exit code. */
export function runService({ roles, verbose, empty, servers, onReady }: StartOptions): Promise<number> {
  return runUntilEnd({ roles, verbose }, async (run) => {
    await startTracing(process.env, () => import('./base/lib/tracing-sdk.js'));
    onReady(await start(run, servers, empty));
  });
}

/** Most of the modules. Loaded while the embedded servers boot in their processes. */
const loadService = async () => ({
  ...(await import('./process/service.js')),
  ...(await import('./local/demo/index.js')),
  ...(await import('./local/demo/sign-in.js')),
  ...(await import('./local/demo/example-site.js')),
});

async function start(run: Run, servers: Servers | undefined, empty: boolean | undefined): Promise<Started> {
  const { config, log, end, stops } = run;
  const environment = servers
    ? { ...(await createEnvironment(config, servers)), stop: () => Promise.resolve() }
    : await startEnvironment({ ...environmentOptions(run), onLaunched: () => void loadService() });
  stops.push(() =>
    endTracing().catch((err: unknown) => log.warn({ err }, 'could not flush the last traces')),
  );
  stops.push(environment.stop);
  end.signal.throwIfAborted();
  const { startService, seedDemoProject, createDemoSignIn, startExampleSite } = await loadService();
  const { dataDir } = environment;
  let demo: Demo | null = null;
  const seedDemo = async ({ pool, cipher }: Core) => {
    if (!config.development || !dataDir) return;
    demo = await seedDemoProject({ pool, cipher, keyFile: path.join(dataDir, 'demo-api-key'), empty });
  };
  const demoSignIn = config.development && environment.simulator ? createDemoSignIn() : null;
  const service = await startService({
    config,
    log,
    ...environment,
    bundlePath: path.join(packageRoot, 'dist', 'workflow-bundle.js'),
    signal: end.signal,
    ...(demoSignIn ? { pages: (core) => [demoSignIn.page(core)] } : {}),
    seed: seedDemo,
    onFailure: (err) => {
      log.fatal({ err }, 'a worker stopped unexpectedly');
      end.fail();
    },
  });
  if (dataDir) stops.push(() => clearRuntime(dataDir));
  stops.push(() => service.stop());
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
    database_url: config.DATABASE_URL ? maskPassword(config.DATABASE_URL) : environment.databaseUrl,
    demo,
    demo_url: null,
  };
  if (runtime.demo && apiUrl && dataDir) {
    const { api_key: apiKey } = runtime.demo;
    const workflowsUrl = environment.temporalUiUrl && `${environment.temporalUiUrl}/namespaces/default`;
    const urlFile = path.join(dataDir, 'demo-site-url');
    const site = await startExampleSite({ apiUrl, apiKey, publicUrl, workflowsUrl, urlFile, log });
    if (site) stops.push(() => site.stop());
    runtime.demo_url = site?.url ?? null;
  }
  if (dataDir) {
    // The CLI needs to know which key this process encrypts with.
    const encryption_key_id = environment.encryptionKeys[0]?.id;
    writeRuntime(dataDir, { ...runtime, database_url: environment.databaseUrl, encryption_key_id });
  }
  return { runtime, signInUrl: (runtime.demo && apiUrl && demoSignIn?.urlAt(publicUrl)) ?? null };
}

/** Temporal Cloud rejects this call: there the operator creates the attributes in the console. */
async function registerAttributes({ core }: Service, log: Logger): Promise<void> {
  try {
    const { registerSearchAttributes } = await import('./base/temporal/search-attributes.js');
    await registerSearchAttributes(core.client, core.config.TEMPORAL_NAMESPACE);
  } catch (err) {
    log.warn({ err }, 'could not register search attributes; see docs/operations.md');
  }
}

/** The addresses and the demo key, for the terminal. */
export function summary({ runtime, signInUrl }: Started): string {
  // The embedded Temporal server has one namespace.
  const views = runtime.demo && runtime.temporal_ui_url && `${runtime.temporal_ui_url}/namespaces/default`;
  const lines = [
    ['Start here', runtime.demo_url ?? runtime.dashboard_url],
    ['API', runtime.api_url],
    ['Dashboard', runtime.dashboard_url],
    ['As demo owner', signInUrl],
    ['API docs', runtime.docs_url],
    ['Simulator', runtime.simulator_url],
    ['Temporal UI', runtime.temporal_ui_url],
    ['  retrying', views && workflowListUrl(views, savedQueries.retrying)],
    ['  failed', views && workflowListUrl(views, savedQueries.failed)],
    ['  in a terminal', views && 'npx herald deliveries list --status retrying'],
    ['Demo API key', runtime.demo?.api_key],
  ].filter((line): line is [string, string] => typeof line[1] === 'string');
  const table = lines.map(([name, value]) => `  ${name.padEnd(17)}${value}`).join('\n');
  return `\nHerald is ready.\n\n${table}\n\n  The log follows; in a terminal it has a line for each login and delivery, with --verbose for every request. Press Ctrl-C to stop. The data is kept.\n\n`;
}
