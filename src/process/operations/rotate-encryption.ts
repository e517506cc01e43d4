import type pg from 'pg';
import {
  countOutdated,
  outdatedValues,
  replaceSealed,
  type SealedColumn,
  type SealedValue,
} from '../../base/db/sealed-values';
import type { Cipher } from '../../base/lib/cipher';

/** Small batches hold locks for milliseconds, and an interruption loses at most one batch. */
const BATCH = 200;

export interface RotationResult {
  key_id: string;
  resealed: number;
  /** Encrypted with a key that is not configured; left unchanged. */
  unreadable: number;
}

/** Re-encrypts every value with the newest key, in the current format. Resumable: each value names its key and format. */
export async function rotateEncryption(
  pool: pg.Pool,
  cipher: Cipher,
  columns: readonly SealedColumn[],
  onProgress: (done: number, total: number) => void,
): Promise<RotationResult> {
  const total = await countOld(pool, cipher, columns);
  const rotated: RotationResult = { key_id: cipher.currentKeyId, resealed: 0, unreadable: 0 };
  let done = 0;
  for (const column of columns) {
    for await (const batch of oldValues(pool, column, cipher.currentKeyId)) {
      const resealed = batch.flatMap((value) => {
        const plain = decrypt(cipher, value, column.purpose);
        if (plain === null) return [];
        return [{ ...value, resealed: cipher.encrypt(plain, column.purpose, value.row_id) }];
      });
      rotated.resealed += await replaceSealed(pool, column, resealed);
      rotated.unreadable += batch.length - resealed.length;
      onProgress((done += batch.length), Math.max(done, total));
    }
  }
  return rotated;
}

async function countOld(pool: pg.Pool, cipher: Cipher, columns: readonly SealedColumn[]): Promise<number> {
  let total = 0;
  for (const column of columns) {
    total += await countOutdated(pool, column, cipher.currentKeyId);
  }
  return total;
}

async function* oldValues(pool: pg.Pool, column: SealedColumn, keyId: string) {
  let after: string | null = null;
  for (;;) {
    const batch = await outdatedValues(pool, column, keyId, after, BATCH);
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH) return;
    after = batch.at(-1)?.key ?? null;
  }
}

function decrypt(cipher: Cipher, { sealed, row_id }: SealedValue, purpose: string): string | null {
  try {
    return cipher.decrypt(sealed, purpose, row_id);
  } catch {
    return null;
  }
}
