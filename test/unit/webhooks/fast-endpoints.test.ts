import { createFastEndpoints } from '../../../src/domains/webhooks/fast-endpoints';

test('an endpoint is fast while its last attempt was a fast success', () => {
  const endpoints = createFastEndpoints();
  expect(endpoints.isFast('a')).toBe(false);
  endpoints.note('a', { succeeded: true, durationMs: 20 });
  expect([endpoints.isFast('a'), endpoints.isFast('b')]).toEqual([true, false]);
  endpoints.note('a', { succeeded: true, durationMs: 800 });
  expect(endpoints.isFast('a')).toBe(false);
  endpoints.note('a', { succeeded: true, durationMs: 20 });
  endpoints.note('a', { succeeded: false, durationMs: 20 });
  expect(endpoints.isFast('a')).toBe(false);
});

test('it remembers the ten thousand that were heard of last', () => {
  const endpoints = createFastEndpoints();
  for (let i = 0; i <= 10_000; i += 1) endpoints.note(`e${i}`, { succeeded: true, durationMs: 1 });
  expect([endpoints.isFast('e0'), endpoints.isFast('e1'), endpoints.isFast('e10000')]).toEqual([
    false,
    true,
    true,
  ]);
});

test('twenty attempts at most are made inside workflow tasks at once', () => {
  const endpoints = createFastEndpoints();
  const slots = Array.from({ length: 20 }, () => endpoints.acquireSlot());
  expect(slots).not.toContain(null);
  expect(endpoints.acquireSlot()).toBeNull();
  slots[0]?.release();
  expect(endpoints.acquireSlot()).not.toBeNull();
});
