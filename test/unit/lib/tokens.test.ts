import { randomBase62, randomText } from '../../../src/base/lib/tokens';

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
