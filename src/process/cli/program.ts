import { Command } from 'commander';
import { packageCommit, packageVersion } from '../../base/lib/package-version';

/** The program with the commands that run the service; `addCommands` adds the others. */
export function createProgram(): Command {
  const program = new Command('herald')
    .description('Messenger login, webhooks and messages.')
    .version(versionText(), '-v, --version', 'show the version')
    .exitOverride();
  program
    .command('start')
    .description('run the service, with embedded servers where no setting names one')
    .option('--json', 'print one line of JSON when ready; logs go to standard error', false)
    .option('--roles <roles>', 'roles to run in this process: api,worker,bots')
    .option('--empty', 'give the demo project of a new data directory no examples')
    .option('--verbose', 'log every request and attempt in full, where the log is for a terminal')
    .action(async (options: { json: boolean; roles?: string; empty?: boolean; verbose?: boolean }) => {
      const { runService, summary } = await import('../../main.js');
      process.exitCode = await runService({
        ...options,
        onReady: (started) =>
          process.stdout.write(options.json ? `${JSON.stringify(started.runtime)}\n` : summary(started)),
      });
    });
  // For a checkout only, as `npm run dev`.
  program.command('dev', { hidden: true }).action(async () => {
    const { runDev } = await import('../dev.js');
    process.exitCode = await runDev();
  });
  return program;
}

function versionText(): string {
  const version = packageVersion();
  return process.argv.includes('--json') ? JSON.stringify({ version, commit: packageCommit() }) : version;
}
