import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

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

  /** Format: `<key id>.<iv>.<ciphertext>.<tag>`, the last three in base64url. `purpose` binds a value to its column. */
  encrypt(plain: string, purpose: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.newest.key, iv).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return [
      this.newest.id,
      ...[iv, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url')),
    ].join('.');
  }

  decrypt(sealed: string, purpose: string): string {
    const [id = '', iv = '', text = '', tag = ''] = sealed.split('.');
    const key = this.byId.get(id);
    if (!key) throw new Error(`no encryption key with the id "${id}" is configured`);
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(Buffer.from(tag, 'base64url'));
    return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8');
  }

  /** Derives a stable secret for a purpose without its own setting, such as the bots' webhook secret. */
  derive(purpose: string): string {
    return createHmac('sha256', this.newest.key).update(purpose).digest('base64url');
  }
}
