import fc from 'fast-check';
import { formatSubscriberId, parseSubscriberId } from '../../../src/base/contract/ids';

describe('the public form of a subscriber id', () => {
  it('names the same subscriber in both forms', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const prefixed = formatSubscriberId(uuid, 'prefixed');
        expect(prefixed).toMatch(/^sub_[0-9A-Za-z]{22}$/);
        expect(parseSubscriberId(prefixed)).toBe(uuid);
        expect(parseSubscriberId(formatSubscriberId(uuid, 'uuid'))).toBe(uuid);
      }),
    );
  });

  it('accepts a UUID in capitals and keeps the smallest and the largest one', () => {
    expect(parseSubscriberId('4F0C6A6E-2F0B-4C1D-9A4E-8A4D5F8F6F01')).toBe(
      '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01',
    );
    for (const uuid of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) {
      expect(parseSubscriberId(formatSubscriberId(uuid, 'prefixed'))).toBe(uuid);
    }
  });

  it('sorts alike in both forms, so that nothing depends on which one is chosen', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (a, b) => {
        const [x, y] = [formatSubscriberId(a, 'prefixed'), formatSubscriberId(b, 'prefixed')];
        expect(x < y).toBe(a < b);
      }),
    );
  });

  it('takes nothing that is neither form', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseSubscriberId(text)).toBeNull();
        expect(parseSubscriberId(`sub_${text}`)).toBeNull();
      }),
    );
    // 22 characters, and more than 128 bits.
    expect(parseSubscriberId(`sub_${'z'.repeat(22)}`)).toBeNull();
    expect(parseSubscriberId('sub_-----------------------')).toBeNull();
  });
});
