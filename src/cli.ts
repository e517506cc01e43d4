import { Command, CommanderError } from 'commander';
import { UsageError } from './cli/context';
import { addCompletionCommand } from './cli/completion';
import { addDeliveryCommands } from './cli/deliveries';
import { addDoctorCommand } from './cli/doctor';
import { addDripCommands } from './cli/drip';
import { addTicketCommands } from './cli/ticket';
import { addEncryptionCommands } from './cli/encryption';
import { addExportCommand } from './cli/export';
import { addKeyCommands } from './cli/keys';
import { addListenCommand } from './cli/listen';
import { addMcpCommand } from './cli/mcp';
import { addMemberCommands } from './cli/members';
import { addOidcCommands } from './cli/oidc';
import { addMessageLists } from './cli/message-lists';
import { addProjectCommands } from './cli/projects';
import { addRecoverCommand } from './cli/recover';
import { addResetCommand } from './cli/reset';
import { addSessionCommands } from './cli/sessions';
import { addTailCommand } from './cli/tail';
import { addTriggerCommand } from './cli/trigger';
import { addWorkflowCommands } from './cli/workflows';
import { AppError } from './contract/errors';
import { describeDatabaseError } from './db/describe-error';
import { SetupError } from './embedded/setup-error';
import { packageCommit, packageVersion } from './lib/package-version';
import { OperationRefused } from './operations/refused';
import { registerDomains } from './roles/domains';

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
    .option('--verbose', 'log every request and attempt in full, where the log is for a terminal')
    .action(async (options: { json: boolean; roles?: string; verbose?: boolean }) => {
      // Loaded here, so that the other commands start fast.
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
  addProjectCommands(program);
  addKeyCommands(program);
  addMemberCommands(program);
  addOidcCommands(program);
  addDeliveryCommands(program);
  addExportCommand(program);
  addSessionCommands(program);
  addListenCommand(program);
  addTriggerCommand(program);
  addTailCommand(program);
  addMcpCommand(program);
  addWorkflowCommands(program);
  addRecoverCommand(program);
  addMessageLists(program);
  addDripCommands(program);
  addTicketCommands(program);
  addDoctorCommand(program);
  addEncryptionCommands(program);
  addResetCommand(program);
  addCompletionCommand(program);
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

registerDomains();
createProgram()
  .parseAsync()
  .catch((error: unknown) => {
    process.exitCode = report(error);
  })
  // Native handles of Temporal's core can keep the process alive after a command: exit once the output is flushed.
  .finally(() => process.stdout.write('', () => process.exit()));
