/**
 * Settles like `work`, or rejects after `ms` with code ETIMEDOUT. The work itself continues; if it can be aborted, use
 * `withAbortAfter`.
 */
export async function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  message = `no response within ${ms} ms`,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(message), { code: 'ETIMEDOUT' })), ms);
  });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Runs `work` with a signal that aborts with the caller's signal, after `ms`, or when the work calls `abort`. It uses a
 * timer because Node 20 garbage-collects an AbortSignal.timeout that only AbortSignal.any refers to, and the timeout
 * would never fire.
 */
export async function withAbortAfter<T>(
  signal: AbortSignal | undefined,
  ms: number,
  work: (signal: AbortSignal, abort: () => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException('The operation timed out.', 'TimeoutError')),
    ms,
  );
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  try {
    return await work(controller.signal, abort);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Rejects when the signal aborts. For work that does not react to a signal itself, in a race with it. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const rejected = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  // The race may be over by then.
  rejected.catch(() => undefined);
  return rejected;
}
