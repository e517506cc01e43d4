import { types } from 'node:util';

/** System error codes, and the SQLSTATE of PostgreSQL. */
const CODES = new Set(['ENOSPC', 'EDQUOT', '53100']);
/** What the programs that Herald runs print, PostgreSQL and Temporal's SQLite. */
const TEXTS = /No space left on device|disk is full|Disk quota exceeded/i;

/** Whether an error, or what it was caused by, says that a disk is full. */
export function isDiskFull(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  const { code } = error as { code?: unknown };
  return (
    (typeof code === 'string' && CODES.has(code)) || TEXTS.test(error.message) || isDiskFull(error.cause)
  );
}

/** What a program's log says about a full disk; its last line may be about a consequence. */
export function diskFullIn(log: string): string | undefined {
  return TEXTS.exec(log)?.[0];
}
