import type pg from 'pg';
import { recordSuccesses, type ExpressSuccess } from './queries/express';

/** Successes in one statement at most: this bounds what a crash can repeat. */
const BATCH_ROWS = 50;

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

/** Writes a success at once where no write is in flight; those that arrive meanwhile share the next statement. */
export function createSuccessWriter(pool: pg.Pool): SuccessWriter {
  const waiting: Waiting[] = [];
  let writing: Promise<void> | null = null;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH_ROWS);
      try {
        await recordSuccesses(
          pool,
          batch.map(({ success }) => success),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = null;
  }

  return {
    write(success) {
      return new Promise((resolve, reject) => {
        waiting.push({ success, resolve, reject });
        writing ??= drain();
      });
    },
    async stop() {
      await writing;
    },
  };
}
