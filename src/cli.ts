import { CommanderError } from 'commander';
import { UsageError } from './process/cli/context';
import { createProgram } from './process/cli/program';
import { AppError } from './base/contract/errors';
import { describeDatabaseError } from './base/db/describe-error';
import { SetupError } from './local/setup-error';
import { OperationRefused } from './process/operations/refused';

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

/** `start` loads the service while its servers boot; the other commands do not load it. */
async function run(): Promise<void> {
  const program = createProgram();
  if (process.argv[2] !== 'start') {
    const { addCommands } = await import('./process/cli/commands.js');
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
