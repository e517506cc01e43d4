import { hash, randomBytes } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `length` random base62 characters. */
export function randomBase62(length: number): string {
  return randomText(BASE62, length);
}

/** `length` random characters of an alphabet, without modulo bias. */
export function randomText(alphabet: string, length: number): string {
  // The smallest bit mask that covers the alphabet; values beyond its last character are drawn again.
  const mask = (1 << Math.ceil(Math.log2(alphabet.length))) - 1;
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(2 * length)) {
      text += alphabet.charAt(byte & mask);
      if (text.length === length) break;
    }
  }
  return text;
}

/** 32 random bytes as 43 base64url characters: login codes. */
export function randomToken256(): string {
  return randomBytes(32).toString('base64url');
}

/** 32 random bytes as `whsec_` and 44 characters of standard base64, the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const API_KEY_PREFIX = 'hk_';

export function newApiKey(): { key: string; hash: Buffer; hint: string } {
  const key = API_KEY_PREFIX + randomBase62(40);
  return { key, hash: sha256(key), hint: key.slice(0, 8) };
}
