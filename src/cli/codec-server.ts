import type { Command } from 'commander';
import { findInstallation, UsageError } from './context';
import { print } from './output';

async function serve({ json }: { json?: boolean }): Promise<void> {
  const [{ createLogger }, { watchProcessEnd }, { startCodecServer }, { portInUse }] = await Promise.all([
    import('../lib/log.js'),
    import('../lib/process-end.js'),
    import('../roles/codec-server.js'),
    import('../embedded/ports.js'),
  ]);
  const { settings, runtime } = await findInstallation();
  const { HERALD_PAYLOAD_KEYS: keys, HERALD_CODEC_TOKEN: token, HERALD_CODEC_PORT: port } = settings;
  if (!keys) throw new UsageError('HERALD_PAYLOAD_KEYS is not set, so payloads are not encrypted.');
  if (!token) {
    throw new UsageError(
      'HERALD_CODEC_TOKEN is not set: set it to the token that users of the codec server enter.',
    );
  }
  const log = createLogger(settings);
  const end = watchProcessEnd(log, () => {});
  const uiUrl = settings.TEMPORAL_UI_URL ?? (runtime?.['temporal_ui_url'] as string | undefined);
  // The server can decrypt everything, so it listens on loopback unless HERALD_HOST is set.
  const host = settings.HERALD_HOST ?? '127.0.0.1';
  const server = await startCodecServer({ keys, token, host, port, uiUrl, log }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw portInUse(port, 'HERALD_CODEC_PORT', 'the codec server');
  });
  const url = `http://${host}:${server.port}`;
  print({ url }, json, () => `Codec server: ${url}`);
  process.exitCode = await end.exitCode;
  await server.stop(1_000);
}

export function addCodecServerCommand(program: Command): void {
  program
    .command('codec-server')
    .description('decrypt payloads for users of the Temporal UI who have HERALD_CODEC_TOKEN')
    .option('--json', 'print JSON')
    .action(serve);
}
