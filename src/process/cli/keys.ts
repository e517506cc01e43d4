import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { isUuid } from '../../base/contract/ids';
import { defaultScopes, scopes, type Scope } from '../../base/contract/scopes';
import { withTransaction } from '../../base/db/pool';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { newApiKey } from '../../base/lib/tokens';
import { audited, byCli } from '../../domains/projects';
import { insertApiKey, listApiKeys, revokeApiKey } from '../../domains/projects/queries/keys';
import { UsageError, withDatabase } from './context';
import { facts, print, table } from './output';
import { requireProject } from './projects';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys of a project');
  key
    .command('create <slug>')
    .description('create a key; it is shown only once')
    .option('--name <name>', 'display name of the key')
    .option('--scopes <scopes>', `comma-separated: ${scopes.join(', ')} (default: all but publish)`)
    .option('--json', 'print JSON')
    .action(async (slug: string, options: { name?: string; scopes?: string; json?: boolean }) => {
      const granted = scopesOf(options.scopes);
      const created = await withDatabase(async (pool) => {
        const project = await requireProject(pool, slug);
        const { key: api_key, hash, hint } = newApiKey();
        const id = randomUUID();
        await audited(pool, byCli(project.id, 'key.created', id), () =>
          withTransaction(pool, (db) =>
            insertApiKey(db, {
              id,
              project_id: project.id,
              hash,
              hint,
              name: options.name,
              scopes: granted,
            }),
          ),
        );
        return { key_id: id, slug, api_key, scopes: granted };
      });
      print(created, options.json, () => facts(Object.entries({ ...created, scopes: granted.join(', ') })));
    });
  key
    .command('list <slug>')
    .description('list the keys of a project, without the keys themselves')
    .option('--json', 'print JSON')
    .action(async (slug: string, { json }: { json?: boolean }) => {
      const keys = await withDatabase(async (pool) =>
        listApiKeys(pool, (await requireProject(pool, slug)).id),
      );
      const rows = keys.map((entry) => [
        entry.id,
        `${entry.hint}…`,
        entry.name,
        entry.scopes.join(' '),
        isoTime(entry.created_at),
        isoTimeOrNull(entry.last_used_at),
        isoTimeOrNull(entry.revoked_at),
      ]);
      const shown = keys.map(({ id, ...key }) => ({ key_id: id, ...key }));
      print(shown, json, () =>
        table(['key_id', 'key', 'name', 'scopes', 'created', 'last used', 'revoked'], rows),
      );
    });
  key
    .command('revoke <slug> <key_id>')
    .description('revoke a key; it stops working within a second')
    .option('--json', 'print JSON')
    .action(async (slug: string, keyId: string, { json }: { json?: boolean }) => {
      await withDatabase(async (pool) => {
        const project = await requireProject(pool, slug);
        return audited(pool, byCli(project.id, 'key.revoked', keyId), () =>
          withTransaction(pool, async (db) => {
            if (isUuid(keyId) && (await revokeApiKey(db, project.id, keyId))) return;
            throw new UsageError(`Project "${slug}" has no active key "${keyId}".`);
          }),
        );
      });
      print({ key_id: keyId, revoked: true }, json, () => `Key ${keyId} revoked.`);
    });
}

function scopesOf(given: string | undefined): readonly Scope[] {
  if (given === undefined) return defaultScopes;
  const names = given.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(scopes as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`"${unknown}" is not a scope. Scopes: ${scopes.join(', ')}.`);
  }
  return scopes.filter((scope) => names.includes(scope));
}
