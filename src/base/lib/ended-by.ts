import type { Readable } from 'node:stream';

/**
 * The stream, cut when the signal aborts, even if its reader takes nothing more. It ends with an error, so that the connection is
 * destroyed: a response that ended as usual would look complete.
 */
export function endedBy(signal: AbortSignal, stream: Readable): Readable {
  const cut = () => stream.destroy(new Error('the response was cut'));
  // Also before anything reads it.
  stream.on('error', () => undefined);
  if (signal.aborted) cut();
  else signal.addEventListener('abort', cut, { once: true });
  return stream;
}
