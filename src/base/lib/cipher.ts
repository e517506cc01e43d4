import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

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
   * Format: `<key id>.<iv>.<ciphertext>.<tag>`, the last three in base64url. `purpose` binds a value to its column and
   * `rowId` to its row, so that a value copied to another place cannot be decrypted there.
   */
  encrypt(plain: string, purpose: string, rowId: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.newest.key, iv, AUTH_TAG).setAAD(
      boundTo(purpose, rowId),
    );
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    const parts = [iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'));
    return [this.newest.id, ...parts].join('.');
  }

  decrypt(sealed: string, purpose: string, rowId: string): string {
    const [id = '', ...parts] = sealed.split('.');
    const key = this.byId.get(id);
    if (!key) throw new Error(`no encryption key with the id "${id}" is configured`);
    const [iv, text, tag, ...rest] = parts.map((part) => Buffer.from(part, 'base64url'));
    if (!iv || !text || !tag || rest.length > 0) {
      throw new Error('the value is not in a known encrypted format');
    }
    const decipher = createDecipheriv('aes-256-gcm', key, iv, AUTH_TAG)
      .setAAD(boundTo(purpose, rowId))
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
