import type pg from 'pg';
import { recordSuccesses, type ExpressSuccess } from './queries/express';

/** At most so many rows or so long: this bounds what a crash can make happen twice. */
const BATCH_ROWS = 50;
const BATCH_MS = 10;

export interface SuccessWriter {
  /** Resolves when the success is committed. */
  write(success: ExpressSuccess): Promise<void>;
  /** Writes what is left. */
  stop(): Promise<void>;
}

interface Waiting {
  success: ExpressSuccess;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Collects successes and writes many in one statement. */
export function createSuccessWriter(pool: pg.Pool): SuccessWriter {
  let batch: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  const writing = new Set<Promise<void>>();

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const taken = batch;
    batch = [];
    if (taken.length === 0) return;
    const write = recordSuccesses(
      pool,
      taken.map(({ success }) => success),
    )
      .then(
        () => taken.forEach(({ resolve }) => resolve()),
        (error: unknown) => taken.forEach(({ reject }) => reject(error)),
      )
      .finally(() => writing.delete(write));
    writing.add(write);
  }

  return {
    write(success) {
      return new Promise((resolve, reject) => {
        batch.push({ success, resolve, reject });
        if (batch.length >= BATCH_ROWS) flush();
        else timer ??= setTimeout(flush, BATCH_MS);
      });
    },
    async stop() {
      flush();
      await Promise.all(writing);
    },
  };
}
