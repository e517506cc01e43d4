import type { Command } from 'commander';
import { limits } from '../../base/contract/limits';
import { Cipher } from '../../base/lib/cipher';
import { encryptionKeysOf, findInstallation, withDatabase } from './context';
import { print } from './output';

export function addOidcCommands(program: Command): void {
  const oidc = program.command('oidc').description('the OpenID Connect provider');
  oidc
    .command('rotate-keys')
    .description(
      `sign ID tokens with new keys; the old ones stay published for ${limits.oidcKeyGraceHours} hours`,
    )
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      // Loaded here, so that the other commands start fast.
      const { rotateKeys } = await import('../../domains/oidc/index.js');
      const installation = await findInstallation();
      const cipher = new Cipher(await encryptionKeysOf(installation));
      const rotated = await withDatabase((pool) => rotateKeys({ pool, cipher }), installation);
      print(
        rotated,
        json,
        () =>
          `${rotated.created.length} new keys sign from now on. ${rotated.expiring} old ones stay published for ${limits.oidcKeyGraceHours} hours.`,
      );
    });
}
