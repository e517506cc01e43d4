import { createEarlyCounts, type Count } from '../../../src/base/http/rate-limiter';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A window of the database; `elsewhere` is what other processes have counted. */
function windowOf(points: number) {
  const amounts: number[] = [];
  const window = { elsewhere: 0, msBeforeNext: 60_000, amounts };
  const count: Count = (_key, amount = 1) => {
    amounts.push(amount);
    const used = window.elsewhere + amounts.reduce((sum, each) => sum + each, 0);
    return Promise.resolve({
      allowed: used <= points,
      remaining: Math.max(0, points - used),
      msBeforeNext: window.msBeforeNext,
    });
  };
  return { window, limited: { key: 'p', points, count } };
}

test('amounts far from the limit share one count, and each is told what is left', async () => {
  const counts = createEarlyCounts({ far: 10 });
  const { window, limited } = windowOf(100);
  expect(counts.later(limited)).toBeNull();
  expect(await counts.now(limited)).toMatchObject({ remaining: 99 });
  expect([1, 2, 3].map((amount) => counts.later(limited, amount)?.remaining)).toEqual([98, 96, 93]);
  expect(window.amounts).toEqual([1]);
  await jest.advanceTimersByTimeAsync(50);
  expect(window.amounts).toEqual([1, 6]);
  expect(counts.later(limited)?.remaining).toBe(92);
});

test('near the limit each is counted at once, after those that waited', async () => {
  const counts = createEarlyCounts({ far: 10 });
  const { window, limited } = windowOf(13);
  await counts.now(limited);
  expect([counts.later(limited), counts.later(limited), counts.later(limited)].map(Boolean)).toEqual([
    true,
    true,
    false,
  ]);
  expect(await counts.now(limited)).toMatchObject({ allowed: true, remaining: 9 });
  expect(window.amounts).toEqual([1, 2, 1]);
  expect(counts.later(limited)).toBeNull();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(window.amounts).toEqual([1, 2, 1]);
});

test('a count in flight takes nothing back of what was admitted meanwhile, and brings what other processes have counted', async () => {
  const counts = createEarlyCounts({ far: 10 });
  const { window, limited } = windowOf(100);
  await counts.now(limited);
  counts.later(limited, 5);
  window.elsewhere = 50;
  jest.advanceTimersByTime(50);
  expect(counts.later(limited, 2)?.remaining).toBe(92);
  await jest.advanceTimersByTimeAsync(0);
  expect(counts.later(limited)?.remaining).toBe(41);
});

test('a window that is over, and a limit that was changed, begin with a count', async () => {
  const counts = createEarlyCounts({ far: 10 });
  const { window, limited } = windowOf(1_000);
  window.msBeforeNext = 40;
  await counts.now(limited);
  expect(counts.later(limited)).not.toBeNull();
  expect(counts.later({ ...limited, points: 20 })).toBeNull();
  await jest.advanceTimersByTimeAsync(50);
  expect(counts.later(limited)).toBeNull();
  expect(window.amounts).toEqual([1]);
});

test('an amount that could not be counted refuses nothing', async () => {
  const counts = createEarlyCounts({ far: 10 });
  const { limited } = windowOf(100);
  await counts.now(limited);
  const failing = { ...limited, count: () => Promise.reject(new Error('no connection')) };
  counts.later(failing);
  await jest.advanceTimersByTimeAsync(50);
  expect(counts.later(limited)?.remaining).toBe(97);
});
