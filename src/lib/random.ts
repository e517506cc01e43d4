import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8_192;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Bytes of the system's random source, fetched many at a time: asking it costs more than the bytes. Each is handed out
 * once and forgotten here.
 */
export function randomBytes(count: number): Buffer {
  if (count > POOL_BYTES) return randomFillSync(Buffer.alloc(count));
  if (used + count > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + count));
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
}
