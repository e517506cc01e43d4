import type { Command } from 'commander';
import { Cipher } from '../lib/cipher';
import { addKeyToFile, keyFile } from '../embedded/key-file';
import { rotateEncryption } from '../operations/rotate-encryption';
import { encryptionKeysOf, findInstallation, UsageError, withDatabase, type Installation } from './context';
import { print } from './output';
import { startProgress } from './progress';

/** Whether the running embedded service seals with the newest key of its file. */
function isInUse({ runtime }: Installation, newest: string | undefined): boolean {
  return runtime === null || runtime['encryption_key_id'] === newest;
}

async function rotate({ json }: { json?: boolean }): Promise<void> {
  const installation = await findInstallation();
  const keys = await encryptionKeysOf(installation);
  // A service that does not know the new key could read nothing that this command has sealed.
  if (!installation.settings.HERALD_ENCRYPTION_KEY && !isInUse(installation, keys[0]?.id)) {
    throw new UsageError(
      `The service does not know the key ${keys[0]?.id} yet: restart it, then run this again.`,
    );
  }
  const progress = startProgress('sealing with the newest key');
  const rotated = await withDatabase(
    (pool) => rotateEncryption(pool, new Cipher(keys), progress.at).finally(progress.end),
    installation,
  );
  print(
    rotated,
    json,
    () =>
      `${rotated.resealed} values are sealed with the key ${rotated.key_id} now.` +
      (rotated.unreadable > 0
        ? ` ${rotated.unreadable} could not be opened: their key is missing from HERALD_ENCRYPTION_KEY.`
        : ''),
  );
  if (rotated.unreadable > 0) process.exitCode = 1;
}

async function generate({ json }: { json?: boolean }): Promise<void> {
  const installation = await findInstallation();
  const { HERALD_ENCRYPTION_KEY: given, HERALD_DATA_DIR: dataDirectory } = installation.settings;
  if (given) {
    throw new UsageError(
      'The keys stand in HERALD_ENCRYPTION_KEY: put a new one before them, like k2:<base64 of 32 bytes>,k1:<the old one>.',
    );
  }
  const [newest] = await encryptionKeysOf(installation);
  if (!isInUse(installation, newest?.id)) {
    throw new UsageError(`The key ${newest?.id} is new and not in use yet: restart the service first.`);
  }
  const keyId = await addKeyToFile(dataDirectory);
  const file = keyFile(dataDirectory);
  print(
    { key_id: keyId, file },
    json,
    () =>
      `The key ${keyId} stands before the others in ${file}. Restart the service, then run "herald keys rotate-encryption".`,
  );
}

export function addEncryptionCommands(program: Command): void {
  const keys = program.command('keys').description('encryption keys of secrets at rest');
  keys
    .command('rotate-encryption')
    .description('seal every secret with the newest key; may be stopped and run again at any time')
    .option(
      '--generate',
      'first make a new key in the data directory of the embedded service, and stop there',
    )
    .option('--json', 'print JSON')
    .action((options: { generate?: boolean; json?: boolean }) =>
      options.generate ? generate(options) : rotate(options),
    );
}
