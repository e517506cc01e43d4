import { hash, randomBytes } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` characters of base62 from the system's random source, without modulo bias. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(2 * length)) {
      // Six bits name 64 characters; those that name none of ours are drawn again.
      text += BASE62.charAt(byte & 63);
      if (text.length === length) break;
    }
  }
  return text;
}

/** 32 random bytes as 43 base64url characters: login codes, webhook secrets. */
export function randomToken256(): string {
  return randomBytes(32).toString('base64url');
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

export const API_KEY_PREFIX = 'hk_';

export function newApiKey(): { key: string; hash: Buffer; hint: string } {
  const key = API_KEY_PREFIX + randomBase62(40);
  return { key, hash: sha256(key), hint: key.slice(0, 8) };
}
