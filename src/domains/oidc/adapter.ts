import type { Adapter, AdapterPayload } from './library';
import type { Db } from '../../base/db/pool';
import { isUuid } from '../../base/contract/ids';
import { limits } from '../../base/contract/limits';
import { sha256 } from '../../base/lib/tokens';
import { useDeferred, writeDeferred } from './deferred-writes';
import { findActiveClient, type ActiveClient } from './queries/clients';
import {
  consumeRecord,
  deleteRecord,
  deleteRecordsOfGrant,
  extendGrant,
  findRecord,
  removeUsedRefreshTokens,
  revokeGrant,
  saveRecord,
} from './queries/records';

interface AdapterDeps {
  db: Db;
  /** Called before a code or refresh token is read, which only the token endpoint does, after it has authenticated the client. */
  beforeToken(): Promise<void>;
  /** Called before a refresh token of this grant is used. */
  beforeGrant(grantId: string): Promise<void>;
  /** Called before a new device code of this client is stored. */
  beforeDeviceCode(clientId: string): Promise<void>;
  /** Called before a device code is read: counts the poll, and records the outcome of its login. */
  beforeDevice(id: string): Promise<void>;
}

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** What a client exchanges for tokens. Polls of a device are counted by its code. */
const tokenModels = new Set(['AuthorizationCode', 'RefreshToken']);

/** A concurrent request has used the code or refresh token. */
export class UsedMeanwhile extends Error {
  constructor(
    private readonly model: string,
    private readonly idHash: Buffer,
  ) {
    super('the code or token was used meanwhile');
  }

  /** As for any other reuse, everything that came from it ends. */
  async endGrant(db: Db): Promise<void> {
    const record = await findRecord(db, this.model, this.idHash);
    const grantId = record?.payload['grantId'];
    if (typeof grantId === 'string') await revokeGrant(db, grantId, sha256(grantId));
  }
}

/** The provider's storage for one of its models. Ids are bearer secrets: they are stored as hashes only. */
export function createAdapter(model: string, deps: AdapterDeps): Adapter {
  if (model === 'Client') return clientAdapter(deps.db);
  const { db } = deps;

  return {
    async upsert(id, payload, expiresIn) {
      if (model === 'DeviceCode') await deps.beforeDeviceCode(String(payload.clientId));
      const {
        jti: _jti,
        consumed: _consumed,
        ...stored
      } = payload as AdapterPayload & { consumed?: unknown };
      const grantId = model !== 'Interaction' ? (payload.grantId ?? null) : null;
      const record = {
        model,
        idHash: sha256(id),
        payload: stored,
        grantId,
        // An interaction names the person in its result.
        accountId: payload.accountId ?? payload.result?.login?.accountId ?? null,
        userCode: payload.userCode ?? null,
        expiresIn: expiresIn ?? 0,
      };
      await writeDeferred(db, (to) => saveRecord(to, record));
      const { exp } = payload;
      if (model === 'RefreshToken' && grantId !== null && typeof exp === 'number') {
        await writeDeferred(db, (to) => extendGrant(to, sha256(grantId), exp));
      }
    },
    async find(id) {
      if (tokenModels.has(model)) await deps.beforeToken();
      if (model === 'DeviceCode') await deps.beforeDevice(id);
      const record = await findRecord(db, model, sha256(id));
      if (!record) return undefined;
      const grantId = record.payload['grantId'];
      // A token that is used again is never too many: it ends the grant.
      if (model === 'RefreshToken' && typeof grantId === 'string' && !record.consumed) {
        await deps.beforeGrant(grantId);
      }
      return { ...record.payload, jti: id, ...(record.consumed ? { consumed: true } : {}) };
    },
    async consume(id) {
      const idHash = sha256(id);
      await useDeferred(db, async (to) => {
        const used = await consumeRecord(to, model, idHash);
        if (!used) throw new UsedMeanwhile(model, idHash);
        if (model === 'RefreshToken' && used.grant_id !== null) {
          await removeUsedRefreshTokens(to, used.grant_id, limits.oidcUsedRefreshTokens);
        }
      });
    },
    async destroy(id) {
      await writeDeferred(db, (to) => deleteRecord(to, model, sha256(id)));
    },
    async revokeByGrantId(grantId) {
      await deleteRecordsOfGrant(db, model, grantId);
    },
    // No token is bound to a session of the provider, and devices are found by routes of our own.
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  };
}

function clientAdapter(db: Db): Adapter {
  const refuse = () => Promise.reject(new Error('clients are changed through the API only'));
  return {
    async find(id) {
      const client = isUuid(id) ? await findActiveClient(db, id) : null;
      // Another spelling of the id is another client to the provider.
      return client?.id === id ? presentClient(client) : undefined;
    },
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
  };
}

/** Fields of a client that the provider does not know. */
export const extraClientFields = ['herald_project_id', 'herald_secret_hashes'];

function presentClient(client: ActiveClient): AdapterPayload {
  const isPublic = client.type === 'public';
  return {
    client_id: client.id,
    client_name: client.name,
    // The provider asks for a value. It compares with the hashes only, see provider.ts.
    ...(isPublic ? {} : { client_secret: client.secret_hashes[0] }),
    token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic',
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    id_token_signed_response_alg: client.id_token_alg,
    application_type: 'web',
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token', ...(client.device ? [DEVICE_GRANT] : [])],
    herald_project_id: client.project_id,
    herald_secret_hashes: client.secret_hashes,
  };
}
