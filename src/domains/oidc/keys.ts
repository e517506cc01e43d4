import { generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type pg from 'pg';
import { withTransaction } from '../../base/db/pool';
import type { Cipher } from '../../base/lib/cipher';
import { idTokenAlgorithms, type IdTokenAlgorithm } from './contract';
import { expireKeys, insertKey, listKeys, lockKeys, type KeyRow } from './queries/keys';

/** Binds sealed keys to their column. */
export const oidcKeyPurpose = 'oidc_key';

type Deps = { pool: pg.Pool; cipher: Cipher };

/** A private key in JWK form, as the provider takes it. */
export type SigningKey = Record<string, unknown> & { kid: string; alg: IdTokenAlgorithm };

const generate = promisify(generateKeyPair);

/** The published keys, the ones to sign with first. Creates them on the first use of the installation. */
export async function loadKeys(deps: Deps): Promise<KeyRow[]> {
  const found = await listKeys(deps.pool);
  if (idTokenAlgorithms.every((alg) => found.some((key) => key.alg === alg))) return found;
  // Outside the transaction: an RSA key takes a fraction of a second.
  const created = await newKeys(deps.cipher);
  return withTransaction(deps.pool, async (db) => {
    await lockKeys(db);
    const known = await listKeys(db);
    for (const key of created) if (!known.some(({ alg }) => alg === key.alg)) await insertKey(db, key);
    return listKeys(db);
  });
}

/** Signs with new keys from now on. The old ones stay published, so that issued ID tokens can be verified. */
export async function rotateKeys({ pool, cipher }: Deps): Promise<{ created: string[]; expiring: number }> {
  const created = await newKeys(cipher);
  return withTransaction(pool, async (db) => {
    await lockKeys(db);
    const expiring = await expireKeys(db);
    for (const key of created) await insertKey(db, key);
    return { created: created.map(({ id }) => id), expiring };
  });
}

export function openKeys(cipher: Cipher, keys: KeyRow[]): SigningKey[] {
  return keys.map(({ id, sealed }) => JSON.parse(cipher.decrypt(sealed, oidcKeyPurpose, id)) as SigningKey);
}

function newKeys(cipher: Cipher): Promise<KeyRow[]> {
  return Promise.all(
    idTokenAlgorithms.map(async (alg) => {
      const { privateKey } =
        alg === 'RS256'
          ? await generate('rsa', { modulusLength: 2048 })
          : await generate('ec', { namedCurve: 'P-256' });
      const id = randomUUID();
      const jwk = { ...privateKey.export({ format: 'jwk' }), kid: id, alg, use: 'sig' };
      return { id, alg, sealed: cipher.encrypt(JSON.stringify(jwk), oidcKeyPurpose, id) };
    }),
  );
}
