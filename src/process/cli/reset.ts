import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import { openDataDir } from '../../local/data-dir';
import { findInstallation, UsageError } from './context';
import { print } from './output';

/** Deletes the data directory of the embedded servers, for a start from nothing. */
async function reset({ yes, json }: { yes?: boolean; json?: boolean }): Promise<void> {
  const { settings } = await findInstallation();
  const directory = path.resolve(settings.HERALD_DATA_DIR);
  if (settings.DATABASE_URL) {
    // The directory may hold the key that the external database is encrypted with.
    throw new UsageError('DATABASE_URL is set: this command only deletes the data of the embedded servers.');
  }
  if (!existsSync(path.join(directory, 'postgres'))) {
    throw new UsageError(`${directory} is not a data directory of Herald: there is nothing to delete.`);
  }
  if (!yes) {
    throw new UsageError(
      `This deletes ${directory} with every project, subscriber, delivery and key in it. Run \`npx herald reset --yes\` to go ahead.`,
    );
  }
  // Refuses while a service runs there, and stops servers that a killed one left.
  const dataDir = await openDataDir(directory);
  await dataDir.close();
  await rm(directory, { recursive: true, force: true });
  print({ deleted: directory }, json, () => `Deleted ${directory}.`);
}

export function addResetCommand(program: Command): void {
  program
    .command('reset')
    .description('delete the data directory of the embedded servers')
    .option('--yes', 'confirm')
    .option('--json', 'print JSON')
    .action(reset);
}
