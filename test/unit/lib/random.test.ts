import { randomBytes } from '../../../src/lib/random';
import { randomBase62, randomText } from '../../../src/lib/tokens';

test('bytes are handed out once, also where the pool is filled again', () => {
  const seen = new Set(Array.from({ length: 5_000 }, () => randomBytes(12).toString('hex')));
  expect(seen.size).toBe(5_000);
  expect([...seen].every((hex) => /^[0-9a-f]{24}$/.test(hex))).toBe(true);
});

test('what was handed out belongs to its taker', () => {
  const first = randomBytes(16);
  const before = first.toString('hex');
  for (let i = 0; i < 2_000; i += 1) randomBytes(16).fill(0);
  expect(first.toString('hex')).toBe(before);
});

test('more than the pool holds is answered as well', () => {
  const many = randomBytes(20_000);
  expect(many).toHaveLength(20_000);
  expect(new Set(many).size).toBe(256);
});

test('text has the length asked for and uses the whole alphabet evenly', () => {
  const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
  const counts = new Map<string, number>();
  for (const letter of randomText(alphabet, 31_000)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect([...counts.keys()].sort().join('')).toBe(alphabet);
  for (const count of counts.values()) {
    expect(count).toBeGreaterThan(800);
    expect(count).toBeLessThan(1_200);
  }
  expect(randomBase62(40)).toMatch(/^[0-9A-Za-z]{40}$/);
});
