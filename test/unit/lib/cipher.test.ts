import { Cipher } from '../../../src/base/lib/cipher';

const key = { id: 'k1', key: Buffer.alloc(32, 7) };
const cipher = new Cipher([key]);

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

  it('with a shortened tag does not open: a short tag can be guessed', () => {
    const [id, iv, text, tag = ''] = sealed.split('.');
    const shortened = Buffer.from(tag, 'base64url').subarray(0, 4).toString('base64url');
    expect(() => cipher.decrypt([id, iv, text, shortened].join('.'), 'purpose', 'row-1')).toThrow();
  });

  it.each(['', 'k1', 'k1.damaged', 'k1.a.b', 'k1.a.b.c', 'k1.a.b.c.d'])('%j does not open', (value) => {
    expect(() => cipher.decrypt(value, 'purpose', 'row-1')).toThrow();
  });
});
