import { Command, CommanderError } from 'commander';
import { UsageError } from './cli/context';
import { AppError } from './contract/errors';
import { describeDatabaseError } from './db/describe-error';
import { SetupError } from './embedded/setup-error';
import { packageCommit, packageVersion } from './lib/package-version';
import { OperationRefused } from './operations/refused';

function createProgram(): Command {
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
      const { runService, summary } = await import('./main.js');
      process.exitCode = await runService({
        ...options,
        onReady: (started) =>
          process.stdout.write(options.json ? `${JSON.stringify(started.runtime)}\n` : summary(started)),
      });
    });
  // For a checkout only, as `npm run dev`.
  program.command('dev', { hidden: true }).action(async () => {
    const { runDev } = await import('./dev.js');
    process.exitCode = await runDev();
  });
  return program;
}

function versionText(): string {
  const version = packageVersion();
  return process.argv.includes('--json') ? JSON.stringify({ version, commit: packageCommit() }) : version;
}

/** Prints an error as one sentence on standard error and returns the exit code; only an internal fault shows its stack. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof UsageError || error instanceof OperationRefused) return say(error.message, 1);
  // Commands apply the rules of the API.
  if (error instanceof AppError) return say(error.message, 1);
  if (error instanceof SetupError) return say(error.message, error.exitCode);
  const reason = describeDatabaseError(error);
  if (reason) return say(reason, 1);
  return say(error instanceof Error ? (error.stack ?? error.message) : String(error), 1);
}

function say(message: string, exitCode: number): number {
  process.stderr.write(`${message}\n`);
  return exitCode;
}

/** The service loads what it needs while its servers boot, and other commands load no service. */
async function run(): Promise<void> {
  const program = createProgram();
  if (process.argv[2] !== 'start') {
    const { addCommands } = await import('./cli/commands.js');
    addCommands(program);
  }
  await program.parseAsync();
}

run()
  .catch((error: unknown) => {
    process.exitCode = report(error);
  })
  // Native handles of Temporal's core can keep the process alive after a command: exit once the output is flushed.
  .finally(() => process.stdout.write('', () => process.exit()));
