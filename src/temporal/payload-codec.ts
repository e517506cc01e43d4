import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { METADATA_ENCODING_KEY, type Payload, type PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { EncryptionKey } from '../lib/cipher';

const payloads = temporal.api.common.v1.Payload;

/** The encoding name by which Temporal's tools recognise encrypted payloads. */
const SEALED_ENCODING = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const AUTH_TAG = { authTagLength: TAG_BYTES } as const;
/** Binds the ciphertext to its use, so that it cannot be substituted for another secret under the same key. */
const PURPOSE = Buffer.from('temporal payload');

/**
 * AES-256-GCM over whole payloads, including metadata. The newest key encrypts, any configured key decrypts, and
 * unencrypted payloads pass through, so encryption can be enabled and keys rotated while workflows run.
 */
export function createPayloadCodec(keys: readonly EncryptionKey[]): PayloadCodec {
  const [newest] = keys;
  if (!newest) throw new Error('at least one payload key is needed');
  const byId = new Map(keys.map(({ id, key }) => [id, key]));

  function encrypt(payload: Payload): Payload {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', newest!.key, iv, AUTH_TAG).setAAD(PURPOSE);
    const sealed = [cipher.update(payloads.encode(payload).finish()), cipher.final()];
    return {
      metadata: { [METADATA_ENCODING_KEY]: Buffer.from(SEALED_ENCODING), [KEY_ID]: Buffer.from(newest!.id) },
      data: Buffer.concat([iv, ...sealed, cipher.getAuthTag()]),
    };
  }

  function decrypt(payload: Payload): Payload {
    if (!isSealed(payload)) return payload;
    const id = Buffer.from(payload.metadata?.[KEY_ID] ?? []).toString();
    const key = byId.get(id);
    if (!key) throw new Error(`HERALD_PAYLOAD_KEYS has no key with the id "${id}"`);
    const data = Buffer.from(payload.data ?? []);
    const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, IV_BYTES), AUTH_TAG)
      .setAAD(PURPOSE)
      .setAuthTag(data.subarray(-TAG_BYTES));
    return payloads.decode(
      Buffer.concat([decipher.update(data.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]),
    );
  }

  return {
    encode: async (list) => list.map(encrypt),
    decode: async (list) => list.map(decrypt),
  };
}

export function isSealed({ metadata }: Payload): boolean {
  return Buffer.from(metadata?.[METADATA_ENCODING_KEY] ?? []).toString() === SEALED_ENCODING;
}
