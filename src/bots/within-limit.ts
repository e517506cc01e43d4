/**
 * Runs `work` with a signal that ends with the caller's or after `ms`. A timer of our own: Node 20 forgets a signal of
 * AbortSignal.timeout that only AbortSignal.any knows of, and the limit would never come.
 */
export async function withinLimit<T>(
  signal: AbortSignal,
  ms: number,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = () => limit.abort(signal.reason);
  const timer = setTimeout(() => limit.abort(new DOMException('The time is over.', 'TimeoutError')), ms);
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  try {
    return await work(limit.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
