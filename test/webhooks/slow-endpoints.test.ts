import { createSlowEndpoints } from '../../src/webhooks/slow-endpoints';

function timing() {
  let now = 5_000;
  const slow = createSlowEndpoints(() => now);
  return {
    slow,
    pass: (ms: number) => void (now += ms),
    allowed: (id: string) => {
      const { ids, counts } = slow.allowances();
      return counts[ids.indexOf(id)];
    },
    begin: (id: string, count: number) => {
      for (let i = 0; i < count; i += 1) slow.begun(id);
    },
  };
}

test('an endpoint that answers within two seconds is not held back', () => {
  const { slow, begin } = timing();
  slow.note('e', 1_999);
  begin('e', 50);
  expect(slow.allowances()).toEqual({ ids: [], counts: [] });
});

test('attempts on one that takes ten seconds begin half a second apart: twenty in ten seconds', () => {
  const { slow, pass, allowed, begin } = timing();
  slow.note('e', 10_000);
  let begun = 0;
  for (let ms = 0; ms < 10_000; ms += 100) {
    const count = allowed('e') ?? 0;
    expect(count).toBeLessThanOrEqual(1);
    begin('e', count);
    begun += count;
    pass(100);
  }
  expect(begun).toBe(20);
});

test('who looks once a second loses nothing, and who looks after a minute gets no burst', () => {
  const { slow, pass, allowed, begin } = timing();
  slow.note('e', 10_000);
  begin('e', allowed('e') ?? 0);
  for (let second = 0; second < 5; second += 1) {
    pass(1_000);
    expect(allowed('e')).toBe(2);
    begin('e', 2);
  }
  pass(60_000);
  expect(allowed('e')).toBe(3);
  begin('e', 3);
  expect(allowed('e')).toBe(0);
});

test('a quick answer ends it at once, and another slow one does not let more begin', () => {
  const { slow, allowed, begin } = timing();
  slow.note('e', 10_000);
  begin('e', 1);
  slow.note('e', 9_000);
  expect(allowed('e')).toBe(0);
  slow.note('e', 20);
  expect(allowed('e')).toBeUndefined();
});
