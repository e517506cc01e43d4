import { createCipheriv, randomBytes } from 'node:crypto';
import { Cipher } from '../../../src/lib/cipher';

const key = { id: 'k1', key: Buffer.alloc(32, 7) };
const cipher = new Cipher([key]);

/** As 0.1.0 sealed: bound to the purpose, not to the row. */
function sealedBefore(plain: string, purpose: string, tagBytes = 16): string {
  const iv = randomBytes(12);
  const aes = createCipheriv('aes-256-gcm', key.key, iv, { authTagLength: tagBytes });
  aes.setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([aes.update(plain, 'utf8'), aes.final()]);
  return ['k1', ...[iv, sealed, aes.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
}

describe('a sealed value', () => {
  const sealed = cipher.encrypt('the secret', 'purpose', 'row-1');

  it('opens in its own column and row only', () => {
    expect(cipher.decrypt(sealed, 'purpose', 'row-1')).toBe('the secret');
    expect(() => cipher.decrypt(sealed, 'purpose', 'row-2')).toThrow();
    expect(() => cipher.decrypt(sealed, 'another', 'row-1')).toThrow();
    expect(() =>
      new Cipher([{ ...key, key: Buffer.alloc(32, 8) }]).decrypt(sealed, 'purpose', 'row-1'),
    ).toThrow();
  });

  it('does not open as a value of 0.1.0, whose row is not checked', () => {
    const [id, , ...parts] = sealed.split('.');
    expect(() => cipher.decrypt([id, ...parts].join('.'), 'purpose', 'row-1')).toThrow();
  });

  it('of 0.1.0 opens in its column', () => {
    expect(cipher.decrypt(sealedBefore('the secret', 'purpose'), 'purpose', 'row-1')).toBe('the secret');
    expect(() => cipher.decrypt(sealedBefore('the secret', 'purpose'), 'another', 'row-1')).toThrow();
  });

  it('with a shortened tag does not open: a short tag can be guessed', () => {
    expect(() => cipher.decrypt(sealedBefore('the secret', 'purpose', 4), 'purpose', 'row-1')).toThrow();
  });

  it.each(['', 'k1', 'k1.damaged', 'k1.2.a.b', 'k1.3.a.b.c', 'k1.2.a.b.c.d'])('%j does not open', (value) => {
    expect(() => cipher.decrypt(value, 'purpose', 'row-1')).toThrow();
  });
});
