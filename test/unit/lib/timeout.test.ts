import { withAbortAfter, withTimeout } from '../../../src/base/lib/timeout';

const never = new Promise<never>(() => {});

describe('a timeout', () => {
  it('lets work that ends in time settle as it does', async () => {
    expect(await withTimeout(Promise.resolve('done'), 60_000)).toBe('done');
    await expect(withTimeout(Promise.reject(new Error('own fault')), 60_000)).rejects.toThrow('own fault');
  });

  it('rejects like a connection that timed out', async () => {
    await expect(withTimeout(never, 5)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await expect(withTimeout(never, 5, 'the part is unavailable')).rejects.toThrow('the part is unavailable');
  });

  it('has no rejection left over when the work fails later', async () => {
    let fail = (_error: Error) => {};
    const work = new Promise<never>((_resolve, reject) => (fail = reject));
    await expect(withTimeout(work, 5)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    fail(new Error('too late'));
    await new Promise(setImmediate);
  });
});

describe('a signal with a timeout', () => {
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason));
    });

  it('is aborted after the time', async () => {
    const work = withAbortAfter(new AbortController().signal, 5, untilAborted);
    await expect(work).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('is aborted with the caller’s, also where that was aborted before', async () => {
    const caller = new AbortController();
    const work = withAbortAfter(caller.signal, 60_000, untilAborted);
    caller.abort(new Error('stopping'));
    await expect(work).rejects.toThrow('stopping');
    await expect(withAbortAfter(caller.signal, 60_000, untilAborted)).rejects.toThrow('stopping');
  });

  it('can be aborted by the work itself, which leaves the caller’s alone', async () => {
    const caller = new AbortController();
    const aborted = await withAbortAfter(caller.signal, 60_000, async (signal, abort) => {
      abort();
      return signal.aborted;
    });
    expect(aborted).toBe(true);
    expect(caller.signal.aborted).toBe(false);
  });
});
