import type pg from 'pg';
import { idParams, pageOf } from '../../base/contract/common';
import { shortListQuery, shortPage } from '../../base/contract/short-list';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { defaultScopes, type Scope } from '../../base/contract/scopes';
import { withTransaction } from '../../base/db/pool';
import { routesOf } from '../../base/http/route';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import { newApiKey } from '../../base/lib/tokens';
import { createdKeySchema, keySchema, newKeySchema, type KeyView } from './contract';
import { insertApiKey, listApiKeys, replaceApiKey, revokeApiKey, type ApiKeyRecord } from './queries/keys';
import { lockProject } from './queries/projects';

const route = routesOf('API keys');

export function createKeyRoutes({ pool }: { pool: pg.Pool }) {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/keys',
        summary: 'List API keys',
        scope: 'admin',
        query: shortListQuery,
        response: pageOf(keySchema),
      },
      async ({ project, query }) => {
        const found = await listApiKeys(pool, project.id);
        const present = (key: (typeof found)[number]) => presentKey(key, project.key_id);
        return shortPage(found, query, ({ id }) => id, present);
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/keys',
        summary: 'Create an API key',
        description: `The key is returned only once. It never gets a scope that the caller lacks; only the operator grants \`publish\`. A project can have up to ${limits.apiKeys} active keys.`,
        scope: 'admin',
        idempotent: { shownOnce: 'api_key' },
        body: newKeySchema,
        status: 201,
        response: createdKeySchema,
        errors: ['conflict'],
      },
      async ({ project, body, work }) => {
        const granted = grantedScopes(project.scopes, body.scopes);
        const { key, hash, hint } = newApiKey();
        // A request resumed after a crash: the key, of which only the hash is stored, was never returned.
        const earlier = work.resumed ? await replaceApiKey(pool, project.id, work.id, { hash, hint }) : null;
        if (earlier) return { ...presentKey(earlier, project.key_id), api_key: key };
        const created = await withTransaction(pool, async (db) => {
          await lockProject(db, project.id);
          const live = (await listApiKeys(db, project.id)).filter(({ revoked_at }) => revoked_at === null);
          if (live.length >= limits.apiKeys) {
            throw new AppError(
              'conflict',
              `A project can have up to ${limits.apiKeys} active API keys. Revoke one first.`,
            );
          }
          return insertApiKey(db, {
            id: work.id,
            project_id: project.id,
            hash,
            hint,
            name: body.name,
            scopes: granted,
          });
        });
        return { ...presentKey(created, project.key_id), api_key: key };
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/v1/keys/{id}',
        summary: 'Revoke an API key',
        description: 'The key stops working within a second. A key cannot revoke itself.',
        scope: 'admin',
        params: idParams,
        status: 204,
        errors: ['conflict'],
      },
      async ({ project, params }) => {
        // A project must not revoke its last usable key by mistake.
        if (params.id === project.key_id) {
          throw new AppError('conflict', 'A key cannot revoke itself. Use another key.');
        }
        await withTransaction(pool, async (db) => {
          orNotFound(await revokeApiKey(db, project.id, params.id));
        });
      },
    ),
  ];
}

/** What was asked for, or all that the caller may pass on. */
function grantedScopes(own: readonly Scope[], asked: readonly Scope[] | undefined): readonly Scope[] {
  const grantable = defaultScopes.filter((scope) => own.includes(scope));
  if (asked === undefined) return grantable;
  const excess = asked.find((scope) => !grantable.includes(scope));
  if (excess !== undefined) throw new AppError('forbidden', `scopes: you cannot grant "${excess}".`);
  return grantable.filter((scope) => asked.includes(scope));
}

function presentKey(key: ApiKeyRecord, currentId: string | null): KeyView {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    current: key.id === currentId,
    scopes: key.scopes,
    created_at: isoTime(key.created_at),
    last_used_at: isoTimeOrNull(key.last_used_at),
    revoked_at: isoTimeOrNull(key.revoked_at),
  };
}
