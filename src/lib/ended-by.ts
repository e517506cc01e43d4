import type { Readable } from 'node:stream';

/** The stream, destroyed when the signal aborts, even if its reader takes nothing more. */
export function endedBy(signal: AbortSignal, stream: Readable): Readable {
  if (signal.aborted) stream.destroy();
  else signal.addEventListener('abort', () => stream.destroy(), { once: true });
  return stream;
}
