import type { Logger } from '../../../src/base/lib/log';
import { startPeriodicJob } from '../../../src/base/lib/periodic-job';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const warn = jest.fn();
const common = { everyMs: 1_000, log: { warn } as unknown as Logger, failure: 'the job failed' };

beforeEach(() => warn.mockClear());

test('one run at a time; the next one comes after it has ended', async () => {
  let runs = 0;
  let end = () => {};
  const job = startPeriodicJob({
    ...common,
    run() {
      runs += 1;
      return new Promise<void>((resolve) => (end = resolve));
    },
  });
  await jest.advanceTimersByTimeAsync(5_000);
  expect(runs).toBe(1);
  end();
  await jest.advanceTimersByTimeAsync(1_000);
  expect(runs).toBe(2);
  end();
  await job.stop();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(runs).toBe(2);
});

test.each([
  ['rejects', () => Promise.reject(new Error('the database is unavailable'))],
  [
    'throws',
    () => {
      throw new Error('the database is unavailable');
    },
  ],
])('a run that %s is logged, and the next one comes', async (_how, run) => {
  const job = startPeriodicJob({ ...common, run });
  await jest.advanceTimersByTimeAsync(2_000);
  expect(warn.mock.calls.length).toBeGreaterThan(1);
  expect(warn).toHaveBeenCalledWith({ err: expect.any(Error) as Error }, 'the job failed');
  await job.stop();
});

test('a stop aborts the run in progress and waits for its end, which is not a failure', async () => {
  const ended = jest.fn();
  const job = startPeriodicJob({
    ...common,
    run: (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended();
          reject(new Error('aborted'));
        });
      }),
  });
  await jest.advanceTimersByTimeAsync(1_000);
  await job.stop();
  expect(ended).toHaveBeenCalledTimes(1);
  expect(warn).not.toHaveBeenCalled();
});
