import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** Marks values whose additional data has the row's id; values of 0.1.0 have four parts and no mark. */
const BOUND_TO_ROW = '2';
const AUTH_TAG = { authTagLength: 16 } as const;

export interface EncryptionKey {
  id: string;
  key: Buffer;
}

/**
 * AES-256-GCM with key ids: the newest key encrypts, any configured key decrypts, so keys can be rotated while running.
 */
export class Cipher {
  private readonly byId: Map<string, Buffer>;
  private readonly newest: EncryptionKey;

  constructor(keys: EncryptionKey[]) {
    const [newest] = keys;
    if (!newest) throw new Error('at least one encryption key is needed');
    this.newest = newest;
    this.byId = new Map(keys.map(({ id, key }) => [id, key]));
  }

  get currentKeyId(): string {
    return this.newest.id;
  }

  /**
   * Format: `<key id>.2.<iv>.<ciphertext>.<tag>`, the last three in base64url. `purpose` binds a value to its column and
   * `rowId` to its row, so that a value copied to another place cannot be decrypted there.
   */
  encrypt(plain: string, purpose: string, rowId: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.newest.key, iv, AUTH_TAG).setAAD(
      boundTo(purpose, rowId),
    );
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return [
      this.newest.id,
      BOUND_TO_ROW,
      ...[iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url')),
    ].join('.');
  }

  /** Also decrypts values of 0.1.0, which are bound to their purpose only. */
  decrypt(sealed: string, purpose: string, rowId: string): string {
    const [id = '', ...parts] = sealed.split('.');
    const key = this.byId.get(id);
    if (!key) throw new Error(`no encryption key with the id "${id}" is configured`);
    const isBound = parts.length === 4 && parts[0] === BOUND_TO_ROW;
    const [iv, text, tag] = (isBound ? parts.slice(1) : parts).map((part) => Buffer.from(part, 'base64url'));
    if (!iv || !text || !tag || (!isBound && parts.length !== 3)) {
      throw new Error('the value is not in a known encrypted format');
    }
    const decipher = createDecipheriv('aes-256-gcm', key, iv, AUTH_TAG)
      .setAAD(isBound ? boundTo(purpose, rowId) : Buffer.from(purpose))
      .setAuthTag(tag);
    return decipher.update(text, undefined, 'utf8') + decipher.final('utf8');
  }

  /** Derives a stable secret for a purpose without its own setting, such as the bots' webhook secret. */
  derive(purpose: string): string {
    return createHmac('sha256', this.newest.key).update(purpose).digest('base64url');
  }
}

function boundTo(purpose: string, rowId: string): Buffer {
  return Buffer.from(`${purpose}\n${rowId}`);
}
