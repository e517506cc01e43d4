import { pageOf } from '../../base/contract/common';
import { shortListQuery, shortPage } from '../../base/contract/short-list';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { createRateLimiter, retryAfterSeconds } from '../../base/http/rate-limiter';
import { routesOf } from '../../base/http/route';
import { isoTime } from '../../base/lib/iso-time';
import { randomToken256, sha256 } from '../../base/lib/tokens';
import { expireSessions } from '../login';
import { lockProject } from '../projects';
import {
  clientChangesSchema,
  clientParams,
  clientSchema,
  createdClientSchema,
  newClientSchema,
  rotatedClientSchema,
  type ClientType,
  type ClientView,
} from './contract';
import { issuerOf } from './provider';
import * as clients from './queries/clients';
import type { ClientRow } from './queries/clients';
import { openLoginsOf } from './queries/logins';
import { forbiddenRedirectUri } from './redirect-uri';

const route = routesOf('OpenID Connect');

export function createOidcRoutes({ pool, config, publicUrl }: Pick<Core, 'pool' | 'config' | 'publicUrl'>) {
  const countRotation = createRateLimiter(pool, {
    name: 'oidc_rotation',
    points: limits.webhookRotationsPerHour,
    seconds: 3_600,
  });

  function requireGoodUris(type: ClientType, uris: Record<string, string[] | undefined>): void {
    for (const [field, list = []] of Object.entries(uris)) {
      for (const [index, uri] of list.entries()) {
        const why = forbiddenRedirectUri(uri, { type, development: config.development });
        if (why !== null) throw new AppError('invalid_url', `${field}[${index}]: ${why}`);
      }
    }
  }

  function present(client: ClientRow): ClientView {
    const issuer = issuerOf(publicUrl());
    return {
      client_id: client.id,
      name: client.name,
      type: client.type,
      redirect_uris: client.redirect_uris,
      post_logout_redirect_uris: client.post_logout_redirect_uris,
      id_token_alg: client.id_token_alg,
      device: client.device,
      issuer,
      discovery_url: `${issuer}/.well-known/openid-configuration`,
      created_at: isoTime(client.created_at),
    };
  }

  async function requireClient(projectId: string, id: string): Promise<ClientRow> {
    return orNotFound(await clients.findClient(pool, projectId, id));
  }

  return [
    route(
      {
        method: 'POST',
        path: '/v1/oidc/clients',
        summary: 'Create an OpenID Connect client',
        description: `A project can have up to ${limits.oidcClients}. The secret is returned only once.`,
        idempotent: { shownOnce: 'client_secret' },
        body: newClientSchema,
        status: 201,
        response: createdClientSchema,
        errors: ['invalid_url', 'conflict'],
      },
      async ({ project, body, work }) => {
        const { redirect_uris, post_logout_redirect_uris } = body;
        requireGoodUris(body.type, { redirect_uris, post_logout_redirect_uris });
        const secret = body.type === 'public' ? null : newSecret();
        // A request resumed after a crash: its secret was not shown, and only the hash is stored.
        const earlier = work.resumed ? await clients.findClient(pool, project.id, work.id) : null;
        if (earlier) {
          if (secret) await clients.replaceSecret(pool, earlier.id, work.id, sha256(secret));
          return { ...present(earlier), client_secret: secret };
        }
        const created = await withTransaction(pool, async (db) => {
          await lockProject(db, project.id);
          if ((await clients.listClients(db, project.id)).length >= limits.oidcClients) {
            throw new AppError(
              'conflict',
              `A project can have up to ${limits.oidcClients} OpenID Connect clients. Delete one first.`,
            );
          }
          return clients.insertClient(
            db,
            { ...body, id: work.id, project_id: project.id },
            secret === null ? null : sha256(secret),
          );
        });
        return { ...present(created), client_secret: secret };
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/oidc/clients',
        summary: 'List OpenID Connect clients',
        scope: 'manage',
        query: shortListQuery,
        response: pageOf(clientSchema),
      },
      async ({ project, query }) => {
        const found = await clients.listClients(pool, project.id);
        return shortPage(found, query, ({ id }) => id, present);
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/oidc/clients/{client_id}',
        summary: 'Get an OpenID Connect client',
        scope: 'manage',
        params: clientParams,
        response: clientSchema,
      },
      async ({ project, params }) => present(await requireClient(project.id, params.client_id)),
    ),
    route(
      {
        method: 'PATCH',
        path: '/v1/oidc/clients/{client_id}',
        summary: 'Change an OpenID Connect client',
        description:
          'Fields that are absent stay as they are. Logins that have begun keep their redirect URI.',
        params: clientParams,
        body: clientChangesSchema,
        response: clientSchema,
        errors: ['invalid_url'],
      },
      async ({ project, params, body }) => {
        const client = await requireClient(project.id, params.client_id);
        const { redirect_uris, post_logout_redirect_uris } = body;
        requireGoodUris(client.type, { redirect_uris, post_logout_redirect_uris });
        const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
        if (Object.keys(changes).length === 0) return present(client);
        return present(orNotFound(await clients.updateClient(pool, project.id, params.client_id, changes)));
      },
    ),
    route(
      {
        method: 'DELETE',
        path: '/v1/oidc/clients/{client_id}',
        summary: 'Delete an OpenID Connect client',
        description: 'Its logins and tokens stop working immediately.',
        params: clientParams,
        status: 204,
      },
      async ({ project, params }) => {
        await withTransaction(pool, async (db) => {
          orNotFound(await clients.lockClientForDeletion(db, project.id, params.client_id));
          await expireSessions(db, await openLoginsOf(db, params.client_id));
          await clients.deleteClient(db, params.client_id);
        });
      },
    ),
    route(
      {
        method: 'POST',
        path: '/v1/oidc/clients/{client_id}/rotate-secret',
        summary: 'Replace the secret of an OpenID Connect client',
        description: `The secret is returned only once. The old one is valid for ${limits.oidcSecretGraceHours} more hours. A public client has none (409).`,
        idempotent: { shownOnce: 'client_secret' },
        params: clientParams,
        response: rotatedClientSchema,
        errors: ['conflict', 'rate_limit_rotations'],
      },
      async ({ project, params, work }) => {
        const client = await requireClient(project.id, params.client_id);
        if (client.type === 'public') throw new AppError('conflict', 'A public client has no secret.');
        const secret = newSecret();
        const hash = sha256(secret);
        const response = { client_id: client.id, client_secret: secret };
        if (work.resumed && (await clients.replaceSecret(pool, client.id, work.id, hash))) return response;
        const counted = await countRotation(client.id);
        if (!counted.allowed) {
          throw new AppError('rate_limit_rotations', 'The secret of this client was rotated too often.', {
            retryAfter: retryAfterSeconds(counted),
          });
        }
        await withTransaction(pool, async (db) => {
          orNotFound(await clients.lockClient(db, project.id, client.id));
          await clients.expireSecret(db, client.id);
          await clients.insertSecret(db, client.id, { id: work.id, hash });
        });
        return response;
      },
    ),
  ];
}

const newSecret = () => `hos_${randomToken256()}`;
