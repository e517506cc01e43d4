import { createHash } from 'node:crypto';
import type { Work } from '../http/idempotency';

/** The same for the same Idempotency-Key, so that a request that is resumed after a crash finds what it has written. */
export function workUuid({ id }: Work, ...path: (string | number)[]): string {
  const hex = createHash('sha256')
    .update([id, ...path].join('/'))
    .digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
