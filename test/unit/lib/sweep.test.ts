import { startSweep } from '../../../src/base/lib/sweep';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('a sweep comes at least as often as it should, at no steady pace, until it is stopped', () => {
  const times: number[] = [Date.now()];
  const sweep = startSweep(1_000, () => times.push(Date.now()));
  jest.advanceTimersByTime(60_000);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(750);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000);
  expect(new Set(gaps).size).toBeGreaterThan(10);
  sweep.stop();
  const before = times.length;
  jest.advanceTimersByTime(10_000);
  expect(times).toHaveLength(before);
});

test('a sweep that throws does not end the ones after it', () => {
  let sweeps = 0;
  const sweep = startSweep(1_000, () => {
    sweeps += 1;
    throw new Error('the database is unavailable');
  });
  expect(() => jest.advanceTimersByTime(1_000)).toThrow('unavailable');
  expect(() => jest.advanceTimersByTime(1_000)).toThrow('unavailable');
  expect(sweeps).toBe(2);
  sweep.stop();
});
