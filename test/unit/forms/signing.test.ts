import { issueToken, signedSubscriber, signSubscriber, tokenAge } from '../../../src/domains/forms/signing';

const NOW = Date.UTC(2026, 0, 31);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the token of a form', () => {
  const token = issueToken('key', NOW);

  it.each([
    ['at once', 0, 0],
    ['after a second', 1_000, 1_000],
    ['after almost a day', DAY_MS, DAY_MS],
    ['after a day', DAY_MS + 1, null],
    ['before it was issued', -1, null],
  ])('%s', (_when, later, age) => expect(tokenAge('key', token, NOW + later)).toBe(age));

  it('is of one form, and nothing else is a token', () => {
    const [issued = '', signed = ''] = token.split('.');
    const earlier = `${(parseInt(issued, 36) - HOUR_MS).toString(36)}.${signed}`;
    expect(tokenAge('other key', token, NOW)).toBeNull();
    for (const given of [earlier, `${token}A`, issued, '', undefined, 5, [token], { token }]) {
      expect(tokenAge('key', given, NOW)).toBeNull();
    }
  });
});

describe('the link of a subscriber', () => {
  const id = '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01';
  const signed = signSubscriber('key', id, NOW);

  it('is valid for seven days, for one form and one subscriber', () => {
    expect(signedSubscriber('key', signed, NOW + 7 * DAY_MS - 1)).toBe(id);
    expect(signedSubscriber('key', signed, NOW + 7 * DAY_MS)).toBeNull();
    expect(signedSubscriber('other key', signed, NOW)).toBeNull();
    expect(signedSubscriber('key', signed.replace('4f0c', '4f0d'), NOW)).toBeNull();
    const later = signed.replace(/\.[0-9a-z]+\./, '.zzzzzzzzz.');
    expect(signedSubscriber('key', later, NOW)).toBeNull();
  });

  it('is no token, nor a token a link', () => {
    expect(tokenAge('key', signed, NOW)).toBeNull();
    expect(signedSubscriber('key', issueToken('key', NOW), NOW)).toBeNull();
  });
});
