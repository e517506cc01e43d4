import { randomUUID } from 'node:crypto';

let last = 0;
let sequence = 0;

/**
 * A UUIDv7: ids of one process are sorted by their time, so that new rows are at the end of an index. Made here because
 * PostgreSQL before 18 cannot.
 */
export function uuidv7(): string {
  const now = Date.now();
  // Within a millisecond, and while the clock is set back, the sequence keeps the order.
  sequence = now > last ? 0 : sequence + 1;
  last = Math.max(now, last) + (sequence > 0xfff ? 1 : 0);
  sequence &= 0xfff;
  const time = last.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${randomUUID().slice(19)}`;
}

/** The part of a UUIDv7 that is its time. */
export const UUID_TIME_LENGTH = 14;
