import { withRetry } from '../../../src/base/lib/retry';

const pauseMs = { first: 1, most: 2 };

/** Fails so often, then returns how often it was called. */
function failing(times: number) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return calls;
  };
}

test('repeats until the work succeeds, and reports each failure', async () => {
  const reported: unknown[] = [];
  const result = await withRetry(failing(3), {
    pauseMs,
    shouldRetry: () => true,
    onRetry: (error) => reported.push((error as Error).message),
  });
  expect(result).toBe(4);
  expect(reported).toEqual(['failure 1', 'failure 2', 'failure 3']);
});

test('gives up with the last error, by number or by time', async () => {
  const byNumber = withRetry(failing(9), { pauseMs, shouldRetry: (_error, { failures }) => failures < 3 });
  await expect(byNumber).rejects.toThrow('failure 3');
  const byTime = withRetry(failing(1_000), {
    pauseMs,
    shouldRetry: (_error, { elapsedMs }) => elapsedMs < 20,
  });
  await expect(byTime).rejects.toThrow('failure');
});

test('an error that cannot pass is thrown at once', async () => {
  const work = failing(1);
  await expect(withRetry(work, { pauseMs, shouldRetry: () => false })).rejects.toThrow('failure 1');
  await expect(work()).resolves.toBe(2);
});
