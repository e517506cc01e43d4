import type { Command } from 'commander';
import { Cipher } from '../../base/lib/cipher';
import { addKeyToFile, keyFile } from '../../local/key-file';
import { encryptionKeysOf, findInstallation, UsageError, withDatabase, type Installation } from './context';
import { print } from './output';
import { startProgress } from './progress';

/** Whether the running embedded service encrypts with the newest key of its file. */
function isInUse({ runtime }: Installation, newest: string | undefined): boolean {
  return runtime === null || runtime['encryption_key_id'] === newest;
}

async function rotate({ json }: { json?: boolean }): Promise<void> {
  const installation = await findInstallation();
  const keys = await encryptionKeysOf(installation);
  // A service that has not loaded the new key could not decrypt what this command encrypts.
  if (!installation.settings.HERALD_ENCRYPTION_KEY && !isInUse(installation, keys[0]?.id)) {
    throw new UsageError(
      `The service has not loaded key ${keys[0]?.id} yet: restart it, then run this command again.`,
    );
  }
  // Loaded here, because it loads every room that encrypts: the other commands start fast.
  const [{ rotateEncryption }, { sealedColumns }] = await Promise.all([
    import('../operations/rotate-encryption.js'),
    import('../roles/sealed-columns.js'),
  ]);
  const progress = startProgress('encrypting with the newest key');
  const rotated = await withDatabase(
    (pool) => rotateEncryption(pool, new Cipher(keys), sealedColumns, progress.at).finally(progress.end),
    installation,
  );
  print(
    rotated,
    json,
    () =>
      `${rotated.resealed} values encrypted with key ${rotated.key_id}.` +
      (rotated.unreadable > 0
        ? ` ${rotated.unreadable} could not be decrypted: their key is missing from HERALD_ENCRYPTION_KEY.`
        : ''),
  );
  if (rotated.unreadable > 0) process.exitCode = 1;
}

async function generate({ json }: { json?: boolean }): Promise<void> {
  const installation = await findInstallation();
  const { HERALD_ENCRYPTION_KEY: given, HERALD_DATA_DIR: dataDirectory } = installation.settings;
  if (given) {
    throw new UsageError(
      'The keys are set in HERALD_ENCRYPTION_KEY: follow "Rotate the encryption key" in docs/operations.md. The new key is added after the old one first, then moved to the front.',
    );
  }
  const [newest] = await encryptionKeysOf(installation);
  if (!isInUse(installation, newest?.id)) {
    throw new UsageError(`Key ${newest?.id} is not in use yet: restart the service first.`);
  }
  const keyId = await addKeyToFile(dataDirectory);
  const file = keyFile(dataDirectory);
  print(
    { key_id: keyId, file },
    json,
    () => `Key ${keyId} added to ${file}. Restart the service, then run "herald keys rotate-encryption".`,
  );
}

export function addEncryptionCommands(program: Command): void {
  const keys = program.command('keys').description('keys that encrypt secrets at rest');
  keys
    .command('rotate-encryption')
    .description('encrypt every secret with the newest key; safe to stop and run again')
    .option('--generate', 'only add a new key to the data directory of the embedded service')
    .option('--json', 'print JSON')
    .action((options: { generate?: boolean; json?: boolean }) =>
      options.generate ? generate(options) : rotate(options),
    );
}
