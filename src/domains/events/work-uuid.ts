import { createHash } from 'node:crypto';
import type { Work } from '../../base/http/idempotency';
import { UUID_TIME_LENGTH } from '../../base/lib/uuid';

/**
 * The same for the same Idempotency-Key, so that a request that is resumed after a crash finds what it has written. Its time is
 * that of the request.
 */
export function workUuid({ id }: Work, ...path: (string | number)[]): string {
  const hex = createHash('sha256')
    .update([id, ...path].join('/'))
    .digest('hex');
  return `${id.slice(0, UUID_TIME_LENGTH)}7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
