import { createQuickEndpoints } from '../../../src/webhooks/fast-endpoints';

test('an endpoint is quick while its last attempt was a quick success', () => {
  const endpoints = createQuickEndpoints();
  expect(endpoints.isQuick('a')).toBe(false);
  endpoints.note('a', { succeeded: true, durationMs: 20 });
  expect([endpoints.isQuick('a'), endpoints.isQuick('b')]).toEqual([true, false]);
  endpoints.note('a', { succeeded: true, durationMs: 800 });
  expect(endpoints.isQuick('a')).toBe(false);
  endpoints.note('a', { succeeded: true, durationMs: 20 });
  endpoints.note('a', { succeeded: false, durationMs: 20 });
  expect(endpoints.isQuick('a')).toBe(false);
});

test('it remembers the ten thousand that were heard of last', () => {
  const endpoints = createQuickEndpoints();
  for (let i = 0; i <= 10_000; i += 1) endpoints.note(`e${i}`, { succeeded: true, durationMs: 1 });
  expect([endpoints.isQuick('e0'), endpoints.isQuick('e1'), endpoints.isQuick('e10000')]).toEqual([
    false,
    true,
    true,
  ]);
});

test('twenty attempts at most are made inside workflow tasks at once', () => {
  const endpoints = createQuickEndpoints();
  const places = Array.from({ length: 20 }, () => endpoints.takePlace());
  expect(places).not.toContain(null);
  expect(endpoints.takePlace()).toBeNull();
  places[0]?.leave();
  expect(endpoints.takePlace()).not.toBeNull();
});
